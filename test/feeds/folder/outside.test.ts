// The folder drop as an operator has it: real servers on one folder, files of every kind of trouble, a disk that is
// full, and one that is read-only.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { type Child, json, type Place, run, start, succeed, temporaryFolder } from '../../commands/fixture.ts';
import { newDatabase } from '../../contract/new-database.ts';
import { inGate, onOtherEngine } from '../../contract/rounds.ts';
import { article } from './fixture.ts';

const serverUrl = process.env.TEST_DATABASE_URL;
const on = serverUrl === undefined ? 'SQLite' : 'a PostgreSQL server';

/** It waits until a file is tried again. */
const inTheGate = { skip: inGate ? false : 'TEST_ROUNDS=gate tries it' };

interface ActivityState extends Place {
  readonly root: string;
  readonly folder: string;
}

interface ShownMessage {
  readonly source: string;
  readonly state: string;
  readonly resource: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** A folder, and a database with the activity ACM. */
async function stateOf(t: TestContext, settings: Readonly<Record<string, string>>): Promise<ActivityState> {
  const folder = temporaryFolder(t);
  const root = join(folder, 'feeds');
  const database: Record<string, string> =
    serverUrl === undefined ? {} : { DATABASE_URL: await newDatabase(t, serverUrl) };
  const variables = { PORT: '0', LOG_LEVEL: 'error', FEED_FOLDER: root, ...settings, ...database };
  const place = { folder, root, variables };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  mkdirSync(join(root, 'inbox/ACM/articles'), { recursive: true });
  return place;
}

async function serverOf(t: TestContext, site: ActivityState): Promise<Child> {
  const child = start(t, site, 'serve', '--json');
  await child.seen('"baseUrl"');
  return child;
}

async function stop(child: Child): Promise<string> {
  child.signal('SIGTERM');
  const { code, stdout, stderr } = await child.ended;
  assert.equal(code, 0);
  return stdout + stderr;
}

function put({ root }: ActivityState, path: string, content: string | Buffer): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, `${path}.part`), content);
  renameSync(join(root, `${path}.part`), join(root, path));
}

const filesIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .toSorted()
    : [];

async function untilSo(isSo: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (isSo()) return;
    await pause(200);
  }
  assert.fail(what);
}

const messagesOf = async (site: ActivityState): Promise<readonly ShownMessage[]> =>
  (await succeed(site, 'feed', 'messages', '--limit', '1000', '--json'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

describe(`the folder drop on ${on}, from outside`, { skip: onOtherEngine(1), timeout: 900_000 }, () => {
  it('takes each file once where two servers look after one inbox, whatever lies in it', async (t) => {
    const site = await stateOf(t, { FEED_FOLDER_COMPLETE: 'quiet', FEED_FOLDER_QUIET_SECONDS: '4' });
    const servers = [await serverOf(t, site), await serverOf(t, site)];
    const inbox = join(site.root, 'inbox/ACM/articles');
    const plain = [
      '1.ndjson',
      'blanks and \u00e9.ndjson',
      'blanks and e\u0301.ndjson',
      '\u{1f9e6}.ndjson',
      `${'n'.repeat(190)}.ndjson`,
    ];
    for (const [index, name] of plain.entries()) put(site, `inbox/ACM/articles/${name}`, article(`P${index}`));
    put(site, 'inbox/ACM/articles/empty.ndjson', '');
    const odd = [
      Buffer.from('caf\xe9.ndjson', 'latin1'),
      Buffer.from('two\nlines.ndjson'),
      Buffer.from('\x1b[31m.ndjson'),
    ];
    for (const [index, name] of odd.entries())
      writeFileSync(Buffer.concat([Buffer.from(`${inbox}/`), name]), article(`ODD${index}`));
    writeFileSync(join(site.folder, 'elsewhere.ndjson'), article('ELSEWHERE'));
    symlinkSync(join(site.folder, 'elsewhere.ndjson'), join(inbox, 'link.ndjson'));
    // A mapping that changes between two files.
    const mapping = (column: string): string => {
      const fields = { articleReference: 'sku', longArticleDescription: column, shortArticleDescription: column };
      return JSON.stringify({ format: { kind: 'csv' }, resources: { articles: { fields } } });
    };
    put(site, 'mappings/goods.json', mapping('old'));
    put(site, 'inbox/ACM/goods/1.csv', 'sku,old,new\nG1,one,two\n');
    // One that is still written, longer than a file is quiet; which is longer than a busy machine stands still.
    const growing = 50;
    for (let line = 0; line < growing; line += 1) {
      appendFileSync(join(inbox, 'growing.ndjson'), article(`W${line}`));
      await pause(100);
    }
    await untilSo(
      () => existsSync(join(site.root, 'archive/ACM/goods/1.csv')),
      'the first file with a mapping is taken',
    );
    put(site, 'mappings/goods.json', mapping('new'));
    put(site, 'inbox/ACM/goods/2.csv', 'sku,old,new\nG2,one,two\n');
    await untilSo(() => filesIn(join(site.root, 'inbox')).length === 0, 'the inbox is empty');
    for (const server of servers) await stop(server);

    const archived = [
      'articles/growing.ndjson',
      ...plain.map((name) => `articles/${name}`),
      'goods/1.csv',
      'goods/2.csv',
    ];
    assert.deepEqual(
      filesIn(join(site.root, 'archive/ACM')),
      archived.flatMap((path) => [path, `${path}.ack.json`]).toSorted(),
    );
    assertAcknowledged(site, 'archive/ACM/articles/growing.ndjson', growing);
    const refused = filesIn(join(site.root, 'error/ACM/articles'));
    assert.equal(refused.length, 10, refused.join());
    const reasons = refused.filter((path) => path.endsWith('.reason.json'));
    assert.deepEqual(
      reasons
        .map((path) => JSON.parse(readFileSync(join(site.root, 'error/ACM/articles', path), 'utf8')).code)
        .toSorted(),
      ['empty-file', 'odd-name', 'odd-name', 'odd-name', 'symbolic-link'],
    );
    const messages = await messagesOf(site);
    assert.deepEqual(
      messages.map(({ source, state, counts }) => `${source} ${state} ${counts.new} of ${counts.read}`).toSorted(),
      [...plain, '1.csv', '2.csv']
        .map((source) => `${source} done 1 of 1`)
        .concat(`growing.ndjson done ${growing} of ${growing}`)
        .toSorted(),
    );
    for (const [reference, name] of [
      ['G1', 'one'],
      ['G2', 'two'],
    ])
      assert.match(await articlesOf(site), new RegExp(`"articleReference":"${reference}","[^{]*"${name}"`));
  });

  it(
    'keeps a file whose acknowledgement finds no room, and whose archive is read-only, until there is',
    inTheGate,
    async (t) => {
      // Before the folder is removed in which it is.
      let mountedAt: string | null = null;
      t.after(() => mountedAt !== null && spawnSync('umount', ['-l', mountedAt]));
      const site = await stateOf(t, { FEED_FOLDER_COMPLETE: 'rename' });
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', site.root], { encoding: 'utf8' });
      if (mounted.status !== 0) return t.skip(`no file system can be mounted here: ${mounted.stderr}`);
      mountedAt = site.root;
      const remount = (mode: string): void => void execFileSync('mount', ['-o', `remount,${mode}`, site.root]);
      const archive = join(site.root, 'archive/ACM/articles');
      put(site, 'inbox/ACM/articles/0.ndjson', article('FIRST'));
      let server = await serverOf(t, site);
      await untilSo(() => filesIn(archive).length === 2, 'the first file is taken');
      writeFileSync(join(site.root, 'inbox/ACM/articles/1.part'), article('FULL'));
      const filler = join(site.root, 'filler');
      // Whatever room is left.
      for (const size of [4096, 1]) while (wasWritten(filler, size));
      renameSync(join(site.root, 'inbox/ACM/articles/1.part'), join(site.root, 'inbox/ACM/articles/1.ndjson'));
      await server.seen('could not be taken');
      assert.match(await articlesOf(site), /"FULL"/);
      assert.deepEqual(filesIn(join(site.root, 'inbox')), ['ACM/articles/1.ndjson']);
      assert.deepEqual(filesIn(archive).length, 2);
      rmSync(filler);
      await untilSo(() => filesIn(archive).length === 4, 'the file is moved once there is room');
      const log = await stop(server);
      assert.equal(log.split('a feed file could not be taken').length, 2, log);
      assert.match(log, /ENOSPC/);

      put(site, 'inbox/ACM/articles/2.ndjson', article('READ-ONLY'));
      remount('ro');
      server = await serverOf(t, site);
      await server.seen('could not be taken');
      assert.match(await articlesOf(site), /"READ-ONLY"/);
      const doctor = await run(site, 'doctor');
      assert.match(doctor.stdout, /wrong\s+feeds\s+.*EROFS/, doctor.stdout);
      remount('rw');
      await untilSo(() => filesIn(archive).length === 6, 'the file is moved once it may be');
      assert.match(await stop(server), /EROFS/);
      assert.deepEqual(
        (await messagesOf(site)).map(({ source, state, counts }) => `${source} ${state} ${counts.new}`).toSorted(),
        ['0.ndjson done 1', '1.ndjson done 1', '2.ndjson done 1'],
      );
      assert.deepEqual(filesIn(join(site.root, 'inbox')), []);
      assert.deepEqual(filesIn(join(site.root, 'error')), []);
    },
  );
});

/** An acknowledgement says what was taken: a warehouse system can know that it was this file, and all of it. */
function assertAcknowledged({ root }: ActivityState, path: string, records: number): void {
  const bytes = readFileSync(join(root, path));
  const ack = JSON.parse(readFileSync(join(root, `${path}.ack.json`), 'utf8'));
  assert.deepEqual(
    [ack.activity, ack.folder, ack.file, ack.bytes, ack.sha256, ack.outcome, ack.messages.length],
    ['ACM', 'articles', basename(path), bytes.length, hash('sha256', bytes), 'taken', 1],
  );
  const [message] = ack.messages;
  assert.match(message.message, /^ACM:\d+$/);
  const { state, lines, read, new: added, changed, unchanged, refused } = message;
  assert.deepEqual([state, lines, read, added + changed + unchanged + refused], ['done', records, records, records]);
  assert.match(JSON.stringify(message.firstRecord), /W0/);
  assert.match(JSON.stringify(message.lastRecord), new RegExp(`W${records - 1}`));
}

function wasWritten(path: string, bytes: number): boolean {
  try {
    appendFileSync(path, Buffer.alloc(bytes));
    return true;
  } catch {
    return false;
  }
}

/** The articles that are stored, as text. */
async function articlesOf(site: ActivityState): Promise<string> {
  const folder = join(site.folder, `export-${Date.now()}`);
  await json(site, 'export', '--activity', 'ACM', '--to', folder);
  return readFileSync(join(folder, 'articles.ndjson'), 'utf8');
}
