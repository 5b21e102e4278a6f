// A backup made while a migration adds columns ahead of its steps, or after it was interrupted: it is of the version of
// its steps, and can be restored.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeBackup } from '../../src/backup/backup.ts';
import type { Manifest } from '../../src/backup/manifest.ts';
import { restoreBackup } from '../../src/backup/restore.ts';
import { createDiskStorage } from '../../src/documents/disk.ts';
import { createActivities } from '../../src/store/activities.ts';
import type { Engine } from '../../src/store/engine.ts';
import { type Migration, migrate } from '../../src/store/migrate.ts';
import { migrations } from '../../src/store/migrations/index.ts';
import { sql } from '../../src/store/statement.ts';
import { addColumn } from '../../src/store/table-creation.ts';
import { type EngineUnderTest, enginePairs } from '../contract/engines.ts';

/** The step that adds an indexed column to refused lines, and what came before. */
const later = migrations.findIndex(({ name }) => name === '0011-feed-messages-kept');
const earlier = migrations.slice(0, later);
const column = { table: 'feed_line', name: 'resource', type: 'text', default: '' } as const;

for (const [from, to] of enginePairs)
  describe(`a backup of ${from.name} amid a migration, restored into ${to.name}`, {
    skip: from.skip || to.skip,
  }, () => {
    it('is of the version before, whoever made it', async (t) => {
      const source = await opened(t, from);
      await migrate(source, earlier);
      await createActivities(source).add('ACM', 'Acme');
      await interruptedMigration(source);
      const folder = temporary(t);
      const manifest = await backupOf(source, join(folder, 'this program'));
      assert.deepEqual(
        manifest.steps,
        earlier.map(({ name }) => name),
      );
      assert.ok(!hasColumn(manifest));
      await assertRestored(t, to, join(folder, 'this program'), manifest);

      // The earlier program knows nothing of steps to come, and takes the column for one of the table's.
      const made = await backupOf(await migratedFurther(source), join(folder, 'that program'));
      assert.ok(hasColumn(made));
      await assertRestored(t, to, join(folder, 'that program'), { ...made, steps: manifest.steps });
    });
  });

/** On SQLite nothing is added ahead: there the column is added as on PostgreSQL. */
async function interruptedMigration(engine: Engine): Promise<void> {
  const failing: Migration = { name: '9000-later', up: () => Promise.reject(new Error('interrupted')) };
  await assert.rejects(migrate(engine, [...migrations, failing]), /interrupted/);
  if (engine.dialect === 'sqlite') await engine.write(({ query }) => query(addColumn(column)));
}

/** The same database with its column, and with the step that adds it. */
async function migratedFurther(engine: Engine): Promise<Engine> {
  await engine.write(({ query }) =>
    query(sql`insert into migration (name, applied_at) values (${migrations[later]?.name ?? ''}, ${1})`),
  );
  return engine;
}

function hasColumn({ tables }: Manifest): boolean {
  return tables.some(({ name, columns }) => name === column.table && columns.some((each) => each.name === column.name));
}

async function assertRestored(
  t: TestContext,
  into: EngineUnderTest,
  folder: string,
  manifest: Manifest,
): Promise<void> {
  const engine = await opened(t, into);
  const storage = createDiskStorage({ folder: temporary(t), database: 'the-database', failed: () => undefined });
  await restoreBackup(folder, manifest, { engine, storage, keepHistory: true, onRows: () => undefined });
  assert.deepEqual(
    await migrate(engine),
    migrations.slice(later).map(({ name }) => name),
  );
  assert.deepEqual(await engine.read(sql`select code, name from activity`), [['ACM', 'Acme']]);
}

function backupOf(engine: Engine, folder: string): Promise<Manifest> {
  return makeBackup({ engine, epoch: 'the-database', storage: null, program: '9', onRows: () => undefined }, folder);
}

async function opened(t: TestContext, { createEmpty }: EngineUnderTest): Promise<Engine> {
  const database = await createEmpty();
  const engine = await database.open();
  t.after(async () => {
    await engine.close();
    await database.remove();
  });
  return engine;
}

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}
