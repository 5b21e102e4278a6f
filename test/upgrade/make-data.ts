// Makes data of an earlier version, on both engines, with the program of that version: what `upgrade.test.ts` begins
// with.
// Run by hand after a release, and its files are committed:
//   .ci/with-postgres tools/node test/upgrade/make-data.ts v0.1.0 0.1.0
// The first word is what git calls the version, the second the folder in `test/upgrade/versions`.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { freePort } from '../../src/http/port-check.ts';
import { pdf } from '../documents/samples.ts';
import { authUrl, baseUrl, type Expected, listPaths, secretKey } from './data.ts';

const root = resolve(import.meta.dirname, '../..');
const [ref = '', name = ''] = process.argv.slice(2);
const server = process.env.TEST_DATABASE_URL;
assert.ok(ref !== '' && name !== '' && server !== undefined, 'see the head of this file');

const work = mkdtempSync(join(tmpdir(), 'release-data-'));
const checkout = join(work, 'program');
const target = join(root, 'test/upgrade/versions', name);
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
try {
  const archive = must('git', ['archive', '--format=tar', ref], { cwd: root });
  mkdirSync(checkout);
  must('tar', ['-x'], { cwd: checkout, input: archive });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));

  const sqlite = join(work, 'sqlite');
  const expected = await fill(sqlite, {});
  writeFileSync(join(target, 'expected.json'), `${JSON.stringify(expected, null, 1)}\n`);
  const database = new DatabaseSync(join(sqlite, 'data/logistics-connect.db'));
  database.exec(`vacuum into '${join(work, 'copy.db')}'`);
  database.close();
  const copy = must('cat', [join(work, 'copy.db')]);
  writeFileSync(join(target, 'sqlite.db.gz'), gzipSync(copy, { level: 9 }));
  cpSync(join(sqlite, 'data/documents'), join(target, 'documents'), { recursive: true });
  run(sqlite, {}, ['backup', '--to', join(target, 'backup')]);

  const administration = new Client(server);
  await administration.connect();
  await administration.query('create database release_data template template0');
  const url = new URL(server);
  url.pathname = '/release_data';
  const postgres = join(work, 'postgres');
  const onPostgres = await fill(postgres, { DATABASE_URL: url.href });
  writeFileSync(join(target, 'expected-postgres.json'), `${JSON.stringify(onPostgres, null, 1)}\n`);
  cpSync(join(postgres, 'data/documents'), join(target, 'documents-postgres'), { recursive: true });
  const dump = must('pg_dump', ['--no-owner', '--no-privileges', '--inserts', url.href]).toString();
  const statements = dump.split('\n').filter((line) => !/^(\\|--|$)/.test(line));
  writeFileSync(join(target, 'postgres.sql.gz'), gzipSync(statements.join('\n'), { level: 9 }));
  await administration.query('drop database release_data with (force)');
  await administration.end();
} finally {
  rmSync(work, { recursive: true, force: true });
}

function must(
  program: string,
  args: readonly string[],
  options: { readonly cwd?: string; readonly input?: Buffer | string; readonly env?: NodeJS.ProcessEnv } = {},
): Buffer {
  const { status, stdout, stderr, error } = spawnSync(program, args, { maxBuffer: 256 << 20, ...options });
  assert.equal(status, 0, `${program} ${args.join(' ')}: ${error?.message ?? ''}${stderr}${stdout}`);
  return stdout;
}

function environmentOf(folder: string, variables: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    DATA_DIR: join(folder, 'data'),
    BASE_URL: baseUrl,
    AUTH_URL: authUrl,
    SECRET_KEY: secretKey,
    LOG_LEVEL: 'error',
    ...variables,
  };
}

/** A command of the earlier version. */
function run(
  folder: string,
  variables: Readonly<Record<string, string>>,
  args: readonly string[],
  input: string = '',
): string {
  const env = environmentOf(folder, variables);
  return must(join(checkout, 'logistics-connect'), args, { cwd: folder, input, env }).toString();
}

/** An activity with a record of each resource, a client, a user, a key, and what clients wrote. */
async function fill(folder: string, variables: Readonly<Record<string, string>>): Promise<Expected> {
  mkdirSync(folder);
  const command = (args: readonly string[], input?: string): string => run(folder, variables, args, input);
  command(['activity', 'add', 'NOR', 'North Trading']);
  command(['user', 'add', 'mia', '--activity', 'NOR'], 'tall ships carry heavy crates');
  const client = ['client', 'add', 'Shop', '--redirect', 'https://shop.example/cb', '--activity', 'NOR', '--json'];
  const clientId: string = JSON.parse(command(client)).id;
  const key: string = JSON.parse(command(['key', 'add', 'wms', '--activity', 'NOR', '--json'])).key;
  for (const [resource, record] of Object.entries(examples()))
    command(['import', resource, '-', '--activity', 'NOR'], `${JSON.stringify(record)}\n`);
  const token = command(['token', '--client', clientId, '--user', 'mia']).trim();
  const port = await freePort('127.0.0.1', 0);
  const env = { ...environmentOf(folder, variables), PORT: String(port) };
  const child = spawn(join(checkout, 'logistics-connect'), ['serve'], { cwd: folder, stdio: 'inherit', env });
  const origin = `http://127.0.0.1:${port}`;
  while ((await fetch(`${origin}/readyz`).catch(() => null))?.ok !== true) await pause(100);
  const bearer = { authorization: `Bearer ${token}` };
  const written = await fetch(`${origin}/v1/articles`, {
    method: 'POST',
    headers: { ...bearer, 'content-type': 'application/json', 'idempotency-key': '"before"' },
    body: JSON.stringify([article('BEFORE-1')]),
  });
  assert.equal(written.status, 200, await written.text());
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(pdf('the invoice'))], { type: 'application/pdf' }), 'invoice.pdf');
  const upload = `${origin}/v1/orders/UPGRADE-1/docs/invoice`;
  const attached = await fetch(upload, { method: 'POST', headers: bearer, body: form });
  const told = await attached.text();
  assert.ok(attached.ok && JSON.parse(told).status === 200, told);
  const lists: Record<string, readonly Readonly<Record<string, unknown>>[]> = {};
  let cursor = '';
  for (const path of listPaths) {
    const page = await fetch(origin + path, { headers: bearer });
    const records: Expected['lists'][string] = JSON.parse(await page.text());
    assert.ok(page.status === 200 && records.length > 0, path);
    lists[path] = records;
    if (path === '/v1/articles') cursor = page.headers.get('sync-cursor') ?? '';
  }
  child.kill('SIGTERM');
  await new Promise((done) => child.once('exit', done));
  const commit = must('git', ['rev-parse', ref], { cwd: root }).toString().trim();
  return { commit, clientId, key, cursor, lists };
}

function article(articleReference: string): Readonly<Record<string, string>> {
  return { activityCode: 'NOR', articleReference, longArticleDescription: 'Before', shortArticleDescription: 'Before' };
}

/** The records that the earlier version shows in its documentation, by the names that its command `import` has. */
function examples(): Readonly<Record<string, unknown>> {
  const names = `{ articles: r.article, stock: r.articleStock, movements: r.articleStockMovement, orders: r.order,
    'order-reports': r.orderReport, procurements: r.procurement, 'procurement-reports': r.procurementReport }`;
  const program = `const r = await import('${join(checkout, 'src/resources/index.ts')}');
    console.log(JSON.stringify(Object.entries(${names}).map(([name, { example }]) => [name, example])));`;
  const node = join(checkout, 'tools/node');
  const found: readonly (readonly [string, Record<string, unknown>])[] = JSON.parse(
    must(node, ['--input-type=module', '-e', program]).toString(),
  );
  return Object.fromEntries(
    found.map(([resource, { activityCode, activityName, orderUniqueID, ...rest }]) => [
      resource,
      {
        ...rest,
        // In a movement this is the code of an event.
        ...(resource === 'movements' ? { activityCode } : { activityCode: 'NOR' }),
        ...(activityName !== undefined && { activityName: 'North Trading' }),
        ...(orderUniqueID !== undefined && { orderUniqueID: 'UPGRADE-1' }),
        ...(resource.startsWith('procurement') && { uniqueProcurementID: 'UPGRADE-1' }),
      },
    ]),
  );
}
