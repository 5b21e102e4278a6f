// An export of an activity imported into another database, from each engine into each engine: every row that belongs to
// it is the same, and nothing of others comes along.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { exportActivity } from '../../src/backup/activity-export.ts';
import { checkExport, importActivity } from '../../src/backup/activity-import.ts';
import type { Manifest } from '../../src/backup/manifest.ts';
import { createDiskStorage } from '../../src/documents/disk.ts';
import { resources } from '../../src/resources/index.ts';
import { activityTables } from '../../src/store/activity-copy.ts';
import type { Engine } from '../../src/store/engine.ts';
import { sql } from '../../src/store/statement.ts';
import { addCopiedRows, copiedRows, type StoredTable, storedTables } from '../../src/store/table-copy.ts';
import { type EngineUnderTest, enginePairs, engines } from '../contract/engines.ts';
import { auditEntry, killedDetails, wholeTrail } from '../contract/audit.ts';
import { openedStore, type OpenedStore } from '../contract/opened-store.ts';
import { leftToServer } from '../contract/rounds.ts';

const nothing = (): void => undefined;

for (const [from, to] of enginePairs)
  describe(`an activity exported from ${from.name} into ${to.name}`, {
    skip: from.skip || to.skip || leftToServer(from) || leftToServer(to),
  }, () => {
    it('is the same in every row, and its records in every byte', async (t) => {
      const source = await opened(t, from);
      await fill(source.engine, ['ACM', 'BIO']);
      const target = await opened(t, to, ['OLD']);
      const folder = temporary(t);
      const manifest = await exported(source, join(folder, 'acm'));
      assert.deepEqual(await checkExport(join(folder, 'acm'), 'ACM', nothing), manifest);
      await imported(target, join(folder, 'acm'), manifest, folder);
      assert.deepEqual(await contents(target.engine, 'ACM'), await contents(source.engine, 'ACM'));
      assert.equal((await contents(target.engine, 'BIO')).get('article')?.length, 0);
      // Exported again it gives the same files.
      const again = await exported(target, join(folder, 'again'));
      assert.deepEqual(
        [again.records, again.tables, again.counters],
        [manifest.records, manifest.tables, manifest.counters],
      );
      await assert.rejects(imported(target, join(folder, 'acm'), manifest, folder), /is there and has data/);
    });
  });

for (const engine of engines)
  describe(`the export of an activity on ${engine.name}`, { skip: engine.skip }, () => {
    it('is completed by the same import where one was killed, and is not seen before', async (t) => {
      const source = await opened(t, engine);
      await fill(source.engine, ['ACM']);
      const folder = temporary(t);
      const manifest = await exported(source, join(folder, 'acm'));
      const target = await opened(t, engine, ['OLD']);
      for (const dieAt of [1, 4, 9]) {
        let told = 0;
        const onRows = (): void => {
          told += 1;
          if (told === dieAt) throw new Error('killed');
        };
        await assert.rejects(imported(target, join(folder, 'acm'), manifest, folder, onRows), /killed/);
        assert.deepEqual(
          (await target.store.activities.list()).map(({ code }) => code),
          ['OLD'],
        );
      }
      await imported(target, join(folder, 'acm'), manifest, folder);
      assert.deepEqual(await contents(target.engine, 'ACM'), await contents(source.engine, 'ACM'));
    });

    it('is seen together with its entry in the audit trail, or not at all', async (t) => {
      const source = await opened(t, engine);
      await fill(source.engine, ['ACM']);
      const folder = temporary(t);
      const manifest = await exported(source, join(folder, 'acm'));
      const target = await opened(t, engine, ['OLD']);
      const seen = async () => [
        (await target.store.activities.list()).map(({ code }) => code),
        (await target.store.audit.read(wholeTrail)).map(({ action }) => action),
      ];
      await assert.rejects(imported(target, join(folder, 'acm'), manifest, folder, nothing, killedDetails), /killed/);
      assert.deepEqual(await seen(), [['OLD'], []]);
      await imported(target, join(folder, 'acm'), manifest, folder);
      assert.deepEqual(await seen(), [['ACM', 'OLD'], ['activity.import']]);
    });

    it('is refused where its ids are those of another activity, or it is not whole', async (t) => {
      const source = await opened(t, engine);
      await fill(source.engine, ['ACM']);
      const folder = temporary(t);
      const manifest = await exported(source, join(folder, 'acm'));
      const same = await opened(t, engine, ['OLD', 'NEW']);
      await same.engine.writeOnce(sql`update activity set number = 7 where code = 'NEW'`);
      await assert.rejects(imported(same, join(folder, 'acm'), manifest, folder), /are those that NEW gives out here/);
      assert.equal((await contents(same.engine, 'ACM')).get('article')?.length, 0);
      await assert.rejects(checkExport(join(folder, 'acm'), 'BIO', nothing), /is of the activity ACM, not of BIO/);
      const later = { ...manifest, steps: manifest.steps.slice(1) };
      await assert.rejects(imported(same, join(folder, 'acm'), later, folder), /written by version 9, whose tables/);
      const file = join(folder, 'acm', 'orders.ndjson');
      writeFileSync(file, readFileSync(file, 'utf8').replace('1', '2'));
      await assert.rejects(checkExport(join(folder, 'acm'), 'ACM', nothing), /orders\.ndjson is damaged/);
      const some = { activity: 'ACM', resources, wanted: ['orders'], compress: true };
      const partial = await exportActivity(archiveSource(source), join(folder, 'some'), some);
      assert.deepEqual(
        partial.records.map(({ path }) => path),
        ['orders.ndjson.gz'],
      );
      await assert.rejects(checkExport(join(folder, 'some'), 'ACM', nothing), /holds some resources only/);
    });

    it('has no secrets, no drafts and no withdrawn records, but what feeds said of images', async (t) => {
      const source = await opened(t, engine);
      await fill(source.engine, ['ACM']);
      const folder = join(temporary(t), 'acm');
      const manifest = await exported(source, folder);
      const table = (name: string): string => readFileSync(join(folder, 'tables', `${name}.ndjson`), 'utf8');
      assert.doesNotMatch(table('carrier_account'), /the secret/);
      assert.deepEqual(
        [...table('stock_image').matchAll(/"(draft|withdrawn|repeated)"/g)].map(([, state]) => state).toSorted(),
        ['repeated', 'withdrawn'],
      );
      const lines = (name: string): number =>
        manifest.records.find(({ resource }) => resource === name)?.lines ?? Number.NaN;
      assert.deepEqual([lines('orders'), lines('stock'), lines('procurement-reports')], [3, 3, 3]);
      for (const line of readFileSync(join(folder, 'procurement-reports.ndjson'), 'utf8').trim().split('\n'))
        assert.equal(typeof JSON.parse(line).uniqueProcurementID, 'string');
    });
  });

async function opened(
  t: TestContext,
  engineUnderTest: EngineUnderTest,
  codes = ['X', 'ACM', 'BIO'],
): Promise<OpenedStore> {
  const made = await openedStore(t, engineUnderTest, ...codes.map((code) => [code, code] as const));
  await made.engine.writeOnce(sql`
    update activity set number = 7, last_change = 1000, last_id = 2000, last_write_at = 3000 where code = 'ACM'
  `);
  return made;
}

function archiveSource({ engine, store }: OpenedStore) {
  return { engine, epoch: store.epoch, storage: null, program: '9', onRows: nothing };
}

function exported(source: OpenedStore, folder: string): Promise<Manifest> {
  return exportActivity(archiveSource(source), folder, { activity: 'ACM', resources, wanted: null, compress: false });
}

async function imported(
  { engine, store }: OpenedStore,
  folder: string,
  manifest: Manifest,
  documents: string,
  onRows: () => void = nothing,
  details: unknown = null,
): Promise<void> {
  const storage = createDiskStorage({ folder: join(documents, 'files'), database: store.epoch, failed: nothing });
  const { activityRemoval } = store;
  const audit = { ...auditEntry('activity.import'), details };
  await importActivity(folder, manifest, { engine, activityRemoval, storage, resources, now: 5, audit, onRows });
}

/** Rows in every table that belongs to activities; one record is withdrawn, one image a draft, two notes of feeds. */
async function fill(engine: Engine, activities: readonly string[]): Promise<void> {
  for (const activity of activities)
    for (const { table } of activityTables(await storedTables(engine.read), activity)) {
      const rows = Array.from({ length: table.name === 'stock_image' ? 6 : 4 }, (_, row) =>
        table.columns.map((column) => cellOf(activity, table, column, row)),
      );
      await engine.write((transaction) => addCopiedRows(transaction, table, rows));
    }
}

function cellOf(
  activity: string,
  { name: table }: StoredTable,
  { name, type }: StoredTable['columns'][number],
  row: number,
): string | number | null {
  if (name === 'owner') return activity;
  if (name === 'withdrawn_at') return row === 3 ? 4 : null;
  if (table === 'stock_image' && name === 'state')
    return ['published', 'published', 'published', 'draft', 'withdrawn', 'repeated'][row] ?? '';
  if (name === 'body' && table !== 'outbox_entry')
    return JSON.stringify({ id: row, text: `"\u2028 é ${activity}`, n: 0.1 });
  if (name === 'key_id') return null;
  if (name === 'secrets') return activity === 'ACM' ? 'the secret' : null;
  if (type === 'integer') return 10 * row + 1;
  if (type === 'decimal') return row / 3;
  return `${row} ${activity} "\n\u2029`;
}

/** What belongs to an activity, by table, but for what an export leaves out. */
async function contents(engine: Engine, activity: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const { table, selection } of activityTables(await storedTables(engine.read), activity)) {
    const rows = await engine.read(copiedRows(table, selection));
    const copied = table.name === 'article_stock' ? rows.filter(([, image]) => !String(image).startsWith('3')) : rows;
    found.set(table.name, copied.map((row) => JSON.stringify(row)).toSorted());
  }
  return found;
}

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'activity-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
