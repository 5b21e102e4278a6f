// The commands `backup` and `restore`, as an operator runs them: beside a writer, into a new place, with the right key.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { throwStorageFailure } from '../../src/backup/storage-failure.ts';
import { readConfig } from '../../src/config.ts';
import { openDocumentStorage } from '../../src/documents/open.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { addDocuments } from '../backup/s3-fixture.ts';
import { startedProgram } from '../contract/started-program.ts';
import { kept } from '../documents/contract.ts';
import { json, type Place, run, runProgram, start, succeed, temporaryFolder } from './fixture.ts';

const secretKey = 'a passphrase that is long enough for anybody';

interface Restored {
  readonly restored: boolean;
  readonly rows: number;
  readonly activities: readonly { readonly code: string; readonly lastChange: number }[];
}

async function placeWithData(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t), variables: { SECRET_KEY: secretKey } };
  for (const code of ['ACM', 'BIO']) await succeed(place, 'activity', 'add', code, code);
  await importOrder(place, 'ACM', 1);
  await succeed(place, 'signing-key', 'rotate');
  return place;
}

async function importOrder(place: Place, activity: string, number: number): Promise<void> {
  const stdin = JSON.stringify({ orderUniqueID: `O${number}` });
  await succeed({ ...place, stdin }, 'import', 'orders', '-', '--activity', activity);
}

/** The same program in another folder, with nothing in it. */
function elsewhere(t: TestContext, place: Place, variables = place.variables ?? {}): Place {
  return { ...place, folder: temporaryFolder(t), variables };
}

describe('backup and restore', () => {
  it('print what the documentation shows of them', async (t) => {
    const place = { folder: temporaryFolder(t), variables: { SECRET_KEY: secretKey } };
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    const folder = join(temporaryFolder(t), 'backup');
    const form = (said: string): string =>
      said
        .replace(/\S+T\S+Z/, 'INSTANT')
        .replace(/ in \/\S+:/, ' in FOLDER:')
        .replace(/\d+ rows/, 'ROWS');
    const shown = readFileSync(join(import.meta.dirname, '../../docs/operation.md'), 'utf8').split('\n');
    const made = (await succeed(place, 'backup', '--to', folder)).split('\n');
    const example = shown.findIndex((line) => line.startsWith('Backup of '));
    assert.deepEqual([form(shown[example] ?? ''), shown[example + 1]], [form(made[0] ?? ''), made[1]]);
    const restored = await succeed(elsewhere(t, place), 'restore', folder);
    const told = (said: string | undefined): string => form(said ?? '').replace(/made by version .*?\):/, 'VERSION');
    assert.equal(told(shown.find((line) => line.startsWith('Restored the backup of '))), told(restored.split('\n')[0]));
  });

  it('copy a state that was there at one instant, while another process writes', { timeout: 900_000 }, async (t) => {
    const place = await placeWithData(t);
    const backup = join(place.folder, 'backup');
    let written = 1;
    let over = false;
    // First in one activity, then in the other: no state has more in the second one.
    const writing = (async () => {
      while (!over) {
        written += 1;
        for (const code of ['ACM', 'BIO']) await importOrder(place, code, written);
      }
    })();
    const made = await runProgram(t, place, 'backup', '--to', backup);
    over = true;
    await writing;
    assert.equal(made.code, 0, made.stderr);
    assert.match(
      made.stdout,
      /^Backup of .* rows of \d+ tables, 0 document files\.\nSECRET_KEY and secret\.key are not/,
    );
    const target = elsewhere(t, place);
    const told = await json<Restored>(target, 'restore', backup);
    const [acm, bio] = told.activities;
    assert.ok(
      acm && bio && acm.lastChange - bio.lastChange <= 2 && acm.lastChange > bio.lastChange,
      JSON.stringify(told),
    );
    const list = await json<readonly { code: string }[]>(target, 'activity', 'list');
    assert.deepEqual(
      list.map(({ code }) => code),
      ['ACM', 'BIO'],
    );
    assert.match(await succeed(target, 'audit'), /restored/);
    assert.match((await run(place, 'doctor')).stdout, /The last backup is of/);
    const again = await run(target, 'restore', backup);
    assert.match(again.stderr, /There is a database already/);
  });

  it('are refused with the reason where the place, the folder or the key is not right', async (t) => {
    const place = await placeWithData(t);
    const backup = join(place.folder, 'backup');
    await succeed(place, 'backup', '--to', backup);
    assert.match((await run(place, 'backup', '--to', backup)).stderr, /is there already/);
    assert.match((await run(elsewhere(t, place), 'backup', '--to', 'x')).stderr, /There is no database/);
    assert.match(
      (await run(elsewhere(t, place), 'restore', join(place.folder, 'none'))).stderr,
      /There is no manifest/,
    );
    for (const variables of [{}, { SECRET_KEY: `${secretKey} but another` }]) {
      const wrong = elsewhere(t, place, variables);
      for (const words of [['--check'], []]) {
        const { code, stderr } = await run(wrong, 'restore', backup, ...words);
        assert.equal(code, 1);
        assert.match(stderr, /What is encrypted in the backup cannot be read: .*SECRET_KEY/);
      }
      assert.deepEqual(readdirSync(wrong.folder), [], 'nothing was made');
      await succeed(wrong, 'restore', backup, '--ignore-secret-key');
    }
    const right = elsewhere(t, place, { SECRET_KEY: `${secretKey} of now`, SECRET_KEY_PREVIOUS: secretKey });
    assert.match(await succeed(right, 'restore', backup, '--check'), /^Whole and readable: the backup of/);
    assert.ok(!existsSync(join(right.folder, 'data')));
  });

  it('that are killed leave nothing, and the same again is whole', { timeout: 900_000 }, async (t) => {
    const place = await placeWithData(t);
    const backup = join(place.folder, 'backup');
    const target = elsewhere(t, place);
    for (const waitMs of [400, 900]) {
      const child = start(t, place, 'backup', '--to', backup);
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      child.signal('SIGKILL');
      await child.ended;
      if (existsSync(backup)) break;
    }
    if (!existsSync(backup)) await succeed(place, 'backup', '--to', backup);
    const child = start(t, target, 'restore', backup);
    await new Promise((resolve) => setTimeout(resolve, 900));
    child.signal('SIGKILL');
    await child.ended;
    const { code, stderr } = await run(target, 'restore', backup);
    assert.ok(code === 0 || /There is a database already/.test(stderr), stderr);
    const [activity] = await json<readonly { lastWriteAt: string | null }[]>(target, 'activity', 'list');
    assert.notEqual(activity?.lastWriteAt, null);
  });

  it('leave a database alone that another process has made there meanwhile', async (t) => {
    const place = await placeWithData(t);
    await addDocument(place);
    const backup = join(place.folder, 'backup');
    await succeed(place, 'backup', '--to', backup);
    const target = elsewhere(t, place);
    const documents = join(target.folder, 'data/documents/ACM');
    let isThere = false;
    const now = (): number => {
      // The document files are being copied; the rows come last.
      if (!isThere && existsSync(documents)) {
        isThere = true;
        runMeanwhile(target, 'activity', 'add', 'LIV', 'Live');
      }
      return Date.now();
    };
    const { code, stderr } = await run({ ...target, now }, 'restore', backup);
    assert.equal(code, 1);
    assert.match(stderr, /There is a database already/);
    const list = await json<readonly { code: string }[]>(target, 'activity', 'list');
    assert.deepEqual(
      list.map(({ code }) => code),
      ['LIV'],
    );
  });
});

/** A document of the activity ACM, with its file. */
async function addDocument(place: Place): Promise<void> {
  const config = readConfig(place.variables ?? {}, place.folder);
  const store = await openStore(config, definitions);
  const storage = await openDocumentStorage(config, { database: store.epoch, failed: throwStorageFailure });
  await addDocuments(store.engine, [await kept(storage, Buffer.from('a page'))]);
  await store.close();
}

/** Runs the real program to its end while nothing goes on in this process. */
function runMeanwhile({ folder, variables = {} }: Place, ...args: readonly string[]): void {
  const program = startedProgram();
  const { status, stderr } = spawnSync(program.command, [...program.first, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH ?? '', HOME: folder, ...program.variables, ...variables },
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
}
