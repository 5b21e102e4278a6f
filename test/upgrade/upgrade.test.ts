// Data of earlier versions: this program brings them to its version and goes on with them; the earlier program refuses
// what this one has changed, and a backup of before leads back.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { freePort } from '../../src/http/port-check.ts';
import { type Child, type Place, root, run, runProgram, start, succeed, temporaryFolder } from '../commands/fixture.ts';
import { newDatabase } from '../contract/new-database.ts';
import { leftToGate } from '../contract/rounds.ts';
import { authUrl, baseUrl, type EarlierData, earlierData, type Expected, listPaths, secretKey } from './data.ts';

const serverUrl = process.env.TEST_DATABASE_URL;

interface Asked {
  readonly status: number;
  readonly cursor: string;
  readonly records: readonly Readonly<Record<string, unknown>>[];
}

for (const engine of ['sqlite', 'postgres'] as const)
  for (const data of earlierData(engine))
    describe(`data of ${data.version} on ${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL'}`, {
      skip: engine === 'postgres' ? serverUrl === undefined && 'TEST_DATABASE_URL is not set' : serverUrl !== undefined,
      timeout: 900_000,
    }, () => {
      it('are brought to this version, read as they were, and written on', async (t) => {
        const place = await placeOf(t, engine);
        await data.place(join(place.folder, 'data'), place.variables?.DATABASE_URL ?? null);
        const steps = await succeed(place, 'migrate');
        assert.match(await succeed(place, 'migrate'), /^Nothing to do/, steps);
        await assertGoesOn(t, place, data.expected);
        assert.equal((await run(place, 'doctor')).code, 0);
      });

      it('come back from a backup of before, with this program and with that one', {
        skip: leftToGate,
      }, async (t) => {
        const own = earlierData('sqlite').find(({ version }) => version === data.version);
        assert.ok(own);
        const place = await placeOf(t, engine);
        await succeed(place, 'restore', data.backup, '--check');
        await succeed(place, 'restore', data.backup, '--keep-history');
        await assertGoesOn(t, place, own.expected);

        const program = earlierProgram(t, data);
        if (program === null) return t.diagnostic(`${data.expected.commit} is not in this checkout`);
        // What the operator does who goes back: docs/operation.md, "Going back".
        const back = await placeOf(t, engine);
        const restored = await runProgram(t, { ...back, program }, 'restore', data.backup, '--keep-history');
        assert.equal(restored.code, 0, restored.stderr);
        const { child, origin } = await serve(t, { ...back, program });
        const token = (await runProgram(t, { ...back, program }, ...tokenOf(own.expected))).stdout.trim();
        assert.deepEqual(await listsOf(origin, token), own.expected.lists);
        child.signal('SIGTERM');
        assert.equal((await child.ended).code, 0);
      });

      it('are served by that program while this one brings them to its version, and after', {
        skip: leftToGate,
      }, async (t) => {
        const program = earlierProgram(t, data);
        if (program === null) return t.skip(`${data.expected.commit} is not in this checkout`);
        const place = await placeOf(t, engine);
        await data.place(join(place.folder, 'data'), place.variables?.DATABASE_URL ?? null);
        const token = (await runProgram(t, { ...place, program }, ...tokenOf(data.expected))).stdout.trim();
        const { child, origin } = await serve(t, { ...place, program });
        let going = true;
        const migrated = succeed(place, 'migrate').finally(() => {
          going = false;
        });
        while (going) assert.deepEqual(await listsOf(origin, token), data.expected.lists);
        await migrated;
        assert.deepEqual(await listsOf(origin, token), data.expected.lists);
        const written = await write(origin, token, 'BESIDE-1');
        assert.equal(written.status, 200, await written.text());
        child.signal('SIGTERM');
        assert.equal((await child.ended).code, 0);
        const { cursor } = data.expected;
        const later = await serve(t, place);
        const news = await ask(later.origin, `/v1/articles?cursor=${encodeURIComponent(cursor)}`, token);
        assert.deepEqual(
          news.records.map(({ articleReference }) => articleReference),
          ['BESIDE-1'],
        );
      });

      it('are refused by that program once they were brought to this version, and stay', {
        skip: leftToGate,
      }, async (t) => {
        const program = earlierProgram(t, data);
        if (program === null) return t.skip(`${data.expected.commit} is not in this checkout`);
        const place = await placeOf(t, engine);
        await data.place(join(place.folder, 'data'), place.variables?.DATABASE_URL ?? null);
        const steps = await succeed(place, 'migrate');
        if (!steps.includes('applied')) return t.skip('no step has been added since');
        const { code, stdout, stderr } = await runProgram(t, { ...place, program }, 'serve');
        assert.deepEqual([code, stdout], [1, '']);
        assert.match(stderr, /The database is newer than this program: it has the step .*\. Start the version /);
        assert.match(await succeed(place, 'migrate'), /^Nothing to do/);
        await assertGoesOn(t, place, data.expected);
      });
    });

async function placeOf(t: TestContext, engine: 'sqlite' | 'postgres'): Promise<Place> {
  const database = engine === 'sqlite' ? {} : { DATABASE_URL: await newDatabase(t, serverUrl ?? '') };
  const settings = { BASE_URL: baseUrl, AUTH_URL: authUrl, SECRET_KEY: secretKey, LOG_LEVEL: 'error' };
  return { folder: temporaryFolder(t), variables: { ...settings, ...database } };
}

/** The lists are as they were, a cursor of before shows what is written from now on, and the key of before works. */
async function assertGoesOn(t: TestContext, place: Place, expected: Expected): Promise<void> {
  const token = (await succeed(place, ...tokenOf(expected))).trim();
  const { child, origin } = await serve(t, place);
  const lists = await listsOf(origin, token);
  for (const path of listPaths) assert.deepEqual(sameFields(lists[path], expected.lists[path]), expected.lists[path]);
  const later = `/v1/articles?cursor=${encodeURIComponent(expected.cursor)}`;
  assert.deepEqual(await ask(origin, later, token).then(({ status, records }) => [status, records]), [200, []]);
  const written = await write(origin, token, 'LATER-1');
  assert.equal(written.status, 200, await written.text());
  const news = await ask(origin, later, token);
  assert.deepEqual(
    news.records.map(({ articleReference }) => articleReference),
    ['LATER-1'],
  );
  const outbox = await fetch(`${origin}/platform/outbox?consumer=wms`, {
    headers: { authorization: `Bearer ${expected.key}` },
  });
  assert.equal(outbox.status, 200);
  assert.match(await outbox.text(), /BEFORE-1.*LATER-1/s);
  child.signal('SIGTERM');
  assert.equal((await child.ended).code, 0);
}

function write(origin: string, token: string, articleReference: string): Promise<Response> {
  const described = { longArticleDescription: 'Later', shortArticleDescription: 'Later' };
  return fetch(`${origin}/v1/articles`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify([{ activityCode: 'NOR', articleReference, ...described }]),
  });
}

/** Without the fields that came later, which are null in records of before. */
function sameFields(found: Asked['records'] = [], wanted: Asked['records'] = []): Asked['records'] {
  return found.map((record, index) =>
    Object.fromEntries(
      Object.entries(record).filter(([name, value]) => value !== null || name in (wanted[index] ?? {})),
    ),
  );
}

function tokenOf({ clientId }: Expected): readonly string[] {
  return ['token', '--client', clientId, '--user', 'mia'];
}

async function listsOf(origin: string, token: string): Promise<Record<string, Asked['records']>> {
  const lists: Record<string, Asked['records']> = {};
  for (const path of listPaths) lists[path] = (await ask(origin, path, token)).records;
  return lists;
}

async function ask(origin: string, path: string, token: string): Promise<Asked> {
  const answer = await fetch(origin + path, { headers: { authorization: `Bearer ${token}` } });
  return {
    status: answer.status,
    cursor: answer.headers.get('sync-cursor') ?? '',
    records: JSON.parse(await answer.text()),
  };
}

async function serve(
  t: TestContext,
  place: Place & { readonly program?: string },
): Promise<{ readonly child: Child; readonly origin: string }> {
  const port = String(await freePort('127.0.0.1', 0));
  const child = start(t, { ...place, variables: { ...place.variables, PORT: port } }, 'serve');
  await child.seen('Platform URL:');
  return { child, origin: `http://127.0.0.1:${port}` };
}

/** The program of an earlier version, from git; null where its commit is not there. */
function earlierProgram(t: TestContext, { expected }: EarlierData): string | null {
  const found = spawnSync('git', ['archive', '--format=tar', expected.commit], { cwd: root, maxBuffer: 256 << 20 });
  if (found.status !== 0) return null;
  const folder = join(temporaryFolder(t), 'earlier');
  mkdirSync(folder);
  assert.equal(spawnSync('tar', ['-x'], { cwd: folder, input: found.stdout }).status, 0);
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return join(folder, 'logistics-connect');
}
