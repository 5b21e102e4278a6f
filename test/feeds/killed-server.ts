// A server that takes feeds in and is killed again and again: the real program over one database that outlives it,
// programs of the warehouse that send until they are answered, and a client that reads all the while.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import type { TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import type { FeedMessage } from '../../src/store/feed-contract.ts';
import type { Store } from '../../src/store/store.ts';
import { feedMessageTable } from '../../src/store/tables/feeds.ts';
import { type Prepared, prepare, type ServerProcess, startServer } from '../api/server-process.ts';
import { json } from '../commands/fixture.ts';
import { changeRows, forgetLeases, rowsIn } from '../contract/database.ts';

export type Published = Readonly<Record<string, unknown>>;

/** A message as the platform interface shows it. */
export interface ShownMessage {
  readonly id: string;
  readonly state: string;
  readonly resource: string;
  readonly counts: Readonly<Record<string, number>>;
}

export interface KilledServer {
  readonly prepared: Prepared;
  /** Platform key with the role `feed`. */
  readonly feedKey: string;
  /**
   * Kills the server at some moment from now on, and starts the next one.
   * @param amid a resource: when some lines of a message of it are stored and others are not, unless it is over before
   * @returns the messages that were being taken in, as they were left
   */
  readonly kill: (amid?: {
    readonly resource: string;
    readonly isOver: () => boolean;
  }) => Promise<readonly FeedMessage[]>;
  /** Asks the server; null where it was away, or died before it had answered. */
  readonly ask: (path: string, asked?: Asked) => Promise<Response | null>;
  /** Works on the database beside the server. */
  readonly inStore: <T>(work: (store: Store) => Promise<T>) => Promise<T>;
}

interface Asked {
  readonly method?: string;
  readonly bearer?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export async function startKilledServer(
  t: TestContext,
  variables: Readonly<Record<string, string>>,
): Promise<KilledServer> {
  const prepared = await prepare(t, { MAX_FEEDS: '20', ...variables });
  const { key } = await json<{ key: string }>(
    prepared.place,
    'key',
    'add',
    'sends',
    '--role',
    'feed',
    '--activity',
    'NOR',
  );
  let server: ServerProcess = await startServer(t, prepared);
  const inStore = async <T>(work: (store: Store) => Promise<T>): Promise<T> => {
    const databaseUrl = variables.DATABASE_URL ?? null;
    const store = await openStore({ dataDir: prepared.dataDir, databaseUrl }, definitions);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const ask: KilledServer['ask'] = async (path, { method = 'GET', bearer = prepared.token, headers, body } = {}) => {
    try {
      const answer = await fetch(server.origin + path, {
        method,
        headers: { authorization: `Bearer ${bearer}`, ...headers },
        ...(body !== undefined && { body }),
      });
      const bytes = await answer.arrayBuffer();
      return new Response(bytes, { status: answer.status, headers: answer.headers });
    } catch {
      return null;
    }
  };
  return {
    prepared,
    feedKey: key,
    ask,
    inStore,
    kill: async (amid) => {
      await (amid === undefined ? pause(randomInt(20, 1200)) : inStore((store) => untilAmid(store, amid)));
      server.child.signal('SIGKILL');
      await server.child.ended;
      const held = await inStore(forgetHolders);
      await inStore(forgetLeases);
      server = await startServer(t, prepared);
      return held;
    },
  };
}

/** As if the seconds had passed for which somebody who was killed counts as alive. @returns messages they held */
export async function forgetHolders(store: Store): Promise<readonly FeedMessage[]> {
  const held = await rowsIn(store, feedMessageTable, { state: 'open' });
  if (held.length > 0) await changeRows(store, feedMessageTable, { touchedAt: 0 }, { state: 'open' });
  return held.filter(({ holder }) => holder !== null);
}

/** Waits until somebody has stored a part of a message, or until it has come to its end. */
async function untilAmid(
  store: Store,
  { resource, isOver }: NonNullable<Parameters<KilledServer['kill']>[0]>,
): Promise<void> {
  for (const until = performance.now() + 60_000; performance.now() < until && !isOver(); await pause(5)) {
    const open = await rowsIn(store, feedMessageTable, { state: 'open', resource });
    if (open.some(({ holder, read }) => holder !== null && read > 0)) return;
  }
}

/** How a body travels. */
const codings = {
  none: (body: string): Buffer => Buffer.from(body),
  gzip: (body: string): Buffer => gzipSync(body),
  zstd: (body: string): Buffer => zstdCompressSync(body),
} as const;

interface Sending {
  readonly resource: string;
  /** Lines of JSON. */
  readonly body: string;
  readonly key: string;
  /** By what the server knows the message when it comes again. */
  readonly by: 'Idempotency-Key' | 'messageId';
  readonly coding: keyof typeof codings;
}

/** Sends a message until it is answered, as programs of a warehouse do. @returns what the last answer says of it */
export async function sendUntilDone(
  { ask, feedKey }: KilledServer,
  { resource, body, key, by, coding }: Sending,
): Promise<ShownMessage> {
  const named = by === 'messageId' ? `?messageId=${key}` : '';
  const encoding = coding === 'none' ? {} : { 'content-encoding': coding };
  for (const until = performance.now() + 300_000; performance.now() < until; await pause(50)) {
    const answer = await ask(`/platform/feeds/${resource}${named}`, {
      method: 'POST',
      bearer: feedKey,
      headers: { 'content-type': 'application/x-ndjson', ...encoding, ...(by !== 'messageId' && { [by]: key }) },
      body: codings[coding](body),
    });
    if (answer === null) continue;
    const told = await answer.text();
    if (answer.status === 200) {
      const { message, duplicateOf } = JSON.parse(told);
      return duplicateOf ?? message;
    }
    // Of somebody who died a moment ago, or of a server that is about to.
    assert.ok([409, 503].includes(answer.status), `${resource} ${key}: ${answer.status} ${told}`);
  }
  throw new Error(`${resource} ${key} was never answered`);
}

/** What a client has read of a list: its records, and the cursor behind the last of them. */
interface Walked {
  readonly records: readonly Published[];
  readonly cursor: string;
}

/** Follows `Link` from page to page; null where the server went away, or the walk is to begin anew (410). */
export async function walk({ ask }: Pick<KilledServer, 'ask'>, path: string): Promise<Walked | null> {
  const records: Published[] = [];
  for (let next = path; ; ) {
    const page = await ask(next);
    if (page === null || page.status === 410 || page.status === 503) return null;
    assert.equal(page.status, 200, `${next}: ${page.status}`);
    const found: readonly Published[] = JSON.parse(await page.text());
    records.push(...found);
    const link = /<https:\/\/[^/]+([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
    if (link === undefined) return { records, cursor: page.headers.get('sync-cursor') ?? '' };
    next = link;
  }
}
