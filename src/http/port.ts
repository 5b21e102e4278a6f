// Finds out whether a port can be listened on before anything else is done.
import { createServer } from 'node:net';

/**
 * Listens for a moment.
 * @param port 0 takes a free one, of those that no system gives to outgoing connections: what is found free here is
 * listened on only later, and must be free still
 * @returns the port
 * @throws the system's error (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`) when it cannot be listened on
 */
export async function freePort(host: string, port: number): Promise<number> {
  if (port > 0) return listenFor(host, port);
  for (let tries = 0; tries < maxTries; tries++) {
    const candidate = firstPort + Math.floor(Math.random() * (portAfterLast - firstPort));
    try {
      return await listenFor(host, candidate);
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  return listenFor(host, 0);
}

const maxTries = 20;
/** Above those of well-known services, below those of outgoing connections (RFC 6335 has 49152, Linux takes 32768). */
const firstPort = 16_384;
const portAfterLast = 32_768;

async function listenFor(host: string, port: number): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(port, host, resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'EADDRINUSE' || error.code === 'EACCES');
}
