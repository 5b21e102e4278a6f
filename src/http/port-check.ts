// Checks in advance whether a port can be listened on.
import { createServer } from 'node:net';
import { hasCode } from '../model/error-code.ts';

/**
 * Listens briefly.
 * @param port 0 chooses a free one, outside the range that systems use for outgoing connections: it is listened on only
 *   later, and must still be free then
 * @returns the port
 * @throws the system's error (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`) when it cannot be listened on
 */
export async function freePort(host: string, port: number): Promise<number> {
  if (port > 0) return listenFor(host, port);
  for (let tries = 0; tries < maxTries; tries++) {
    const candidate = firstPort + Math.floor(Math.random() * (portLimit - firstPort));
    try {
      return await listenFor(host, candidate);
    } catch (error) {
      if (!isTaken(error)) throw error;
    }
  }
  return listenFor(host, 0);
}

const maxTries = 20;
/** Above well-known services, below outgoing connections (RFC 6335 has 49152, Linux takes 32768). */
const firstPort = 16_384;
const portLimit = 32_768;

async function listenFor(host: string, port: number): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(port, host, resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}

function isTaken(error: unknown): boolean {
  return hasCode(error, 'EADDRINUSE', 'EACCES');
}
