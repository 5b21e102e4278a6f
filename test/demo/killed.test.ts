// Kill -9 of servers that play the demonstration, again and again, one or two at a time: everything that it tells is
// stored, once, and it adds up.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { askAdvance } from '../../src/demo/demo-requests.ts';
import { createRandom } from '../../src/demo/random.ts';
import { createDemoRunner } from '../../src/demo/runner.ts';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { feedMessageTable } from '../../src/store/tables/feeds.ts';
import { jobLeaseTable } from '../../src/store/tables/processes.ts';
import { type Child, type Place, start, temporaryFolder } from '../commands/fixture.ts';
import { changeRows, rowsIn } from '../contract/database.ts';
import { engines } from '../contract/engines.ts';
import { notInThisRun, onOtherEngine, roundsAnywhere } from '../contract/rounds.ts';
import { assertAsPlayed } from './fixture.ts';

const hourMs = 3_600_000;

for (const engine of engines)
  describe(`the demonstration, killed on ${engine.name}`, {
    skip: engine.skip || onOtherEngine() || notInThisRun(1),
  }, () => {
    it('goes on where it was, and nothing is missing or there twice', { timeout: 1_200_000 }, async (t) => {
      const database = await engine.create();
      t.after(() => database.remove());
      const folder = temporaryFolder(t);
      const settings = database.url === null ? {} : { DATABASE_URL: database.url };
      const place: Place = { folder, variables: { PORT: '0', LOG_LEVEL: 'error', ...settings } };
      const serve = (): Child => start(t, place, 'serve', '--demo', '--clock', '3600x');
      const store = await openStore({ dataDir: `${folder}/data`, databaseUrl: database.url }, definitions);
      t.after(() => store.close());
      let servers = [serve()];
      for (let tries = 0; (await store.demonstration.clock()) === null; tries += 1) {
        assert.ok(tries < 3000, 'it is not filled');
        await pause(100);
      }
      const random = createRandom('kill');
      const isTwice = new Set<number>();
      for (let round = 0; round < roundsAnywhere(9); round += 1) {
        const { playedTo } = await clockOf(store);
        await playedBeyond(store, playedTo + random.int(1, 30) * 300_000);
        isTwice.add(await holders(store));
        await pause(random.int(0, 60));
        for (const server of servers) server.signal('SIGKILL');
        await Promise.all(servers.map(({ ended }) => ended));
        await forgetTheDead(store);
        servers = round % 3 === 0 ? [serve(), serve()] : [serve()];
      }
      // They answer a signal as soon as they serve.
      await playedBeyond(store, (await clockOf(store)).playedTo);
      await Promise.all(servers.map((server) => server.seen('valid for an hour')));
      for (const server of servers) server.signal('SIGTERM');
      for (const server of servers) assert.equal((await server.ended).code, 0);
      // Two that run at once: one plays.
      assert.ok(
        [...isTwice].every((count) => count <= 1),
        [...isTwice].join(),
      );
      // The clock ran ahead of what could be played; to play all of that would prove nothing more.
      await store.demonstration.set({ anchorAt: Date.now(), anchorClock: (await clockOf(store)).playedTo });
      const runner = createDemoRunner({ store, turns: createFeedTurns(), now: Date.now });
      assert.equal(typeof (await runner.advance(hourMs, 'test')), 'number');
      await assertAsPlayed(store);
    });
  });

for (const engine of engines)
  describe(`an advance of the demonstration's clock, killed on ${engine.name}`, {
    skip: engine.skip || onOtherEngine() || notInThisRun(1),
  }, () => {
    it('is carried out by the servers that run it, as far as was asked and once', { timeout: 1_200_000 }, async (t) => {
      const database = await engine.create();
      t.after(() => database.remove());
      const folder = temporaryFolder(t);
      const settings = database.url === null ? {} : { DATABASE_URL: database.url };
      const place: Place = { folder, variables: { PORT: '0', LOG_LEVEL: 'error', ...settings } };
      const store = await openStore({ dataDir: `${folder}/data`, databaseUrl: database.url }, definitions);
      t.after(() => store.close());
      const serve = (): Child => start(t, place, 'serve', '--demo');
      let servers = [serve()];
      await servers[0]?.seen('valid for an hour');
      const { advances } = store.demonstration;
      const asked = [20 * hourMs, 3 * hourMs].map((durationMs) =>
        askAdvance(store.demonstration.advances.ask, { durationMs, now: Date.now(), by: 'test' }, null),
      );
      const numbers = (await Promise.all(asked)).map(({ number }) => number).toSorted();
      assert.deepEqual(numbers, [1, 2]);
      const random = createRandom('advance');
      for (let round = 0; round < roundsAnywhere(6); round += 1) {
        const aim = (await clockOf(store)).playedTo + random.int(0, 12) * 300_000;
        for (let tries = 0; (await advances.open()).length > 0; tries += 1) {
          assert.ok(tries < 20_000, 'nobody plays');
          if ((await clockOf(store)).playedTo > aim) break;
          await pause(10);
        }
        for (const server of servers) server.signal('SIGKILL');
        await Promise.all(servers.map(({ ended }) => ended));
        await forgetTheDead(store);
        servers = round % 2 === 0 ? [serve(), serve()] : [serve()];
      }
      for (let tries = 0; (await advances.open()).length > 0; tries += 1) {
        assert.ok(tries < 6000, 'nobody goes on with it');
        await pause(100);
      }
      await Promise.all(servers.map((server) => server.seen('valid for an hour')));
      for (const server of servers) server.signal('SIGTERM');
      for (const server of servers) assert.equal((await server.ended).code, 0);
      const [second, first] = await advances.latest();
      for (const advance of [first, second]) {
        assert.equal(advance?.state, 'done', advance?.failure ?? '');
        assert.equal(Number(advance?.toClock) - Number(advance?.fromClock), advance?.durationMs);
      }
      // It runs on by itself between the two, and no advance is done twice.
      const ranBetween = Number(second?.fromClock) - Number(first?.toClock);
      assert.ok(ranBetween >= 0 && ranBetween < hourMs, `${ranBetween} ms`);
      const { playedTo } = await clockOf(store);
      assert.ok(playedTo >= Number(second?.toClock) && playedTo < Number(second?.toClock) + hourMs);
      await assertAsPlayed(store);
    });
  });

async function clockOf(store: Store) {
  return (await store.demonstration.clock()) ?? assert.fail('there is no clock');
}

async function playedBeyond(store: Store, instant: number): Promise<void> {
  for (let tries = 0; (await clockOf(store)).playedTo <= instant; tries += 1) {
    assert.ok(tries < 20_000, 'nobody plays');
    await pause(10);
  }
}

/** How many hold the lease of the demonstration. */
async function holders(store: Store): Promise<number> {
  const held = await rowsIn(store, jobLeaseTable, { name: 'demonstration' });
  return held.filter(({ holder }) => holder !== '').length;
}

/** What the killed held is taken over after a minute: here it is over at once. */
async function forgetTheDead(store: Store): Promise<void> {
  await changeRows(store, jobLeaseTable, { endsAt: 0 });
  await changeRows(store, feedMessageTable, { touchedAt: 0 }, { state: 'open' });
}
