// Feeds take turns whatever the way they come: two over HTTP, and one over HTTP with a file that was dropped.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import type { FeedTurns } from '../../src/feeds/feed-turns.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';
import { workersWanted } from '../contract/worker-program.ts';
import { article } from './folder/fixture.ts';

/** Records of a batch, which is written in one turn. */
const batch = 1000;
const records = 6 * batch;
const linesOf = (name: string): string =>
  Array.from({ length: records }, (_none, index) => article(`${name}${index}`)).join('');

/** How many records of each feed were read, by the name of the feed. */
type Read = ReadonlyMap<string, number>;

for (const engine of engines) {
  const skip = engine.skip || (workersWanted > 0 && 'it takes turns in the process of the server');
  describe(`feeds of different ways on ${engine.name}`, { skip }, () => {
    let running: RunningApp;
    let turns: FeedTurns;
    let send: (feed: string) => Promise<number>;
    let folder: string;
    let inbox: string;
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'logistics-connect-turns-'));
      inbox = join(folder, 'inbox/NOR/articles');
      mkdirSync(inbox, { recursive: true });
      running = await startApp(engine, { FEED_FOLDER: folder, FEED_FOLDER_COMPLETE: 'rename' });
      const { app } = running;
      turns = await turnsOf(running);
      const wanted = { name: 'wms', activityCodes: ['NOR'], roles: ['feed'] } as const;
      const { text } = await addPlatformKey(app.store, wanted, Date.now());
      await app.server.listen({ host: '127.0.0.1', port: 0 });
      const { port } = app.server.server.address() as AddressInfo;
      const headers = { authorization: `Bearer ${text}`, 'content-type': 'application/x-ndjson' };
      send = async (feed) => {
        const address = `http://127.0.0.1:${port}/platform/feeds/articles?feed=${feed}`;
        return (await fetch(address, { method: 'POST', headers, body: linesOf(feed) })).status;
      };
    });
    after(async () => {
      await running.close();
      rmSync(folder, { recursive: true, force: true });
    });

    const readOf = async (feeds: readonly string[]): Promise<Read> => {
      const messages = await running.app.store.feeds.messages({ activities: ['NOR'], limit: 10 });
      return new Map(messages.filter(({ feed }) => feeds.includes(feed)).map(({ feed, read }) => [feed, read]));
    };

    /**
     * Has every other turn until all feeds are read.
     * @param begin brings them, once the first turn is had
     * @returns how far each was at each of these turns
     */
    const watched = async (feeds: readonly string[], begin: () => void): Promise<readonly Read[]> => {
      const seen: Read[] = [];
      // Until this turn is over, nothing is written, however long it lasts.
      let leave = await turns.enter('somebody');
      begin();
      const hasBegun = async (): Promise<boolean> => (await readOf(feeds)).size === feeds.length && turns.isAwaited();
      try {
        for (let times = 0; times < 500 && !(await hasBegun()); times += 1) await pause(20);
        assert.ok(await hasBegun(), 'all have begun, and wait');
        while (seen.length < 50) {
          const read = await readOf(feeds);
          // Who has given its turn back asks for another one meanwhile.
          await pause(50);
          assert.deepEqual(await readOf(feeds), read, 'nobody writes in the turn of somebody else');
          seen.push(read);
          if (feeds.every((feed) => read.get(feed) === records)) break;
          const next = turns.enter('somebody');
          leave();
          leave = await next;
        }
      } finally {
        leave();
      }
      return seen;
    };

    it('over HTTP take turns: none has two while another one waits', async () => {
      let sent: Promise<readonly number[]> = Promise.resolve([]);
      const seen = await watched(['one', 'two'], () => {
        sent = Promise.all(['one', 'two'].map(send));
      });
      assertInTurn(seen);
      assert.deepEqual(await sent, [200, 200]);
    });

    it('from the folder and over HTTP take turns: none has two while another one waits', async () => {
      let sent: Promise<number> = Promise.resolve(0);
      const seen = await watched(['main', 'three'], () => {
        sent = send('three');
        writeFileSync(join(inbox, 'day.ndjson'), linesOf('D'));
      });
      assertInTurn(seen);
      assert.equal(await sent, 200);
    });
  });
}

/** The turns that all feeds of an application take. */
async function turnsOf({ app }: RunningApp): Promise<FeedTurns> {
  const { promise, resolve } = Promise.withResolvers<FeedTurns>();
  app.runInBackground((_stopping, turns) => {
    resolve(turns);
    return { name: null, failure: 'nothing was done', everyMs: 3_600_000, run: () => Promise.resolve() };
  });
  return promise;
}

/**
 * Between two turns of somebody else each feed had one at most, and none was left behind: on a busy machine one may ask
 * for its next turn too late now and then.
 */
function assertInTurn(seen: readonly Read[]): void {
  const told = JSON.stringify(seen.map((read) => [...read]));
  assert.deepEqual([...(seen[0]?.values() ?? [])], [0, 0], told);
  for (const [index, read] of seen.entries()) {
    const before = seen[index - 1];
    for (const [feed, count] of read) assert.ok(count - (before?.get(feed) ?? 0) <= batch, told);
    const [one = 0, other = 0] = read.values();
    assert.ok(Math.abs(one - other) <= 2 * batch, told);
  }
  assert.deepEqual([...(seen.at(-1)?.values() ?? [])], [records, records], told);
}
