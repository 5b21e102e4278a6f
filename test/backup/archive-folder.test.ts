// Archives that are written to the same place at once, or whose folder is taken away: whatever happens, an archive that
// is reported as made has every file that was written for it.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, promises, readdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { makeArchive, unfinishedArchives } from '../../src/backup/archive-folder.ts';
import { type Manifest, manifestName } from '../../src/backup/manifest.ts';

const manifest: Manifest = {
  ...{ format: 'logistics-connect archive', formatVersion: 1, kind: 'backup', program: '9', engine: 'sqlite' },
  ...{ epoch: 'the-database', createdAt: '2026-03-02T04:00:00.000Z', steps: [], activities: [], tables: [] },
  ...{ records: [], counters: null, series: [], documents: null, missingDocuments: [] },
};

/** Where an archive is to be made. */
function place(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'today');
}

function namesBeside(folder: string): readonly string[] {
  return readdirSync(join(folder, '..')).toSorted();
}

describe('the folder of an archive', () => {
  it('has the files of one run where two write to the same place, and the other run fails', async (t) => {
    const folder = place(t);
    const [secondIsWriting, firstIsDone] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const first = makeArchive(folder, async (part) => {
      writeFileSync(join(part, 'of the first'), '');
      await secondIsWriting.promise;
      writeFileSync(join(part, 'of the first, later'), '');
      return manifest;
    });
    const second = makeArchive(folder, async (part) => {
      writeFileSync(join(part, 'of the second'), '');
      secondIsWriting.resolve();
      await firstIsDone.promise;
      return manifest;
    });
    const results = Promise.allSettled([first.finally(firstIsDone.resolve), second]);
    await assert.rejects(second, /today is there already/);
    assert.deepEqual(
      (await results).map(({ status }) => status),
      ['fulfilled', 'rejected'],
    );
    assert.deepEqual(readdirSync(folder).toSorted(), [manifestName, 'of the first', 'of the first, later']);
    assert.deepEqual(namesBeside(folder), ['today']);
  });

  it('is not called whole where it was removed and begun anew meanwhile', async (t) => {
    const folder = place(t);
    const made = makeArchive(folder, async (part) => {
      rmSync(part, { recursive: true });
      mkdirSync(part);
      return manifest;
    });
    await assert.rejects(made, /\.part was removed while the archive was written to it/);
    assert.deepEqual(namesBeside(folder), []);
  });

  it('replaces what a killed run left, and nothing that may still be written', async (t) => {
    const folder = place(t);
    const left = ['00000001', '00000002'].map((name) => `${folder}.${name}.part`);
    const others = [`${folder}.part`, `${folder}-2.00000001.part`, `${folder}.notes.part`];
    for (const path of [...left, ...others]) {
      mkdirSync(join(path, 'tables'), { recursive: true });
      writeFileSync(join(path, 'tables/article.ndjson.gz'), '');
      // All but one were last dated an hour ago.
      const dated = Date.now() / 1000 - (path === left[1] ? 60 : 3600);
      utimesSync(path, dated, dated);
    }
    await makeArchive(folder, async () => manifest);
    assert.deepEqual(namesBeside(folder), [folder, left[1] ?? '', ...others].map((path) => basename(path)).toSorted());
    assert.deepEqual((await unfinishedArchives(folder)).toSorted(), [left[1] ?? '', `${folder}.part`].toSorted());
  });

  it('is made though what a killed run left cannot be removed, or another run removes it at that moment', async (t) => {
    const folder = place(t);
    const left = `${folder}.00000001.part`;
    mkdirSync(left);
    utimesSync(left, 0, 0);
    const rename = t.mock.method(promises, 'rename', async (from: string, to: string) => {
      if (from === left) throw Object.assign(new Error('not permitted'), { code: 'EPERM', syscall: 'rename' });
      renameSync(from, to);
    });
    syncBuiltinESMExports();
    t.after(() => {
      rename.mock.restore();
      syncBuiltinESMExports();
    });
    await makeArchive(folder, async () => manifest);
    assert.deepEqual(namesBeside(folder), ['today', 'today.00000001.part']);
  });

  it('is dated while it is written, so that no other run takes it for one that was killed', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: Date.now() });
    const folder = place(t);
    await makeArchive(folder, async (part) => {
      utimesSync(part, 0, 0);
      t.mock.timers.tick(20_000);
      await new Promise((resolve) => setTimeout(resolve, 200));
      await assert.rejects(
        makeArchive(folder, async () => assert.fail('of the other run')),
        /of the other run/,
      );
      assert.deepEqual(await unfinishedArchives(folder), [part]);
      return manifest;
    });
    assert.deepEqual(namesBeside(folder), ['today']);
  });
});
