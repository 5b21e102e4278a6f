// The commands on a PostgreSQL server, several processes at once.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Client } from 'pg';
import { goodPassword, json, type Place, run, runProgram, start, succeed, temporaryFolder } from './fixture.ts';

const serverUrl = process.env.TEST_DATABASE_URL;

describe('commands on PostgreSQL', { skip: serverUrl === undefined ? 'TEST_DATABASE_URL is not set' : false }, () => {
  const name = `lc_commands_${randomBytes(6).toString('hex')}`;
  const url = new URL(serverUrl ?? 'postgres://127.0.0.1/');
  url.pathname = `/${name}`;
  const variables = { DATABASE_URL: url.href, PORT: '0' };

  const administer = async (text: string, at = serverUrl ?? ''): Promise<void> => {
    const administration = new Client(at);
    await administration.connect();
    await administration.query(text);
    await administration.end();
  };

  before(async () => {
    await administer(`create database ${name} encoding 'UTF8' template template0`);
  });
  after(async () => {
    await administer(`drop database if exists ${name} with (force)`);
  });

  it('migrates once, whoever comes first', async (t) => {
    const place: Place = { folder: temporaryFolder(t), variables };
    assert.match((await run(place, 'doctor')).stdout, /The database is empty/);
    // An address that is looked at first, or mistyped, stays one into which a backup can be restored.
    for (const line of [['activity', 'list'], ['audit'], ['key', 'add', 'WMS', '--all'], ['restored']]) {
      const { code, stderr } = await run(place, ...line);
      assert.equal(code, 1, line.join(' '));
      assert.match(
        stderr,
        /^logistics-connect: The database that DATABASE_URL names is empty\. Set DATABASE_URL .*\n$/,
      );
    }
    assert.match((await run(place, 'doctor')).stdout, /The database is empty/);
    const runs = await Promise.all([1, 2].map(() => runProgram(t, place, 'migrate', '--json')));
    assert.deepEqual(
      runs.map(({ code }) => code),
      [0, 0],
      runs.map(({ stderr }) => stderr).join(''),
    );
    assert.equal(runs.filter(({ stdout }) => JSON.parse(stdout).applied.length > 0).length, 1);
  });

  it('adds, lists, imports and makes tokens; the server answers them', async (t) => {
    const place: Place = { folder: temporaryFolder(t), variables };
    const child = start(t, place, 'serve', '--json');
    const { baseUrl, authUrl } = JSON.parse(
      (await child.seen('"baseUrl"')).split('\n').find((line) => line.includes('"baseUrl"')) ?? '',
    );
    const here = { ...place, variables: { ...variables, BASE_URL: baseUrl, AUTH_URL: authUrl } };
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
    const [listed] = await json<{ code: string; lastWriteAt: string }[]>(here, 'activity', 'list');
    assert.match(listed?.lastWriteAt ?? '', /Z$/);
    const { code, stdout } = await run(here, 'doctor');
    assert.equal(code, 0, stdout);
    child.signal('SIGTERM');
    assert.equal((await child.ended).code, 0);
  });

  it('tells how many connections a server misses', async (t) => {
    const place: Place = { folder: temporaryFolder(t), variables: { ...variables, WORKERS: '1', MAX_LONG_READS: '2' } };
    await administer(`alter database ${name} connection limit 16`);
    // It does not hold for a superuser, whose connections are counted nevertheless.
    const told =
      /warning +storage +The database allows this login 16 connections, and a server of 1 worker opens up to 17/;
    assert.match((await run(place, 'doctor')).stdout, told);
    await administer(`alter database ${name} connection limit 17`);
    const enough = (await run(place, 'doctor')).stdout;
    assert.doesNotMatch(enough, /allows this login/);
    // Whoever has two servers sees that they do not fit.
    assert.match(enough, /ok +storage +Of the 17 connections for all servers .* of 1 worker opens up to 17\./);
    await administer(`alter database ${name} connection limit -1`);
  });

  it('tells a database that takes no writes', async (t) => {
    await administer(`alter database ${name} set default_transaction_read_only = on`);
    const { code, stdout } = await run({ folder: temporaryFolder(t), variables }, 'doctor');
    assert.equal(code, 1);
    assert.match(stdout, /wrong +storage +The database takes no writes/);
  });

  it('tells a login that may not make the tables, and works for it in a schema of its own', async (t) => {
    const login = `lc_login_${randomBytes(6).toString('hex')}`;
    const owned = `${name}_2`;
    await administer(`create role ${login} login password 'x'`);
    await administer(`create database ${owned} encoding 'UTF8' template template0`);
    t.after(async () => {
      await administer(`drop database ${owned} with (force)`);
      await administer(`drop role ${login}`);
    });
    // Before PostgreSQL 15 anybody could.
    const address = new URL(url);
    address.pathname = `/${owned}`;
    await administer('revoke create on schema public from public', address.href);
    const asLogin = new URL(address);
    Object.assign(asLogin, { username: login, password: 'x' });
    const place: Place = { folder: temporaryFolder(t), variables: { ...variables, DATABASE_URL: asLogin.href } };
    const refused = await run(place, 'migrate');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /may not do that in the database: permission denied.*alter database NAME owner to/);
    const checked = await run(place, 'doctor');
    assert.equal(checked.code, 1);
    assert.match(checked.stdout, /wrong +storage +The login of DATABASE_URL may not make tables in the schema public/);

    await administer(`alter role ${login} set search_path = nowhere`);
    assert.match(
      (await run(place, 'migrate')).stderr,
      /no schema has been selected.*create schema authorization LOGIN/,
    );
    assert.match((await run(place, 'doctor')).stdout, /wrong +storage +The search_path of the login names no schema/);

    await administer(`alter role ${login} reset search_path`);
    await administer(`create schema authorization ${login}`, address.href);
    assert.equal((await run(place, 'migrate')).code, 0);
    assert.match((await run(place, 'doctor')).stdout, /ok +storage +The database takes writes/);
  });

  it('works in a schema of its own, whatever tables others have in the schema public', async (t) => {
    // With a character that a name has in quotes alone.
    const login = `lc-login-${randomBytes(6).toString('hex')}`;
    const shared = new URL(url);
    shared.pathname = `/${name}_3`;
    await administer(`create role "${login}" login password 'x'`);
    await administer(`create database ${name}_3 encoding 'UTF8' template template0`);
    t.after(async () => {
      await administer(`drop database ${name}_3 with (force)`);
      await administer(`drop role "${login}"`);
    });
    const others: Place = { folder: temporaryFolder(t), variables: { ...variables, DATABASE_URL: shared.href } };
    await succeed(others, 'activity', 'add', 'OTH', 'Others');
    await administer(`create schema authorization "${login}"`, shared.href);
    const asLogin = Object.assign(new URL(shared), { username: login, password: 'x' });
    const own: Place = { folder: temporaryFolder(t), variables: { ...variables, DATABASE_URL: asLogin.href } };
    assert.match((await run(own, 'doctor')).stdout, /The database is empty/);
    assert.match((await run(own, 'activity', 'list')).stderr, /The database that DATABASE_URL names is empty/);
    const backup = join(others.folder, 'backup');
    await succeed(others, 'backup', '--to', backup);
    await succeed(own, 'restore', backup);
    await succeed(own, 'activity', 'add', 'OWN', 'Own');
    for (const [place, codes] of [
      [own, ['OTH', 'OWN']],
      [others, ['OTH']],
    ] as const)
      assert.deepEqual(
        (await json<{ code: string }[]>(place, 'activity', 'list')).map(({ code }) => code),
        codes,
      );
  });

  it('tells the owner of a database what to do about tables that another login made there', async (t) => {
    const login = `lc_login_${randomBytes(6).toString('hex')}`;
    const owned = new URL(url);
    owned.pathname = `/${name}_5`;
    await administer(`create role ${login} login password 'x'`);
    await administer(`create database ${name}_5 owner ${login} encoding 'UTF8' template template0`);
    t.after(async () => {
      await administer(`drop database ${name}_5 with (force)`);
      await administer(`drop role ${login}`);
    });
    // As after pg_restore --no-owner by an administrator.
    const others: Place = { folder: temporaryFolder(t), variables: { ...variables, DATABASE_URL: owned.href } };
    await succeed(others, 'activity', 'add', 'ACM', 'Acme');
    const asLogin = Object.assign(new URL(owned), { username: login, password: 'x' });
    const place: Place = { folder: temporaryFolder(t), variables: { ...variables, DATABASE_URL: asLogin.href } };
    for (const words of [['migrate'], ['activity', 'list'], ['doctor']]) {
      const { code, stdout, stderr } = await run(place, ...words);
      assert.equal(code, 1);
      assert.match(
        `${stdout}${stderr}`,
        /permission denied for table migration.*alter table NAME owner to LOGIN/s,
        words.join(' '),
      );
    }
    await administer(
      `do $$ declare made name; begin
        for made in select tablename from pg_tables where schemaname = 'public' loop
          execute format('alter table %I owner to ${login}', made);
        end loop;
      end $$`,
      owned.href,
    );
    assert.match(await succeed(place, 'activity', 'list'), /ACM/);
    assert.equal((await run(place, 'doctor')).code, 0);
  });

  it('is empty for doctor, as for restore, where an extension has views', async (t) => {
    const extended = new URL(url);
    extended.pathname = `/${name}_4`;
    await administer(`create database ${name}_4 encoding 'UTF8' template template0`);
    t.after(() => administer(`drop database ${name}_4 with (force)`));
    // As of pg_stat_statements, which many hosters have in each database.
    await administer('create view pg_stat_statements as select 1 as calls', extended.href);
    const place: Place = { folder: temporaryFolder(t), variables: { ...variables, DATABASE_URL: extended.href } };
    assert.match((await run(place, 'doctor')).stdout, /warning +storage +The database is empty/);
  });
});
