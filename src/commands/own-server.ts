// Asks the server that runs with the same settings on this machine.
import { get, type IncomingMessage } from 'node:http';
import type { Config } from '../config.ts';

/** What a server answered. */
interface ServerAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
}

/** The address of a path of the server; of one that listens on all addresses, one at which it can be reached. */
export function serverAddress({ host, port }: Pick<Config, 'host' | 'port'>, path: string): string {
  return `http://${reachable(host)}:${port}${path}`;
}

/**
 * Asks for a page of the server and reads it to its end. Not with `fetch`, which refuses the ports that browsers do not
 * open (6000, 10080 and some 80 others), on which a server may listen nevertheless.
 * @throws Error when there is no answer, or none in time
 */
export function askServer(url: string, timeoutMs: number): Promise<ServerAnswer> {
  return new Promise((resolve, reject) => {
    const asked = get(url, { agent: false, signal: AbortSignal.timeout(timeoutMs) }, (answer) => {
      answer
        .once('error', reject)
        .once('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers }));
      answer.resume();
    });
    asked.once('error', (error) => reject(error.cause ?? error));
  });
}

function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}
