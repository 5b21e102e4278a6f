// The command `retention`, and what activities say of it: read, shown, tried in a dry run, done, and in the trail.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it, type TestContext } from 'node:test';
import { readConfig } from '../../src/config.ts';
import { retentionTask } from '../../src/jobs/background-tasks.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { json, type Place, run, succeed, temporaryFolder } from './fixture.ts';

const day = 86_400_000;

/** An activity with orders of 500, 100 and 0 days ago. */
async function activityWithOrders(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  for (const age of [500, 100, 0]) {
    const lines = [1, 2].map((line) => JSON.stringify({ orderUniqueID: `D${age}-${line}` })).join('\n');
    const then = { ...place, stdin: lines, now: () => Date.now() - age * day };
    await succeed(then, 'import', 'orders', '-', '--activity', 'ACM');
  }
  return place;
}

interface Told {
  readonly dryRun: boolean;
  readonly results: readonly { readonly subject: string; readonly removed: number; readonly activity: string }[];
}

function removedIn(told: Told): readonly (readonly [string, number])[] {
  return told.results.map(({ subject, removed }) => [subject, removed]);
}

describe('retention', () => {
  // Of the two messages that brought the orders, long ago, the last one of the feed stays.
  it('keeps all records where nobody says otherwise', async (t) => {
    const place = await activityWithOrders(t);
    assert.deepEqual(removedIn(await json<Told>(place, 'retention')), [['feeds', 1]]);
    const [activity] = await json<readonly { retention: unknown }[]>(place, 'activity', 'list');
    assert.deepEqual(activity?.retention, {
      stock: { days: 400, from: 'settings' },
      movements: { days: null, from: 'settings' },
      orders: { days: null, from: 'settings' },
      'order-reports': { days: null, from: 'settings' },
      procurements: { days: null, from: 'settings' },
      'procurement-reports': { days: null, from: 'settings' },
      feeds: { days: 400, from: 'settings' },
    });
  });

  it('tells what would go, then removes exactly that, by what the activity says before the setting', async (t) => {
    const place = await activityWithOrders(t);
    const bySetting = { ...place, variables: { ORDER_RETENTION_DAYS: '50', MOVEMENT_RETENTION_DAYS: '10' } };
    await succeed(place, 'activity', 'change', 'ACM', '--retention', 'orders=400, movements=never');
    const wanted = [
      ['orders', 2],
      ['feeds', 1],
    ];
    assert.deepEqual(removedIn(await json<Told>(bySetting, 'retention', '--dry-run')), wanted);
    assert.match(await succeed(place, 'activity', 'list'), /movements=never,orders=400/);
    assert.match(await succeed(bySetting, 'retention', '--dry-run'), /ACM\torders\t\S+\t2\t-\t0/);
    assert.deepEqual(removedIn(await json<Told>(bySetting, 'retention', '--activity', 'ACM')), wanted);
    await succeed(place, 'activity', 'change', 'ACM', '--retention', 'orders=default,movements=default');
    assert.deepEqual(removedIn(await json<Told>(bySetting, 'retention')), [
      ['movements', 0],
      ['orders', 2],
      ['feeds', 0],
    ]);
    const trail = await succeed(place, 'audit', '--action', 'retention', '--json');
    assert.equal(trail.trim().split('\n').length, 2, trail);
  });

  it('leaves the next round of the servers due unless it has done all of one', async (t) => {
    const place = await activityWithOrders(t);
    await succeed(place, 'activity', 'add', 'BIO', 'Bio');
    const lastRound = async (): Promise<number | null> => {
      const store = await openStore(readConfig({}, place.folder), definitions);
      try {
        return (await store.jobLeases().list()).find(({ name }) => name === retentionTask)?.doneAt ?? null;
      } finally {
        await store.close();
      }
    };
    await succeed(place, 'retention', '--activity', 'ACM');
    assert.equal(await lastRound(), null, 'of one activity');
    await succeed({ ...place, signal: AbortSignal.abort() }, 'retention');
    assert.equal(await lastRound(), null, 'interrupted');
    const database = new DatabaseSync(join(place.folder, 'data/logistics-connect.db'));
    database.exec('alter table feed_message rename to away');
    const broken = await run(place, 'retention');
    database.exec('alter table away rename to feed_message');
    database.close();
    assert.deepEqual([broken.code, await lastRound()], [1, null], 'failed');
    await succeed(place, 'retention');
    assert.notEqual(await lastRound(), null);
  });

  it('says what is wrong with a retention, and changes nothing', async (t) => {
    const place = { folder: temporaryFolder(t) };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    for (const [text, said] of [
      ['articles=10', /never removed by time/],
      ['order=10', /nothing called "order".* orders/],
      ['orders=0', /"0" is no number of days/],
      ['orders=400,orders=1', /there twice/],
      ['orders', /write it as orders=400/],
      ['', /write it as orders=400/],
      ['stock=10,orders=1e3', /"1e3" is no number of days/],
    ] as const) {
      const { code, stderr } = await run(place, 'activity', 'change', 'ACM', '--retention', text);
      assert.equal(code, 2, text);
      assert.match(stderr, said);
    }
    assert.equal((await run(place, 'activity', 'change', 'ACM')).code, 2, 'nothing to change');
    assert.match(
      (await run(place, 'activity', 'change', 'XXX', '--retention', 'orders=1')).stderr,
      /no activity "XXX"/,
    );
    assert.match((await run(place, 'retention', '--activity', 'XXX')).stderr, /no activity "XXX"/);
    assert.doesNotMatch(await succeed(place, 'activity', 'list'), /=/);
  });
});
