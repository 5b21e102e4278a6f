// A sweep beside uploads that are still running: what is young enough to be theirs stays.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { maxDocumentBytes } from '../../src/api/upload-document.ts';
import { createDiskStorage } from '../../src/documents/disk.ts';
import { sweepDocuments, minSweepAgeMs } from '../../src/documents/sweep.ts';
import { defaultLimits } from '../../src/http/server.ts';
import { leftovers, namesOf, newName } from './contract.ts';

describe('a sweep', () => {
  it('leaves alone what is far older than the slowest upload may be', () => {
    const slowest = defaultLimits.requestTimeoutMs + (maxDocumentBytes / defaultLimits.minBodyBytesPerSecond) * 1000;
    assert.ok(slowest * 2 < minSweepAgeMs, `an upload may take ${slowest} ms`);
  });

  it('of another process leaves alone what arrives slowly, however long ago that began', async (t) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'documents-'));
    t.after(() => rmSync(dataDir, { recursive: true }));
    const folder = join(dataDir, 'documents');
    const incomingFolder = join(folder, '.incoming');
    const open = (): ReturnType<typeof createDiskStorage> =>
      createDiskStorage({
        folder,
        database: 'ours',
        failed: (error) => {
          throw error;
        },
      });
    const [mine, other] = [open(), open()];
    const sweep = (): ReturnType<typeof sweepDocuments> =>
      sweepDocuments({ storage: other, known: async () => new Set(), now: Date.now() });
    const content = new Readable({ read: () => undefined });
    const receiving = mine.receive(content, { size: 100 });
    while (leftovers({ incomingFolder }).length === 0) await pause(5);
    const path = join(incomingFolder, leftovers({ incomingFolder })[0] ?? '');
    for (let round = 0; round < 3; round += 1) {
      const longAgo = (Date.now() - 2 * minSweepAgeMs) / 1000;
      utimesSync(path, longAgo, longAgo);
      content.push(Buffer.from('x'));
      while (statSync(path).mtimeMs < Date.now() - minSweepAgeMs) await pause(5);
      assert.deepEqual(await sweep(), { files: 0, leftovers: 0 });
    }
    content.push(null);
    const name = newName();
    await (await receiving).keep(name);
    assert.deepEqual(await sweep(), { files: 0, leftovers: 0 });
    assert.deepEqual(await namesOf(other), [name]);
  });
});
