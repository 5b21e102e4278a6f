// How attackers ask: plain requests over connections of their own, and bytes as they please.
import { type Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Target } from './target.ts';

export interface Asked {
  readonly method?: string;
  readonly path: string;
  /** Default: the attacker's; null: none. */
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Default: the target's. */
  readonly port?: number;
  /** Address that it comes from. */
  readonly from?: string;
  /** Keeps connections; absent: each request has one of its own. */
  readonly agent?: Agent;
}

/** `status` 0: the connection ended without an answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Sends one request over a connection of its own. */
export function ask(
  { port, database }: Target,
  { method = 'GET', path, token = database.tokens.attacker, headers = {}, body, port: other, from, agent }: Asked,
): Promise<Answer> {
  return new Promise((resolve) => {
    const failed = (): void => resolve({ status: 0, headers: {}, body: Buffer.alloc(0) });
    const sentHeaders = {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      ...headers,
    };
    const sent = request(
      {
        port: other ?? port,
        host: '127.0.0.1',
        localAddress: from ?? '127.0.0.1',
        method,
        path,
        headers: sentHeaders,
        agent: agent ?? false,
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('error', failed);
        answer.once('end', () => {
          const values = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const);
          resolve({ status: answer.statusCode ?? 0, headers: Object.fromEntries(values), body: Buffer.concat(chunks) });
        });
      },
    );
    sent.once('error', failed);
    sent.setTimeout(60_000, () => sent.destroy());
    sent.end(body);
  });
}

/** Sends articles, or whatever else, to `POST /articles`. */
export function postArticles(
  target: Target,
  body: unknown,
  { path = '/v1/articles', headers = {}, ...more }: Partial<Asked> = {},
): Promise<Answer> {
  const bytes = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  return ask(target, {
    method: 'POST',
    path,
    ...more,
    headers: { 'content-type': 'application/json', ...headers },
    body: bytes,
  });
}

/** All at once. */
export function together<Result>(count: number, work: (index: number) => Promise<Result>): Promise<readonly Result[]> {
  return Promise.all(Array.from({ length: count }, (_none, index) => work(index)));
}

/** How often each status came. */
export function tally(answers: readonly Answer[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

/** A connection that says what it likes. Errors of it are nobody's business. */
export async function open({ port }: Target, from = '127.0.0.1'): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', localAddress: from });
    socket.on('error', () => undefined);
    socket.once('connect', () => resolve(socket));
    socket.once('close', () => resolve(socket));
  });
}

/** Request line and header lines of a request, with the empty line at the end. */
export function head(method: string, path: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ Host: 'api.logistics.example', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
