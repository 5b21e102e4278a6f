// How attackers send feeds: lines of articles, whole or without an end, and what an answer to them may be.
import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import type { Role } from './prepared.ts';
import type { Target } from './target.ts';
import { type Answer, ask, head, open, together } from './wire.ts';

export function anArticle(index: number): object {
  const name = `FEED-${index}`;
  return { articleReference: name, longArticleDescription: name, shortArticleDescription: 'fed' };
}

export function lines(count: number, record: (index: number) => object): string {
  return Array.from({ length: count }, (_none, index) => `${JSON.stringify(record(index))}\n`).join('');
}

export function keyOf({ database }: Target, role: Role = 'attacker'): string {
  return database.feedKeys[role];
}

export function headersOf(target: Target, role: Role): Readonly<Record<string, string>> {
  return { 'Content-Type': 'application/x-ndjson', Authorization: `Bearer ${keyOf(target, role)}` };
}

export function feed(
  target: Target,
  path: string,
  body: string | Buffer,
  role: Role = 'attacker',
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return ask(target, {
    ...{ method: 'POST', path: `/platform/feeds/${path}`, token: keyOf(target, role), body },
    headers: { 'content-type': 'application/x-ndjson', ...headers },
  });
}

/** Begins feeds of which one line comes, and no end. */
export async function beginFeeds(target: Target, count: number): Promise<readonly Socket[]> {
  return together(count, async () => {
    const socket = await open(target);
    const headers = { ...headersOf(target, 'attacker'), 'Content-Length': '1000000' };
    socket.resume().write(head('POST', '/platform/feeds/articles', headers) + lines(1, anArticle));
    return socket;
  });
}

/** What was not done says when to come again. */
export function assertAnsweredOrShed(answers: readonly Answer[], done: readonly number[] = [200]): void {
  for (const { status, headers, body } of answers) {
    if (done.includes(status)) continue;
    assert.ok([429, 503].includes(status) && Number(headers['retry-after']) > 0, `${status} ${body}`);
  }
}

/** A feed whose body goes on for as long as it is told to. */
export interface EndlessFeed {
  readonly send: (bytes: Buffer) => Promise<void>;
  /** What was answered so far. */
  readonly heard: () => string;
  /** Resolves when the server has ended the connection. */
  readonly ended: Promise<void>;
  readonly cut: () => void;
}

/** Begins a feed in chunks. */
export async function endlessFeed(
  target: Target,
  path: string,
  role: Role,
  headers: Readonly<Record<string, string>> = {},
): Promise<EndlessFeed> {
  const socket = await open(target);
  let heard = '';
  socket.on('data', (part) => {
    heard += String(part);
  });
  const ended = new Promise<void>((resolve) => void socket.once('close', () => resolve()));
  const all = { ...headersOf(target, role), 'Transfer-Encoding': 'chunked', ...headers };
  socket.write(head('POST', `/platform/feeds/${path}`, all));
  return {
    ended,
    heard: () => heard,
    cut: () => socket.destroy(),
    send: async (bytes) => {
      if (socket.destroyed) return;
      const isTaken = socket.write(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, lineEnd]));
      if (!isTaken) await Promise.race([new Promise((resolve) => socket.once('drain', resolve)), ended]);
    },
  };
}

const lineEnd = Buffer.from('\r\n');
