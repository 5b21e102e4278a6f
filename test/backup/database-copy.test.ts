// A backup of each engine restored into each engine: every row of every table is the same, and nothing half is ever
// taken for whole.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { makeBackup } from '../../src/backup/backup.ts';
import type { Manifest } from '../../src/backup/manifest.ts';
import { checkBackup, restoreBackup } from '../../src/backup/restore.ts';
import { createDiskStorage } from '../../src/documents/disk.ts';
import { documentName } from '../../src/documents/names.ts';
import type { DocumentStorage } from '../../src/documents/storage.ts';
import type { Engine, Row } from '../../src/store/engine.ts';
import { sql } from '../../src/store/statement.ts';
import { addCopiedRows, copiedRows, type StoredTable, storedTables } from '../../src/store/table-copy.ts';
import { type EngineUnderTest, enginePairs, engines } from '../contract/engines.ts';
import { Readable } from 'node:stream';

const nothing = (): void => undefined;
const epoch = 'the-database';

for (const [from, to] of enginePairs)
  describe(`a backup of ${from.name} restored into ${to.name}`, { skip: from.skip || to.skip }, () => {
    it('has every row of every table', async (t) => {
      const folder = temporary(t);
      const source = await filled(t, from);
      const documents = storageIn(join(folder, 'source'));
      const names = await keep(documents, 3);
      await nameDocuments(source, names);
      const manifest = await makeBackup(
        { engine: source, epoch, storage: documents, program: '9', onRows: nothing },
        join(folder, 'backup'),
      );
      assert.deepEqual(await checkBackup(join(folder, 'backup'), nothing), manifest);
      const target = await empty(t, to);
      const storage = storageIn(join(folder, 'target'));
      const how = { engine: target, storage, keepHistory: true, onRows: nothing };
      assert.equal(await restoreBackup(join(folder, 'backup'), manifest, how), 3);
      assert.deepEqual(await contents(target), await contents(source));
      assert.deepEqual(await indexesOf(target), await indexesOf(await filled(t, to)), 'and every index');
      for (const [index, name] of names.entries())
        assert.deepEqual(readFileSync(join(folder, 'target', name)), contentOf(index));
      await assert.rejects(restoreBackup(join(folder, 'backup'), manifest, how), /There is a database already/);
    });
  });

/** Definitions of all indexes. */
async function indexesOf({ read, dialect }: Engine): Promise<readonly string[]> {
  const found = await read(
    dialect === 'sqlite'
      ? sql`select sql from sqlite_schema where type = 'index' and sql is not null`
      : sql`select indexdef from pg_indexes where schemaname = current_schema()`,
  );
  return found.map(([definition]) => String(definition)).toSorted();
}

for (const engine of engines)
  describe(`a backup on ${engine.name}`, { skip: engine.skip }, () => {
    it('holds one instant, whatever is written meanwhile', {
      skip: !engine.parallel && 'one connection',
    }, async (t) => {
      const folder = temporary(t);
      const source = await filled(t, engine);
      const before = await contents(source);
      let written = 0;
      const waiting: Promise<unknown>[] = [];
      // Written while the backup has begun and most tables are still to come.
      const onRows = (): void => {
        written += 1;
        waiting.push(source.writeOnce(sql`update activity set last_change = last_change + 1`));
        waiting.push(source.writeOnce(sql`delete from user_account`));
      };
      const manifest = await makeBackup(
        { engine: source, epoch, storage: null, program: '9', onRows },
        join(folder, 'b'),
      );
      await Promise.all(waiting);
      assert.ok(written > 10);
      assert.notDeepEqual(await contents(source), before);
      const target = await empty(t, engine);
      const storage = storageIn(join(folder, 'target'));
      await restoreBackup(join(folder, 'b'), manifest, { engine: target, storage, keepHistory: true, onRows: nothing });
      assert.deepEqual(await contents(target), before);
    });

    it('restored by two at once is restored by one of them', {
      skip: !engine.parallel && 'one connection',
    }, async (t) => {
      const { folder, manifest } = await backedUp(t, engine);
      const database = await engine.createEmpty();
      t.after(() => database.remove());
      const both = [await database.open(), await database.open()];
      t.after(async () => {
        for (const each of both) await each.close();
      });
      const storage = storageIn(join(folder, 'target'));
      const results = await Promise.allSettled(
        both.map((each) =>
          restoreBackup(join(folder, 'backup'), manifest, {
            engine: each,
            storage,
            keepHistory: true,
            onRows: nothing,
          }),
        ),
      );
      assert.deepEqual(results.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    });

    it('begins a new history unless the old one goes on', async (t) => {
      const { folder, manifest } = await backedUp(t, engine);
      const target = await empty(t, engine);
      const storage = storageIn(join(folder, 'target'));
      await restoreBackup(join(folder, 'backup'), manifest, {
        ...{ engine: target, storage, keepHistory: false, onRows: nothing },
      });
      const [row] = await target.read(sql`select min(last_change), min(last_id) from activity`);
      assert.ok(Number(row?.[0]) > 1_000_000_000 && Number(row?.[1]) > 10_000_000);
    });

    it('leaves nothing where a restore fails half way, and the same again is whole', async (t) => {
      const { folder, manifest } = await backedUp(t, engine);
      const target = await empty(t, engine);
      const storage = storageIn(join(folder, 'target'));
      const how = { engine: target, storage, keepHistory: true, onRows: nothing };
      for (const dieAt of [1, 5, 20]) {
        let told = 0;
        const onRows = (): void => {
          told += 1;
          if (told === dieAt) throw new Error('killed');
        };
        await assert.rejects(restoreBackup(join(folder, 'backup'), manifest, { ...how, onRows }), /killed/);
        assert.deepEqual(await storedTables(target.read), [], `at ${dieAt}`);
      }
      await restoreBackup(join(folder, 'backup'), manifest, how);
      assert.ok((await contents(target)).size > 10);
    });
  });

describe('an archive', () => {
  const [engine] = engines;
  it('is refused where a byte, a line or a file is not as it was', async (t) => {
    assert.ok(engine);
    const made = await backedUp(t, engine);
    const folder = join(made.folder, 'backup');
    const table = made.manifest.tables.find(({ name }) => name === 'article');
    const list = made.manifest.documents;
    assert.ok(table && list);
    const [document = ''] = readFileSync(join(folder, list.path), 'utf8').split('\n');
    const documentPath = join('documents', String(JSON.parse(document).name));
    const spoilt: readonly (readonly [string, (bytes: Buffer) => Buffer | null])[] = [
      [table.path, (bytes) => bytes.subarray(0, -1)],
      [table.path, (bytes) => flipped(bytes)],
      [table.path, () => null],
      [table.path, () => Buffer.alloc(0)],
      [table.path, (bytes) => gzipSync(gunzipSync(bytes).toString().split('\n').slice(1).join('\n'))],
      [list.path, (bytes) => bytes.subarray(0, 10)],
      [documentPath, (bytes) => flipped(bytes)],
      [documentPath, () => null],
      ['manifest.json', (bytes) => bytes.subarray(0, -20)],
      ['manifest.json', () => Buffer.from('{}')],
      ['manifest.json', (bytes) => Buffer.from(bytes.toString().replaceAll('"tables/', '"../tables/'))],
      ['manifest.json', () => null],
    ];
    for (const [path, spoil] of spoilt) {
      const file = join(folder, path);
      const good = readFileSync(file);
      const bad = spoil(good);
      if (bad === null) rmSync(file);
      else writeFileSync(file, bad);
      await assert.rejects(checkBackup(folder, nothing), /damaged|missing|no whole backup/, path);
      writeFileSync(file, good);
    }
    await checkBackup(folder, nothing);
  });

  it('is refused where a newer version wrote it, or with the tables of another one', async (t) => {
    assert.ok(engine);
    const made = await backedUp(t, engine);
    const folder = join(made.folder, 'backup');
    const file = join(folder, 'manifest.json');
    const good = readFileSync(file, 'utf8');
    writeFileSync(file, JSON.stringify({ ...made.manifest, steps: [...made.manifest.steps, '0999-later'] }));
    await assert.rejects(checkBackup(folder, nothing), /newer version of the program.*0999-later/);
    writeFileSync(file, good);
    const target = await empty(t, engine);
    const how = { engine: target, storage: storageIn(join(made.folder, 'x')), keepHistory: true, onRows: nothing };
    const lacking = { ...made.manifest, tables: made.manifest.tables.slice(1) };
    await assert.rejects(restoreBackup(folder, lacking, how), /not those of the version/);
    const older = { ...made.manifest, steps: made.manifest.steps.slice(0, 2) };
    await assert.rejects(restoreBackup(folder, older, how), /not those of the version/);
    assert.deepEqual(await storedTables(target.read), []);
  });

  it('is never written over, and is readable by its owner alone', async (t) => {
    assert.ok(engine);
    const made = await backedUp(t, engine);
    const folder = join(made.folder, 'backup');
    const source = await filled(t, engine);
    const own = { engine: source, epoch, storage: null, program: '9', onRows: nothing };
    await assert.rejects(makeBackup(own, folder), /is there already/);
    const modes = readdirSync(made.folder, { recursive: true, withFileTypes: true })
      .filter(({ parentPath }) => parentPath.startsWith(folder))
      .map((entry) => (statSync(join(entry.parentPath, entry.name)).mode & 0o777).toString(8));
    assert.deepEqual([...new Set(modes)].toSorted(), ['600', '700']);
    const failing = { ...own, onRows: () => assert.fail('full') };
    await assert.rejects(makeBackup(failing, join(made.folder, 'second')), /full/);
    assert.deepEqual(
      readdirSync(made.folder).filter((name) => name.startsWith('second')),
      [],
    );
  });

  it('notes document files that are not in their storage', async (t) => {
    assert.ok(engine);
    const folder = temporary(t);
    const source = await filled(t, engine);
    const storage = storageIn(join(folder, 'source'));
    const [lost = '', kept = ''] = await keep(storage, 2);
    await nameDocuments(source, [lost, kept, kept]);
    await storage.remove(lost);
    const manifest = await makeBackup(
      { engine: source, epoch, storage, program: '9', onRows: nothing },
      join(folder, 'b'),
    );
    assert.deepEqual([manifest.missingDocuments, manifest.documents?.lines], [[lost], 1]);
    await checkBackup(join(folder, 'b'), nothing);
  });
});

function flipped(bytes: Buffer): Buffer {
  const at = Math.floor(bytes.length / 2);
  return Buffer.concat([bytes.subarray(0, at), Buffer.from([(bytes[at] ?? 0) ^ 1]), bytes.subarray(at + 1)]);
}

async function backedUp(
  t: TestContext,
  engine: EngineUnderTest,
): Promise<{ readonly folder: string; readonly manifest: Manifest }> {
  const folder = temporary(t);
  const source = await filled(t, engine);
  const storage = storageIn(join(folder, 'source'));
  await nameDocuments(source, await keep(storage, 2));
  const own = { engine: source, epoch, storage, program: '9', onRows: nothing };
  return { folder, manifest: await makeBackup(own, join(folder, 'backup')) };
}

function temporary(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'backup-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function empty(t: TestContext, engine: EngineUnderTest): Promise<Engine> {
  const database = await engine.createEmpty();
  t.after(() => database.remove());
  const opened = await database.open();
  t.after(() => opened.close());
  return opened;
}

/** A database with rows in every table, whatever they mean; documents are named by none of them yet. */
async function filled(t: TestContext, engine: EngineUnderTest): Promise<Engine> {
  const database = await engine.create();
  t.after(() => database.remove());
  const opened = await database.open();
  t.after(() => opened.close());
  for (const table of await storedTables(opened.read))
    await opened.write((transaction) =>
      addCopiedRows(
        transaction,
        table,
        Array.from({ length: rowsOf(table) }, (_, row) => table.columns.map((column) => cellOf(column, row))),
      ),
    );
  return opened;
}

/** Of one table more than are copied at a time. */
function rowsOf({ name }: StoredTable): number {
  return name === 'article' ? 1_203 : 4;
}

/** Each differs from all others of its column; texts that lines of JSON may trip over. */
function cellOf({ name, type }: StoredTable['columns'][number], row: number): string | number {
  if (name === 'stored_as') return 'none';
  if (name === 'last_change' || name === 'last_id') return 5 + row;
  // PostgreSQL has an index of what is in it.
  if (name === 'activity_codes') return JSON.stringify([`${row} \u2028 "`]);
  if (type === 'integer') return row % 2 === 0 ? 9_000_000_000_000_000 + row : -row;
  if (type === 'decimal') return row / 3 + 1e-7;
  return `${row} "a'\\ \u2028\n\t é 倉 😀 \u{10ffff} ${'x'.repeat(row % 90)}`;
}

async function nameDocuments(engine: Engine, names: readonly string[]): Promise<void> {
  const [first = '', second = first, third = first] = names;
  await engine.writeOnce(sql`update order_document set stored_as = ${first}`);
  await engine.writeOnce(sql`update label_file set stored_as = ${second} where size < 0`);
  await engine.writeOnce(sql`update label_file set stored_as = ${third} where size >= 0`);
}

function storageIn(folder: string): DocumentStorage {
  return createDiskStorage({ folder, database: epoch, failed: nothing });
}

async function keep(storage: DocumentStorage, count: number): Promise<readonly string[]> {
  const names: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const name = documentName('ACM', 'pdf', Date.UTC(2026, index));
    const received = await storage.receive(Readable.from([contentOf(index)]), { size: 1_000_000 });
    await received.keep(name);
    names.push(name);
  }
  return names;
}

function contentOf(index: number): Buffer {
  return Buffer.alloc(100_000, `document ${index} `);
}

/** All rows by table, in an order of their own. */
async function contents(engine: Engine): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = new Map<string, readonly string[]>();
  for (const table of await storedTables(engine.read)) {
    const rows: readonly Row[] = await engine.read(copiedRows(table, { activity: null }));
    found.set(table.name, rows.map((row) => JSON.stringify(row)).toSorted());
  }
  return found;
}
