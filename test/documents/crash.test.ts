import assert from 'node:assert/strict';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { createInterface } from 'node:readline';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createDiskStorage } from '../../src/documents/disk.ts';
import type { DocumentStorage } from '../../src/documents/storage.ts';
import { sweepDocuments } from '../../src/documents/sweep.ts';
import { leftovers, namesOf } from './contract.ts';

describe('a process that is killed', { timeout: 900_000 }, () => {
  for (const step of ['arriving', 'received']) {
    it(`leaves no document when its last was ${step}, only what the sweep removes`, async (t) => {
      const { folder, incomingFolder, storage } = openFolder(t);
      const child = start(folder, step);
      for await (const line of createInterface(child.stdout)) {
        assert.equal(line, step);
        child.kill('SIGKILL');
      }
      assert.deepEqual(await namesOf(storage), []);
      assert.equal(leftovers({ incomingFolder }).length, 1);
      assert.deepEqual(await sweep(storage, []), { files: 0, leftovers: 1 });
      assert.deepEqual(leftovers({ incomingFolder }), []);
    });
  }

  it('leaves every document that it kept, whole, and no half one, whenever that is', async (t) => {
    const { folder, incomingFolder, storage } = openFolder(t);
    const hashes = new Map<string, string>();
    const kept = new Set<string>();
    for (let round = 0; round < 12; round += 1) {
      const child = start(folder, 'killed');
      let killed = false;
      for await (const line of createInterface(child.stdout)) {
        const [what, name = '', hash] = line.split(' ');
        if (what === 'begun' && hash !== undefined) hashes.set(name, hash);
        if (what !== 'kept') continue;
        kept.add(name);
        if (!killed) setTimeout(() => child.kill('SIGKILL'), round * 37);
        killed = true;
      }
    }
    const names = await namesOf(storage);
    for (const name of kept) assert.ok(names.includes(name), `${name} was kept and is lost`);
    for (const name of names)
      assert.equal(
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex'),
        hashes.get(name),
        `${name} is not whole`,
      );
    const orphans = names.filter((name) => !kept.has(name)).length;
    const left = leftovers({ incomingFolder }).length;
    t.diagnostic(`${kept.size} kept, ${orphans} kept unnoticed, ${left} left over`);
    assert.deepEqual(await sweep(storage, [...kept]), { files: orphans, leftovers: left });
    assert.deepEqual((await namesOf(storage)).toSorted(), [...kept].toSorted());
    assert.deepEqual(leftovers({ incomingFolder }), []);
  });
});

function sweep(storage: DocumentStorage, rows: readonly string[]): ReturnType<typeof sweepDocuments> {
  return sweepDocuments({
    storage,
    known: async (names) => new Set(names.filter((name) => rows.includes(name))),
    now: Date.now() + 3_700_000,
  });
}

function start(folder: string, until: string): ChildProcessByStdio<null, Readable, null> {
  const script = fileURLToPath(new URL('crash-child.ts', import.meta.url));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', script, folder, until], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  once(child, 'exit').catch(() => undefined);
  return child;
}

function openFolder(t: TestContext): {
  readonly folder: string;
  readonly incomingFolder: string;
  readonly storage: DocumentStorage;
} {
  const dataDir = mkdtempSync(join(tmpdir(), 'documents-'));
  t.after(() => rmSync(dataDir, { recursive: true }));
  const folder = join(dataDir, 'documents');
  const incomingFolder = join(folder, '.incoming');
  return {
    folder,
    incomingFolder,
    storage: createDiskStorage({
      folder,
      database: 'ours',
      failed: (error) => {
        throw error;
      },
    }),
  };
}
