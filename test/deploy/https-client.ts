// A client of a proxy over TLS, with connections that it keeps.
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { RunningProxy } from './proxy.ts';

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What is asked of a path. */
export interface Asked {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Parts of the body; one after another, each when it is there, and none after the response has begun. */
  readonly body?: string | AsyncIterable<string>;
  /** Address that the client has. */
  readonly from?: string;
}

export interface HttpsClient {
  readonly ask: (path: string, asked?: Asked) => Promise<Answered>;
  readonly close: () => void;
}

export function httpsClient({ port, authority }: RunningProxy): HttpsClient {
  const agent = new Agent({ keepAlive: true, ca: authority, maxSockets: 64 });
  const ask: HttpsClient['ask'] = (path, { method = 'GET', headers = {}, body, from } = {}) =>
    new Promise((resolve, reject) => {
      const sent = request(
        { host: 'localhost', port, path, method, headers, agent, family: 4, ...(from && { localAddress: from }) },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (part) => {
            text += part;
          });
          answer.on('end', () => {
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text });
            // What is left of the body is never sent, so no other request can follow on the connection.
            if (!sent.writableEnded) sent.destroy();
          });
          answer.on('error', reject);
        },
      );
      sent.on('error', reject);
      if (typeof body === 'object') void write(sent, body).catch(reject);
      else sent.end(body);
    });
  return { ask, close: () => agent.destroy() };
}

/** A server that has responded closes the connection soon, and what is written after that loses the response. */
async function write(sent: ReturnType<typeof request>, parts: AsyncIterable<string>): Promise<void> {
  const responded = new AbortController();
  sent.once('response', () => responded.abort());
  for await (const part of parts) {
    if (!sent.write(part)) await once(sent, 'drain', { signal: responded.signal }).catch(() => undefined);
    if (responded.signal.aborted || sent.destroyed) return;
  }
  sent.end();
}
