// What cannot be read in an inbox, or not moved out of it: people are told once, nothing is lost, the others go on.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { postpone, dueFiles } from '../../../src/feeds/folder/postponed.ts';
import { FileChanged } from '../../../src/feeds/folder/dropped-file.ts';
import type { ReadyFile } from '../../../src/feeds/folder/inbox.ts';
import { NotMoved } from '../../../src/feeds/folder/take-file.ts';
import type { WatchParts } from '../../../src/feeds/folder/watch.ts';
import { article as articles, definitions } from '../../../src/resources/index.ts';
import { openStore } from '../../../src/store/open.ts';
import { readAll } from '../fixture.ts';
import { article, type Drop, dropFor } from './fixture.ts';

const inboxOf = ({ root }: Drop): string => join(root, 'inbox/ACM/articles');
const names = async (drop: Drop): Promise<readonly unknown[]> =>
  (await readAll(drop.store, articles)).map(({ articleReference }) => articleReference).toSorted();

type Open = typeof fs.promises.open;
const original = fs.promises.open;

/** Has each file of that name opened in another way, for the length of a test. */
function openedAs(t: TestContext, name: string, open: (open: Open, ...args: Parameters<Open>) => ReturnType<Open>) {
  const replace = (by: Open): void => {
    Object.assign(fs.promises, { open: by });
    syncBuiltinESMExports();
  };
  const before = fs.promises.open;
  replace((...args) =>
    String(args[0]).endsWith(`/inbox/ACM/articles/${name}`) ? open(original, ...args) : before(...args),
  );
  t.after(() => replace(original));
}

/** A folder that also a user without rights reaches, as root becomes one; null where there is none. */
async function folderForNobody(t: TestContext): Promise<string | null> {
  const places = process.getuid?.() === 0 ? [tmpdir(), '/tmp', '/var/tmp'].filter(isOpenToAll) : [tmpdir()];
  const [place] = places;
  if (place === undefined) return null;
  const folder = await mkdtemp(join(place, 'logistics-connect-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Whether all users may go through a folder and those above it. */
function isOpenToAll(folder: string): boolean {
  const mode = fs.statSync(folder, { throwIfNoEntry: false })?.mode ?? 0;
  const above = dirname(folder);
  return (mode & 0o001) !== 0 && (above === folder || isOpenToAll(above));
}

/** An error as the file system gives it. */
function systemError(code: string, syscall: string): Error {
  return Object.assign(new Error(`${code}: simulated, ${syscall}`), { code, syscall });
}

/** The store, and what is done once the records of a file are written, before the file is moved. */
function onceWritten({ store }: Drop, act: () => Promise<void>): Pick<WatchParts, 'store'> {
  const { activities, feedLines, feeds } = store;
  const begin: typeof feeds.begin = async (...args) => {
    const begun = await feeds.begin(...args);
    if (begun.state !== 'begun') return begun;
    const { held } = begun;
    const finish: typeof held.finish = async (end) => {
      const images = await held.finish(end);
      await act();
      return images;
    };
    return { ...begun, held: { ...held, finish } };
  };
  return { store: { activities, feedLines, feeds: { ...feeds, begin } } };
}

describe('what is no file', () => {
  it('is put aside with the reason, and never waited for', async (t) => {
    const drop = await dropFor(t);
    await drop.put('inbox/ACM/articles/z.ndjson', article('Z'));
    await drop.put('inbox/ACM/orders/a.ndjson', '{"orderUniqueID":"1"}\n');
    await drop.put('outside.ndjson', article('OUTSIDE'));
    await symlink(join(drop.root, 'outside.ndjson'), join(inboxOf(drop), 'link.ndjson'));
    await symlink('nowhere', join(inboxOf(drop), 'dangling.ndjson'));
    for (const name of ['pipe.ndjson', 'mapping.json']) {
      const made = spawnSync('mkfifo', [join(inboxOf(drop), name)]);
      assert.equal(made.status, 0);
    }
    await mkdir(join(drop.root, 'mappings'), { recursive: true });
    await rename(join(inboxOf(drop), 'mapping.json'), join(drop.root, 'mappings/piped.json'));
    await drop.put('inbox/ACM/piped/a.csv', 'a;b\n');
    // A path of a socket has 107 bytes at most.
    const server = createServer().listen(`${drop.root}/s`);
    t.after(() => server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    await rename(`${drop.root}/s`, join(inboxOf(drop), 'socket.ndjson'));
    await drop.round();
    await drop.again();
    const place = 'error/ACM/articles';
    for (const [name, code] of Object.entries({
      'link.ndjson': 'symbolic-link',
      'dangling.ndjson': 'symbolic-link',
      'pipe.ndjson': 'no-file',
      'socket.ndjson': 'no-file',
    }))
      assert.deepEqual([name, (await drop.json(`${place}/${name}.reason.json`)).code], [name, code]);
    assert.deepEqual(await readdir(inboxOf(drop)), []);
    assert.deepEqual(await names(drop), ['Z']);
    assert.ok((await drop.files()).includes('outside.ndjson'));
    assert.deepEqual(drop.told.filter((each) => !each.endsWith('ndjson refused')).toSorted(), [
      'fault inbox/ACM/piped mapping-unreadable',
      'taken a.ndjson taken',
      'taken z.ndjson taken',
    ]);
  });

  it('but a folder with the name of a file stays, and is told of until it is gone', async (t) => {
    const drop = await dropFor(t);
    await drop.put('inbox/ACM/articles/a.ndjson/inner.ndjson', article('INNER'));
    await drop.put('inbox/ACM/articles/sent/inner.ndjson', article('INNER'));
    await drop.put('inbox/ACM/articles/b.ndjson', article('B'));
    await drop.round();
    await drop.again();
    assert.deepEqual(drop.told.toSorted(), ['fault inbox/ACM/articles/a.ndjson no-file', 'taken b.ndjson taken']);
    const reason = 'error/ACM/articles/a.ndjson.entry.reason.json';
    assert.equal((await drop.json(reason)).code, 'no-file');
    await rm(join(inboxOf(drop), 'a.ndjson'), { recursive: true });
    await drop.put('inbox/ACM/articles/a.ndjson', article('A'));
    await drop.again();
    assert.ok(!(await drop.files()).includes(reason));
    assert.deepEqual(await names(drop), ['A', 'B']);
  });

  it('is told of where files wait for their companions, which nobody gives to a folder', async (t) => {
    const drop = await dropFor(t);
    await drop.put('inbox/ACM/articles/a.csv/inner.csv', article('INNER'));
    await drop.put('inbox/ACM/articles/waits.ndjson', article('W'));
    await drop.round({ completeness: { sign: 'ok', quietMs: 0 } });
    assert.deepEqual(drop.told, ['fault inbox/ACM/articles/a.csv no-file']);
    assert.equal((await drop.json('error/ACM/articles/a.csv.entry.reason.json')).code, 'no-file');
  });
});

describe('odd names', () => {
  it('of 200 bytes are taken, longer ones and those that nobody can read are put aside', async (t) => {
    const drop = await dropFor(t);
    await mkdir(inboxOf(drop), { recursive: true });
    const longest = 'n'.repeat(200);
    const odd = ['n'.repeat(255), 'line\nbreak', 'bell\u0007', 'right\u202eleft'].map((name) => Buffer.from(name));
    for (const name of [...odd, Buffer.from([0x61, 0xe9]), Buffer.from(longest)])
      await writeFile(Buffer.concat([Buffer.from(`${inboxOf(drop)}/`), name]), `${article('A')}{}\n`);
    await drop.round();
    await drop.again();
    assert.deepEqual(await readdir(inboxOf(drop)), []);
    assert.equal(drop.told.length, 6);
    assert.ok(drop.told.includes(`taken ${longest} lines-refused`));
    const files = await drop.files();
    assert.ok(files.includes(`error/ACM/articles/${longest}.refused.ndjson`));
    const reasons = files.filter((path) => path.endsWith('.reason.json'));
    assert.equal(reasons.length, 5);
    for (const path of reasons) {
      assert.match(path, /^[\w./-]+$/);
      assert.equal((await drop.json(path)).code, 'odd-name');
    }
  });
});

describe('a file that cannot be read', () => {
  it('half way is put aside with the reason; the next ones are taken', async (t) => {
    const drop = await dropFor(t);
    await drop.put('inbox/ACM/articles/1.ndjson', article('A').repeat(1000));
    await drop.put('inbox/ACM/articles/2.ndjson', article('B'));
    openedAs(t, '1.ndjson', async (open, ...args) => {
      const handle = await open(...args);
      let reads = 0;
      const read = handle.read.bind(handle);
      const failing = async (...how: Parameters<typeof read>) => {
        reads += 1;
        if (reads > 2) throw systemError('EIO', 'read');
        return read(...how);
      };
      return Object.assign(handle, { read: failing });
    });
    await drop.round();
    assert.deepEqual(drop.told, ['taken 1.ndjson refused', 'taken 2.ndjson taken']);
    const reason = await drop.json('error/ACM/articles/1.ndjson.reason.json');
    assert.deepEqual([reason.code, reason.detail], ['unreadable', 'It cannot be read: EIO: simulated, read.']);
    assert.ok((await drop.files()).includes('error/ACM/articles/1.ndjson'));
    assert.deepEqual(await names(drop), ['B']);
  });

  it('because the process has too many files open is left where it is, and tried again', async (t) => {
    const drop = await dropFor(t);
    await drop.put('inbox/ACM/articles/1.ndjson', article('A'));
    let opened = 0;
    openedAs(t, '1.ndjson', async () => {
      opened += 1;
      throw systemError('EMFILE', 'open');
    });
    await drop.round();
    for (let look = 0; look < 20; look += 1) await drop.again();
    assert.equal(opened, 1, 'it is not tried at each look');
    assert.deepEqual(drop.told, ['postponed 1.ndjson EMFILE: simulated, open']);
    assert.deepEqual(await drop.files(), ['inbox/ACM/articles/1.ndjson']);
  });

  it('because it is gone is nothing to tell of, and holds nobody up', async (t) => {
    const drop = await dropFor(t);
    for (const name of ['1', '2']) await drop.put(`inbox/ACM/articles/${name}.ndjson`, article(name));
    openedAs(t, '1.ndjson', async (open, ...args) => {
      await rm(join(inboxOf(drop), '1.ndjson'), { force: true });
      return open(...args);
    });
    await drop.round();
    assert.deepEqual([drop.told, await names(drop)], [['taken 2.ndjson taken'], ['2']]);
  });

  it('because it grows or shrinks all the time holds nobody up, and is told of in the end', async (t) => {
    const drop = await dropFor(t);
    await drop.put('inbox/ACM/articles/1.ndjson', article('A').repeat(1000));
    await drop.put('inbox/ACM/articles/2.ndjson', article('B').repeat(1000));
    await drop.put('inbox/ACM/articles/3.ndjson', article('C'));
    openedAs(t, '1.ndjson', async (open, ...args) => {
      await appendFile(join(inboxOf(drop), '1.ndjson'), article('A'));
      return open(...args);
    });
    openedAs(t, '2.ndjson', async (open, ...args) => {
      const handle = await open(...args);
      const read = handle.read.bind(handle);
      const cut = async (...how: Parameters<typeof read>) => {
        const result = await read(...how);
        await truncate(join(inboxOf(drop), '2.ndjson'), 100);
        return result;
      };
      return Object.assign(handle, { read: cut });
    });
    await drop.round();
    await drop.again();
    assert.deepEqual([drop.told, await names(drop)], [['taken 3.ndjson taken'], ['C']]);
    assert.deepEqual((await readdir(inboxOf(drop))).toSorted(), ['1.ndjson', '2.ndjson']);
  });

  it('without the right to is put aside, and what cannot be moved stays; others go on', async (t) => {
    const folder = await folderForNobody(t);
    if (folder === null) return t.skip('no folder for temporary files that all users reach');
    const [data, root] = [join(folder, 'data'), join(folder, 'feeds')];
    const store = await openStore({ dataDir: data, databaseUrl: null }, definitions);
    await store.activities.add('ACM', 'Acme Home');
    await store.close();
    const files = {
      'inbox/ACM/articles/1.ndjson': article('A'),
      'inbox/ACM/articles/2.ndjson': article('B'),
      'inbox/ACM/orders/1.ndjson': '{"orderUniqueID":"1"}\n',
      'inbox/ACM/orders/2.ndjson': '{}\n',
      'inbox/ACM/movements/1.ndjson': '',
      'inbox/ACM/movements/2.ndjson': '{"articleReference":"A","movementDirection":"I"}\n',
      'inbox/ACM/procurements/1.ndjson': '{}\n',
    };
    for (const [path, content] of Object.entries(files)) {
      await mkdir(join(root, path, '..'), { recursive: true });
      await writeFile(join(root, path), content);
    }
    await mkdir(join(root, 'archive/ACM/orders'), { recursive: true });
    await mkdir(join(root, 'error/ACM/movements'), { recursive: true });
    if (process.getuid?.() === 0)
      for (const path of ['', ...(await readdir(folder, { recursive: true }))])
        await chown(join(folder, path), 65534, 65534);
    await chmod(join(root, 'inbox/ACM/articles/1.ndjson'), 0);
    const closed = { 'archive/ACM/orders': 0o500, 'error/ACM/movements': 0o500, 'inbox/ACM/procurements': 0o600 };
    for (const [path, mode] of Object.entries(closed)) await chmod(join(root, path), mode);
    const script = join(import.meta.dirname, 'as-user.ts');
    const node = join(import.meta.dirname, '../../../tools/node');
    const { stdout, stderr } = spawnSync(node, [script, data, root], { encoding: 'utf8' });
    for (const path of Object.keys(closed)) await chmod(join(root, path), 0o700);
    assert.deepEqual(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.replace(/ Error: .*\/feeds\/([a-z]+\/ACM\/\w+): (\w+): .*/, ' $1 $2').trim())
        .toSorted(),
      [
        'fault inbox/ACM/procurements unreadable',
        'postponed 1.ndjson archive/ACM/orders EACCES',
        'postponed 1.ndjson error/ACM/movements EACCES',
        'taken 1.ndjson refused unreadable',
        'taken 2.ndjson lines-refused',
        'taken 2.ndjson taken',
        'taken 2.ndjson taken',
      ],
      stderr,
    );
    const left = await readdir(join(root, 'inbox'), { recursive: true });
    assert.deepEqual(left.filter((path) => path.endsWith('.ndjson')).toSorted(), [
      'ACM/movements/1.ndjson',
      'ACM/orders/1.ndjson',
      'ACM/procurements/1.ndjson',
    ]);
  });
});

describe('a file that takes the place of another while that is taken', () => {
  it('is taken, too', async (t) => {
    const drop = await dropFor(t);
    await drop.put('inbox/ACM/articles/a.ndjson', article('FIRST'));
    await drop.put('inbox/ACM/articles/b.ndjson', article('B'));
    let writes = 0;
    const replaced = onceWritten(drop, async () => {
      writes += 1;
      if (writes > 1) return;
      await drop.put('inbox/ACM/articles/.new', article('SECOND'));
      await rename(join(inboxOf(drop), '.new'), join(inboxOf(drop), 'a.ndjson'));
    });
    await drop.round(replaced);
    assert.deepEqual(drop.told, ['taken b.ndjson taken']);
    assert.deepEqual(await readdir(inboxOf(drop)), ['a.ndjson']);
    await drop.round();
    assert.deepEqual(await names(drop), ['B', 'FIRST', 'SECOND']);
    assert.deepEqual(await readdir(inboxOf(drop)), []);
  });
});

describe('what could not be taken', () => {
  const files = ['a', 'b', 'c'].map(
    (name): ReadyFile => ({ name: Buffer.from(name), identity: name, okName: null, oddity: null }),
  );
  const [a] = files;
  const due = (postponed: Parameters<typeof dueFiles>[0], nowMs: number): string =>
    dueFiles(postponed, files, nowMs)
      .map(({ name }) => name.toString())
      .join('');

  it('holds those behind it up only where the order of records asks for it', () => {
    assert.ok(a);
    for (const [error, others] of [
      [new NotMoved('archive', systemError('EACCES', 'mkdir')), 'bc'],
      [new FileChanged(), 'bc'],
      [new Error('storage is away'), ''],
    ] as const) {
      const postponed: Parameters<typeof dueFiles>[0] = new Map();
      assert.equal(postpone(postponed, a, error, 0).holdsFeed, others === '');
      assert.deepEqual([due(postponed, 1), due(postponed, 10_000)], [others, 'abc']);
    }
  });

  it('is tried again less and less often, and told of once', () => {
    assert.ok(a);
    for (const [error, toldAt] of [
      [new NotMoved('archive', systemError('EACCES', 'mkdir')), 1],
      [new FileChanged(), 5],
    ] as const) {
      const postponed: Parameters<typeof dueFiles>[0] = new Map();
      const told: number[] = [];
      let tries = 0;
      for (let nowMs = 0; nowMs < 3_600_000; nowMs += 1000) {
        if (!due(postponed, nowMs).includes('a')) continue;
        tries += 1;
        if (postpone(postponed, a, error, nowMs).isNew) told.push(tries);
      }
      assert.deepEqual([told, tries > 10 && tries < 20], [[toldAt], true], `${tries} tries in an hour`);
    }
  });
});
