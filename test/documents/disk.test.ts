import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDiskStorage } from '../../src/documents/disk.ts';
import { sweepDocuments } from '../../src/documents/sweep.ts';
import { Problem } from '../../src/model/problem.ts';
import { describeStorage, kept, leftovers, namesOf, newName, type Place, streamOf } from './contract.ts';

describeStorage('on disk', async (t) => openPlace(t));

describe('documents on disk that do not work', () => {
  it('tell the client that, and the log why, when the folder cannot be made', async (t) => {
    const { folder, storage, failures, ...place } = openPlace(t);
    writeFileSync(folder, 'a file where the folder should be');
    const content = streamOf(Buffer.from('document'));
    await assert.rejects(storage.receive(content, { size: 100 }), isUnavailable);
    assert.ok(content.destroyed);
    assert.equal(failures.length, 1);
    assert.match(String(failures[0]), /ENOTDIR|EEXIST/);
    assert.deepEqual(leftovers(place), []);
  });

  it('leave nothing behind when the document cannot be put under its name', async (t) => {
    const { folder, storage, failures, ...place } = openPlace(t);
    mkdirSync(folder);
    writeFileSync(join(folder, 'ACM'), 'in the way');
    const received = await storage.receive(streamOf(Buffer.from('document')), { size: 100 });
    await assert.rejects(received.keep(newName()), isUnavailable);
    assert.match(String(failures[0]), /ENOTDIR|EEXIST/);
    assert.deepEqual(leftovers(place), []);
    rmSync(join(folder, 'ACM'));
    assert.deepEqual(await namesOf(storage), []);
    await kept(storage, Buffer.from('now it works'));
  });

  it('are refused, and nothing stays, where uploads would take what the database needs', async (t) => {
    const [mib, gib] = [1_048_576, 1_073_741_824];
    for (const { size, reserve } of [
      { size: 1000 * gib, reserve: gib },
      { size: 10 * gib, reserve: gib / 2 },
    ]) {
      const { folder, ...place } = openPlace(t);
      const failures: unknown[] = [];
      const looks: number[] = [];
      const storage = createDiskStorage({
        ...{ folder, database: 'ours', failed: (error) => failures.push(error) },
        diskOf: async () => ({ free: looks.shift() ?? 0, size }),
      });
      const upload = (bytes: number) =>
        storage.receive(streamOf(Buffer.alloc(bytes)), { size: 20 * mib, leavesReserve: true });
      looks.push(reserve + mib, reserve);
      await (await upload(1.5 * mib)).discard();
      for (const [bytes, ...free] of [
        [100, reserve - 1],
        [1.5 * mib, reserve, reserve - 1],
      ] as const) {
        looks.push(...free);
        await assert.rejects(upload(bytes), isUnavailable);
        assert.match(String(failures.shift()), /MiB left: what arrives leaves \d+ MiB to the database/);
        assert.deepEqual(leftovers(place), []);
      }
      // What was paid for, as a label, is kept nevertheless.
      const label = await storage.receive(streamOf(Buffer.from('label')), { size: 100 });
      await label.keep(newName());
    }
  });

  it('leave nothing behind when a temporary file is gone', async (t) => {
    const { storage, failures, ...place } = openPlace(t);
    const received = await storage.receive(streamOf(Buffer.from('document')), { size: 100 });
    rmSync(place.incomingFolder, { recursive: true });
    await assert.rejects(received.keep(newName()), isUnavailable);
    assert.match(String(failures[0]), /ENOENT/);
    assert.deepEqual(await namesOf(storage), []);
  });

  it('are never half there when there is no room', () => {
    // A limit on the size of files is the one fault of a write that every machine can make.
    const script = fileURLToPath(new URL('full-disk.ts', import.meta.url));
    const { stdout, stderr, status } = spawnSync(
      'bash',
      ['-c', 'ulimit -f 512; exec "$0" --disable-warning=ExperimentalWarning "$1"', process.execPath, script],
      { encoding: 'utf8' },
    );
    assert.equal(status, 0, stderr);
    const [failure = '', ...left] = stdout.trim().split('\n');
    assert.match(failure, /^unavailable .*EFBIG/);
    assert.deepEqual(left, ['kept 0', 'left 0', 'small ones still fit']);
  });
});

describe('documents on disk', () => {
  it('can be read by nobody else', async (t) => {
    const { folder, storage, ...place } = openPlace(t);
    const name = await kept(storage, Buffer.from('document'));
    const waiting = await storage.receive(streamOf(Buffer.from('waiting')), { size: 100 });
    const parts = name.split('/');
    for (const path of [
      folder,
      place.incomingFolder,
      ...parts.slice(0, -1).map((_, index) => join(folder, ...parts.slice(0, index + 1))),
    ])
      assert.equal(statSync(path).mode & 0o777, 0o700, path);
    for (const path of [
      join(folder, name),
      join(folder, '.database'),
      join(place.incomingFolder, leftovers(place)[0] ?? ''),
    ])
      assert.equal(statSync(path).mode & 0o777, 0o600, path);
    await waiting.discard();
  });

  it('pass over what else lies in their folder', async (t) => {
    const { folder, storage, ...place } = openPlace(t);
    const name = await kept(storage, Buffer.from('document'));
    const month = join(folder, name, '..');
    for (const path of [
      join(folder, 'README'),
      join(folder, 'ACM', 'notes.txt'),
      join(month, 'invoice.pdf'),
      join(month, '.hidden'),
      join(place.incomingFolder, 'mine.part'),
    ]) {
      writeFileSync(path, 'of the operator');
      utimesSync(path, 1, 1);
    }
    mkdirSync(join(month, newName().split('/').at(-1) ?? ''));
    symlinkSync('/nowhere', join(month, newName().split('/').at(-1) ?? ''));
    assert.deepEqual(await namesOf(storage), [name]);
    const before = readdirSync(folder, { recursive: true }).length;
    assert.deepEqual(
      await sweepDocuments({ storage, known: async (names) => new Set(names), now: Date.now() + 10_000_000 }),
      { files: 0, leftovers: 0 },
    );
    assert.equal(readdirSync(folder, { recursive: true }).length, before);
  });

  it('belong to one database when two ask at once', async (t) => {
    for (let round = 0; round < 30; round += 1) {
      const { forDatabase, ...place } = openPlace(t);
      const names = ['one', 'two', 'three', 'four'];
      const answers = await Promise.all(names.map((name) => forDatabase(name).isOurs()));
      assert.equal(answers.filter((ours) => ours).length, 1);
      assert.deepEqual(await Promise.all(names.map((name) => forDatabase(name).isOurs())), answers);
      assert.deepEqual(leftovers(place), []);
    }
  });

  it('go on being swept when one of them cannot be removed', async (t) => {
    const { storage } = openPlace(t);
    const names = [
      await kept(storage, Buffer.from('a')),
      await kept(storage, Buffer.from('b')),
      await kept(storage, Buffer.from('c')),
    ];
    const stubborn = {
      ...storage,
      remove: async (name: string) => (name === names[1] ? Promise.reject(new Error('busy')) : storage.remove(name)),
    };
    await assert.rejects(
      sweepDocuments({ storage: stubborn, known: async () => new Set(), now: Date.now() + 10_000_000 }),
      (error) => error instanceof AggregateError && error.errors.length === 1,
    );
    assert.deepEqual(await namesOf(storage), [names[1]]);
    assert.equal((await buffer((await storage.open(names[1] ?? '')).stream)).toString(), 'b');
  });
});

/** Opens the folder of a test; made by the storage itself. */
function openPlace(t: TestContext): Place & { readonly folder: string } {
  const dataDir = mkdtempSync(join(tmpdir(), 'documents-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const folder = join(dataDir, 'documents');
  const incomingFolder = join(folder, '.incoming');
  const failures: unknown[] = [];
  const forDatabase = (database: string): Place['storage'] =>
    createDiskStorage({ folder, database, failed: (error) => failures.push(error) });
  return { folder, incomingFolder, failures, forDatabase, storage: forDatabase('ours') };
}

function isUnavailable(error: unknown): boolean {
  return (
    error instanceof Problem &&
    error.slug === 'unavailable' &&
    error.headers['Retry-After'] !== undefined &&
    !/E[A-Z]{4}/.test(error.detail)
  );
}
