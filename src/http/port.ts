// Finds out whether a port can be listened on before anything else is done.
import { createServer } from 'node:net';

/**
 * Listens for a moment.
 * @param port 0 takes a free one
 * @returns the port
 * @throws the system's error (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`) when it cannot be listened on
 */
export async function freePort(host: string, port: number): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => probe.once('error', reject).listen(port, host, resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return address.port;
}
