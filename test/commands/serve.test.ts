// The command `serve`, as a process: start, what it prints, stop, and everything that keeps it from starting.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, after, describe, it, type TestContext } from 'node:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import {
  goodPassword,
  json,
  launcher,
  type Place,
  run,
  runProgram,
  start,
  succeed,
  temporaryFolder,
} from './fixture.ts';
import { leftToGate } from '../contract/rounds.ts';

const anyPort = { PORT: '0' };

/** What `serve --demo` prints, taken apart. */
function printed(stdout: string): {
  readonly baseUrl: string;
  readonly authUrl: string;
  readonly password: string;
  readonly curl: string;
} {
  const [, baseUrl, authUrl, password, curl] =
    /^Base URL: +(\S+)\nAuthorization URL: +(\S+)\nLogin: +user demo, password (\S+)\nTry it:\n(curl .+)\n/.exec(
      stdout,
    ) ?? assert.fail(stdout);
  assert.ok(baseUrl && authUrl && password && curl);
  return { baseUrl, authUrl, password, curl };
}

async function takenPort(t: TestContext): Promise<string> {
  const other = createServer().listen(0, '127.0.0.1');
  t.after(() => other.close());
  await once(other, 'listening');
  const address = other.address();
  assert.ok(address !== null && typeof address === 'object');
  return String(address.port);
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

describe('serve does not start', () => {
  const oneLine = /^logistics-connect: [^\n]+\n$/;

  it('on a port that is in use', async (t) => {
    const port = await takenPort(t);
    const { code, stdout, stderr } = await runProgram(
      t,
      { folder: temporaryFolder(t), variables: { PORT: port } },
      'serve',
    );
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, oneLine);
    assert.ok(stderr.includes(port));
    assert.match(stderr, /PORT/);
  });

  it('on an address of another machine', async (t) => {
    const { code, stderr } = await runProgram(
      t,
      { folder: temporaryFolder(t), variables: { HOST: '203.0.113.7' } },
      'serve',
    );
    assert.equal(code, 1);
    assert.match(stderr, oneLine);
    assert.match(stderr, /203\.0\.113\.7/);
  });

  it('with a folder that cannot be written, a database that is away, or settings that are wrong', async (t) => {
    for (const [variables, said] of [
      [{ DATA_DIR: '/dev/null/data' }, /DATA_DIR/],
      [{ DATABASE_URL: 'postgres://lc:s3cret@127.0.0.1:9/lc' }, /does not answer/],
      [{ DATABASE_URL: 'mysql://lc:hush@127.0.0.1/lc' }, /DATABASE_URL must be an address like postgres:(?!.*hush)/],
      [{ DATABASE_URL: 'lc:hush@127.0.0.1/lc' }, /DATABASE_URL must be an address like postgres:(?!.*hush)/],
      [{ PORT: '99999' }, /PORT/],
      [{ SECRET_KEY: 'short' }, /SECRET_KEY has 5 characters/],
    ] as const) {
      const { code, stdout, stderr } = await run(
        { folder: temporaryFolder(t), variables: { ...anyPort, ...variables } },
        'serve',
      );
      assert.deepEqual([code, stdout], [1, ''], JSON.stringify(variables));
      assert.match(stderr, oneLine);
      assert.match(stderr, said);
      assert.doesNotMatch(stderr, /s3cret/);
    }
  });
});

describe('serve', () => {
  it('prints the addresses and the next step, step by step', { skip: leftToGate }, async (t) => {
    const place = { folder: temporaryFolder(t), variables: anyPort };
    const expected = async (said: string): Promise<void> => {
      const child = start(t, { ...place, program: launcher }, 'serve');
      const shown = await child.seen('Platform URL:');
      child.signal('SIGTERM');
      const { code, stdout } = await child.ended;
      assert.equal(code, 0);
      assert.match(shown, /^Base URL: +http:\/\/localhost:\d+\/v1\nAuthorization URL: +http:\/\/localhost:\d+\n/m);
      assert.ok(stdout.includes(said), stdout);
      assert.match(stdout, /\nConsole: +http:\/\/localhost:\d+\/ \(in a browser, /);
      assert.match(stdout, /\nPlatform URL: +http:\/\/localhost:\d+\/platform .*key add --help\)\n$/);
    };
    await expected('activity add CODE NAME');
    await succeed(place, 'activity', 'add', 'ACM', 'Acme');
    await expected('user add LOGIN --activity CODE');
    await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'ACM');
    await expected('client add NAME --redirect URI --activity CODE');
  });

  it('prints one JSON object with --json', async (t) => {
    const place = { folder: temporaryFolder(t), variables: anyPort, program: launcher };
    const child = start(t, place, 'serve', '--json');
    await child.seen('"baseUrl"');
    child.signal('SIGINT');
    const { code, stdout } = await child.ended;
    assert.equal(code, 0);
    const { baseUrl, authUrl, demonstration } = JSON.parse(stdout);
    assert.equal(baseUrl, `${authUrl}/v1`);
    assert.equal(demonstration, null);
  });

  it('answers while other commands use the database, and sees what they change', async (t) => {
    const place = { folder: temporaryFolder(t), variables: anyPort };
    const child = start(t, place, 'serve', '--json');
    const { baseUrl, authUrl } = JSON.parse(
      (await child.seen('"baseUrl"')).split('\n').find((line) => line.includes('"baseUrl"')) ?? '',
    );
    const here = { ...place, variables: { BASE_URL: baseUrl, AUTH_URL: authUrl } };
    await succeed(here, 'activity', 'add', 'ACM', 'Acme');
    await succeed({ ...here, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'ACM');
    const { id } = await json<{ id: string }>(
      here,
      'client',
      'add',
      'Shop',
      '--redirect',
      'https://shop.example/cb',
      '--activity',
      'ACM',
    );
    await succeed(
      { ...here, stdin: '{"articleReference":"A1","longArticleDescription":"One","shortArticleDescription":"One"}' },
      'import',
      'articles',
      '-',
      '--activity',
      'ACM',
    );
    const token = (await succeed(here, 'token', '--client', id, '--user', 'mia')).trim();
    const answer = await fetch(`${baseUrl}/articles`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200);
    const [article]: readonly { articleReference: string }[] = JSON.parse(await answer.text());
    assert.equal(article?.articleReference, 'A1');
    assert.match(
      (await run({ ...here, variables: { ...here.variables, PORT: new URL(authUrl).port } }, 'doctor')).stdout,
      /The server answers on 127\.0\.0\.1/,
    );
    const elsewhere = { folder: temporaryFolder(t), variables: { PORT: new URL(authUrl).port } };
    assert.match(
      (await run(elsewhere, 'doctor')).stdout,
      /^warning {2}addresses {2}A server answers on 127\.0\.0\.1:\d+, but there is no database in .*\n.*--config FILE/m,
    );
  });

  it('ends at once on a second signal', async (t) => {
    const child = start(t, { folder: temporaryFolder(t), variables: anyPort }, 'serve', '--json');
    const { authUrl } = JSON.parse(
      (await child.seen('"baseUrl"')).split('\n').find((line) => line.includes('"baseUrl"')) ?? '',
    );
    const port = Number(new URL(authUrl).port);
    // A request that never arrives whole keeps the graceful stop waiting.
    const held = connect(port, '127.0.0.1');
    t.after(() => held.destroy());
    held.on('error', () => undefined);
    await once(held, 'connect');
    held.write('GET /healthz HTTP/1.1\r\nHost: x\r\n');
    assert.equal((await fetch(`${authUrl}/healthz`)).status, 200);
    child.signal('SIGTERM');
    while (await accepts(port)) await pause(20);
    child.signal('SIGTERM');
    assert.equal((await child.ended).code, 143);
  });
});

describe('serve --demo', () => {
  let place: Place & { folder: string };
  before(() => {
    place = { folder: mkdtempSync(join(tmpdir(), 'commands-demo-')), variables: anyPort };
  });
  after(() => rmSync(place.folder, { recursive: true, force: true }));

  it('leaves a database with activities of its own alone', async (t) => {
    const own = { folder: temporaryFolder(t), variables: anyPort };
    await succeed(own, 'activity', 'add', 'OWN', 'Own');
    const child = start(t, own, 'serve', '--demo');
    await child.seen('--demo left it as it is');
    child.signal('SIGTERM');
    await child.ended;
    assert.deepEqual(await json<unknown>(own, 'client', 'list'), []);
    assert.deepEqual(await json<unknown>(own, 'user', 'list'), []);
    assert.equal((await json<unknown[]>(own, 'activity', 'list')).length, 1);
  });

  it('stops when it is interrupted while it fills the database, and the next start completes it', {
    skip: leftToGate,
  }, async (t) => {
    const first = start(t, place, 'serve', '--demo');
    await first.seen('Filling the demonstration warehouse');
    first.signal('SIGINT');
    const { code, stdout, stderr } = await first.ended;
    assert.deepEqual([code, stdout], [130, '']);
    assert.match(stderr, /the next start completes it/);
    const second = start(t, place, 'serve', '--demo');
    await second.seen('Try it:');
    second.signal('SIGTERM');
    assert.equal((await second.ended).code, 0);
    assert.deepEqual(
      (await json<{ code: string }[]>(place, 'activity', 'list')).map((activity) => activity.code),
      ['ACM', 'BEL'],
    );
  });

  it('prints base URL, authorization URL, login and a curl line that answers at once', async (t) => {
    const child = start(t, place, 'serve', '--demo');
    await child.seen('Try it:');
    const { curl, baseUrl } = printed(await child.seen('valid for an hour'));
    const [, token, url] = /^curl -sS -H 'Authorization: Bearer (\S+)' '(\S+)'$/.exec(curl) ?? assert.fail(curl);
    assert.equal(url, `${baseUrl}/articles?limit=2`);
    const answer = await fetch(url ?? '', { headers: { authorization: `Bearer ${token}` } });
    assert.equal(answer.status, 200);
    const articles: unknown = await answer.json();
    assert.ok(Array.isArray(articles) && articles.length === 2);
  });

  it('keeps what is there: the same login, a fresh token, no more records', async (t) => {
    const block = async (): Promise<ReturnType<typeof printed>> => {
      const child = start(t, place, 'serve', '--demo');
      await child.seen('valid for an hour');
      child.signal('SIGTERM');
      return printed((await child.ended).stdout);
    };
    const changes = (): unknown => {
      const database = new DatabaseSync(join(place.folder, 'data/logistics-connect.db'), { readOnly: true });
      const rows = database.prepare('select code, last_change from activity').all();
      database.close();
      return rows;
    };
    const before = changes();
    const [one, two] = [await block(), await block()];
    assert.equal(one.password, two.password);
    assert.notEqual(one.curl, two.curl);
    assert.deepEqual(changes(), before);
  });

  it('warns loudly where others can reach it, and is told off by the doctor', async (t) => {
    const open = { ...place, variables: { ...anyPort, HOST: '0.0.0.0' } };
    const child = start(t, open, 'serve', '--demo');
    await child.seen('valid for an hour');
    child.signal('SIGTERM');
    assert.match((await child.ended).stderr, /WARNING: others can reach this server \(HOST=0\.0\.0\.0\)/);
    assert.equal((await run(open, 'doctor')).code, 1);
  });

  it('serves without the login when the operator disabled it', async (t) => {
    await succeed(place, 'user', 'disable', 'demo');
    const child = start(t, place, 'serve', '--demo');
    await child.seen('The demonstration login is disabled.');
    child.signal('SIGTERM');
    const { code, stdout } = await child.ended;
    assert.equal(code, 0);
    assert.doesNotMatch(stdout, /curl|password/);
  });
});
