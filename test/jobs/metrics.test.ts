// What an operator sees of the state of the service: backlog, age of what came in, labels in doubt, carriers,
// background work.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { createMetrics } from '../../src/http/metrics.ts';
import { createReplicaMetrics } from '../../src/jobs/replica-metrics.ts';
import { createDiskMetrics, watchedFolders } from '../../src/jobs/disk-metrics.ts';
import {
  createCarrierMetrics,
  createConnectionMetrics,
  createLongReadMetrics,
  createStateMetrics,
  createRetentionMetrics,
  createTaskMetrics,
} from '../../src/jobs/metrics.ts';
import { article, articleStock } from '../../src/resources/index.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import type { Store } from '../../src/store/store.ts';
import { allEngines, enginesAboveStorage, provenWithoutServer, storeOn } from '../contract/engines.ts';
import { addRefusedLines } from '../feeds/refused-lines.ts';
import { articleRecord } from '../platform/export-fixture.ts';

/** The samples of a registry by their text. */
async function samples(registry: Registry): Promise<ReadonlyMap<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  );
}

for (const engine of enginesAboveStorage) {
  describe(`the metrics of what is stored, on ${engine.name}`, { skip: engine.skip }, () => {
    async function open(t: TestContext): Promise<Store> {
      const database = await engine.create(() => 5000);
      const store = await storeOn(await database.open());
      t.after(async () => {
        await store.close();
        await database.remove();
      });
      await store.activities.add('ACM', 'Acme');
      return store;
    }

    it('show nothing, not even zeros, before they were read and where nothing is', async (t) => {
      const registry = new Registry();
      const state = createStateMetrics(registry, await open(t));
      assert.deepEqual([...(await samples(registry))], []);
      await state.refresh(10_000);
      assert.deepEqual(
        await samples(registry),
        new Map([
          ['logistics_outbox_waiting_entries{consumer="",activity="ACM"}', 0],
          ['logistics_outbox_consumers{activity="ACM"}', 0],
          ['logistics_feed_refused_lines{activity="ACM"}', 0],
          ['logistics_labels_unknown', 0],
        ]),
      );
    });

    it('tell what waits for whom and since when, and forget it when it is taken', async (t) => {
      const store = await open(t);
      const registry = new Registry();
      const state = createStateMetrics(registry, store);
      await store.records.submit(['ACM'], (unit) =>
        unit.write(article, 'ACM', [articleRecord('A1'), articleRecord('A2')], 'op'),
      );
      await state.refresh(10_000);
      const untaken = await samples(registry);
      assert.equal(untaken.get('logistics_outbox_waiting_entries{consumer="",activity="ACM"}'), 2);
      assert.ok((untaken.get('logistics_last_write_timestamp_seconds{activity="ACM"}') ?? 0) > 0);
      assert.ok(
        (untaken.get('logistics_outbox_oldest_waiting_timestamp_seconds{consumer="",activity="ACM"}') ?? 0) > 0,
      );
      await store.outbox.noteDelivered('wms', { ACM: 2 });
      await store.outbox.acknowledge('wms', { ACM: 1 });
      await state.refresh(10_000);
      const half = await samples(registry);
      assert.equal(half.get('logistics_outbox_waiting_entries{consumer="wms",activity="ACM"}'), 1);
      assert.equal(half.has('logistics_outbox_waiting_entries{consumer="",activity="ACM"}'), false);
      await store.outbox.acknowledge('wms', { ACM: 2 });
      await state.refresh(10_000);
      const done = await samples(registry);
      assert.equal(done.get('logistics_outbox_waiting_entries{consumer="wms",activity="ACM"}'), 0);
      assert.equal(done.has('logistics_outbox_oldest_waiting_timestamp_seconds{consumer="wms",activity="ACM"}'), false);
    });

    it('show the consumers of an activity that are furthest behind, and how many there are', async (t) => {
      const store = await open(t);
      const registry = new Registry();
      await store.records.submit(['ACM'], (unit) =>
        unit.write(
          article,
          'ACM',
          Array.from({ length: 60 }, (_, index) => articleRecord(`A${index}`)),
          'op',
        ),
      );
      for (let index = 0; index < 50; index += 1) {
        await store.outbox.noteDelivered(`c${index}`, { ACM: 60 });
        await store.outbox.acknowledge(`c${index}`, { ACM: 60 - index });
      }
      await createStateMetrics(registry, store).refresh(10_000);
      const shown = await samples(registry);
      assert.equal(shown.get('logistics_outbox_consumers{activity="ACM"}'), 50);
      assert.deepEqual([...shown.keys()].filter((name) => name.startsWith('logistics_outbox_waiting')).length, 20);
      assert.equal(shown.get('logistics_outbox_waiting_entries{consumer="c49",activity="ACM"}'), 49);
      assert.equal(shown.has('logistics_outbox_waiting_entries{consumer="c3",activity="ACM"}'), false);
    });

    it('tell of when the latest stock image is, once it can be seen', async (t) => {
      const store = await open(t);
      const registry = new Registry();
      const state = createStateMetrics(registry, store);
      const name = 'logistics_stock_image_timestamp_seconds{activity="ACM"}';
      for (const [at, seen] of [
        [60_000, 60],
        [120_000, 120],
        [90_000, 120],
      ] as const) {
        const draft = await store.images.draft(articleStock, 'ACM', at);
        await state.refresh(200_000);
        const before = (await samples(registry)).get(name);
        assert.notEqual(before, at / 1000);
        await draft.publish();
        await state.refresh(200_000);
        assert.equal((await samples(registry)).get(name), seen);
      }
    });

    it('tell when the last message of a feed came, of the feeds that sent something last', async (t) => {
      const store = await open(t);
      const registry = new Registry();
      const message = { activity: 'ACM', channel: 'http', source: null, messageId: null, sequence: null } as const;
      for (let feed = 0; feed < 25; feed += 1) {
        const begun = await store.feeds.begin(article, {
          ...message,
          ...{ feed: `f${feed}`, requestKey: null, mapping: null, replayOf: null, actor: 'wms' },
        });
        assert.equal(begun.state, 'begun');
      }
      await createStateMetrics(registry, store).refresh(10_000);
      const shown = await samples(registry);
      assert.equal(shown.get('logistics_feeds{activity="ACM"}'), 25);
      const received = [...shown].filter(([name]) => name.startsWith('logistics_feed_last_message'));
      assert.equal(received.length, 20);
      const [newest] = (await store.feeds.list(['ACM'])).map(({ receivedAt }) => receivedAt).toSorted((a, b) => b - a);
      assert.ok(received.some(([, at]) => at === (newest ?? 0) / 1000));
    });

    it('count refused lines that wait, each activity for itself and up to a thousand', async (t) => {
      const store = await open(t);
      const registry = new Registry();
      const state = createStateMetrics(registry, store);
      await store.activities.add('BEL', 'Belloc');
      await store.activities.add('MAX', 'Maximum');
      await addRefusedLines(store, 'ACM', 1, 3);
      await addRefusedLines(store, 'MAX', 1, 1001);
      const counted = async (): Promise<readonly (number | undefined)[]> => {
        await state.refresh(10_000);
        const shown = await samples(registry);
        return ['ACM', 'BEL', 'MAX'].map((code) => shown.get(`logistics_feed_refused_lines{activity="${code}"}`));
      };
      assert.deepEqual(await counted(), [3, 0, 1000]);
      const audit: NewAuditEntry = {
        ...{ actorKind: 'command', actor: 'ops', subject: null, action: 'drop-feed-lines', activityCodes: ['ACM'] },
        ...{ target: null, operationId: null, outcome: 'accepted', address: null, details: null },
      };
      assert.equal(await store.feedLines.drop({ activity: 'ACM', message: 1 }, [1, 2], { actor: 'ops', audit }), 2);
      assert.deepEqual(await counted(), [1, 0, 1000]);
    });

    it('count refused lines along an index, whatever else there is', async (t) => {
      const store = await open(t);
      const plans: string[] = [];
      store.tellSlowStatements({ overMs: 0.000_001, tell: ({ plan }) => void plans.push(plan ?? '') });
      await store.feedLines.waiting(['ACM']);
      for (let times = 0; plans.length === 0 && times < 1000; times += 1) await pause(10);
      // PostgreSQL reads a table without rows from its start.
      if (store.engine.dialect === 'sqlite')
        assert.match(plans.join(), /SEARCH feed_line USING COVERING INDEX \S+ \(owner=\? AND state=\?\)/);
    });

    it('are empty, not old, when storage cannot be read', async (t) => {
      const store = await open(t);
      const registry = new Registry();
      let away = false;
      const consumers = async (): ReturnType<Store['outbox']['consumers']> =>
        away ? Promise.reject(new Error('away')) : store.outbox.consumers();
      const state = createStateMetrics(registry, {
        activities: store.activities,
        images: store.images,
        feeds: store.feeds,
        feedLines: store.feedLines,
        labels: store.labels,
        outbox: { ...store.outbox, consumers },
      });
      await state.refresh(10_000);
      assert.notEqual((await samples(registry)).size, 0);
      away = true;
      await assert.rejects(state.refresh(20_000), /away/);
      assert.deepEqual([...(await samples(registry))], []);
    });
  });
}

describe('the page on operation', { skip: provenWithoutServer }, () => {
  it('lists every metric of ours', async (t) => {
    const [engine] = allEngines.filter(({ skip }) => skip === false);
    assert.ok(engine !== undefined);
    const database = await engine.create(() => 5000);
    const store = await storeOn(await database.open());
    t.after(async () => {
      await store.close();
      await database.remove();
    });
    const { registry, watchLoad } = createMetrics({ process: false, program: { version: '1.2.3', commit: null } });
    watchLoad(() => ({ running: 0, waiting: 0, bytesInFlight: 0 }));
    createStateMetrics(registry, store);
    createCarrierMetrics(registry);
    createTaskMetrics(registry);
    createRetentionMetrics(registry);
    createLongReadMetrics(registry, store.longReads);
    createConnectionMetrics(registry, store.refusedConnections);
    createDiskMetrics(registry, []);
    createReplicaMetrics(registry, null);
    const page = readFileSync(new URL('../../docs/operation.md', import.meta.url), 'utf8');
    const listed = [...page.matchAll(/^\| `([a-z]\w+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(listed.toSorted(), (await registry.getMetricsAsJSON()).map(({ name }) => name).toSorted());
  });
});

describe('the metrics of disks', { skip: provenWithoutServer }, () => {
  it('tell what is free and how large a disk is, and nothing of a folder that is not there', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const registry = new Registry();
    const disks = createDiskMetrics(
      registry,
      watchedFolders({
        dataDir: folder,
        feedFolder: join(folder, 'missing'),
        databaseUrl: null,
        documentsUrl: null,
      }),
    );
    await disks.refresh();
    const shown = await samples(registry);
    const [free = -1, size = -1] = ['free', 'size'].map((name) =>
      shown.get(`logistics_disk_${name}_bytes{place="data"}`),
    );
    assert.ok(free >= 0 && size > 0 && free <= size, `${free} of ${size}`);
    assert.deepEqual(
      [...shown.keys()].filter((name) => name.includes('feeds')),
      [],
    );
    rmSync(folder, { recursive: true });
    await disks.refresh();
    assert.deepEqual([...(await samples(registry))], []);
  });

  it('are of the folders in which the server keeps something', () => {
    const folders = { dataDir: '/data', feedFolder: null, databaseUrl: 'postgres://x', documentsUrl: 's3://x' };
    assert.deepEqual(watchedFolders(folders), []);
    assert.deepEqual(watchedFolders({ ...folders, documentsUrl: null }), [{ name: 'data', folder: '/data' }]);
    assert.deepEqual(watchedFolders({ ...folders, feedFolder: '/feeds' }), [{ name: 'feeds', folder: '/feeds' }]);
  });
});

describe('the metrics of work', { skip: provenWithoutServer }, () => {
  it('count calls of carriers by host and outcome, those without an answer too', async () => {
    const registry = new Registry();
    const count = createCarrierMetrics(registry);
    const call = { host: 'carrier.example', method: 'POST', attempt: 1, failure: null };
    count({ ...call, status: 200, milliseconds: 300 });
    count({ ...call, status: 503, milliseconds: 20 });
    count({ ...call, status: null, milliseconds: 15_000, failure: 'no answer' });
    const found = await samples(registry);
    for (const [outcome, seconds] of [
      ['2xx', 0.3],
      ['5xx', 0.02],
      ['none', 15],
    ] as const) {
      assert.equal(
        found.get(`logistics_carrier_call_duration_seconds_sum{host="carrier.example",outcome="${outcome}"}`),
        seconds,
      );
    }
    const last = found.get('logistics_carrier_calls_last_failure_timestamp_seconds{host="carrier.example"}');
    assert.ok(Date.now() / 1000 - (last ?? 0) < 60);
  });

  it('tell of long reads what is so when they are asked for, and count the ended ones once', async () => {
    const registry = new Registry();
    let now = { running: 2, waiting: 5, ended: 3 };
    createLongReadMetrics(registry, () => now);
    for (const _time of ['once', 'twice']) {
      assert.deepEqual([...(await samples(registry)).values()], [2, 5, 3]);
    }
    now = { running: 0, waiting: 0, ended: 4 };
    assert.deepEqual([...(await samples(registry)).values()], [0, 0, 4]);
  });

  it('count failed rounds by the words of the log', async () => {
    const registry = new Registry();
    const count = createTaskMetrics(registry);
    count('old stock images could not be removed');
    count('old stock images could not be removed');
    assert.equal(
      (await samples(registry)).get('logistics_task_failures_total{failure="old stock images could not be removed"}'),
      2,
    );
  });
});
