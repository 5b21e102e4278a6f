// Users on the command line, and the ways in which a password comes in.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { PassThrough } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { authenticate } from '../../src/auth/users.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { goodPassword, json, launcher, type Place, run, start, succeed, temporaryFolder } from './fixture.ts';

async function placeWithActivity(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  return place;
}

async function canSignIn(place: Place, login: string, password: string): Promise<boolean> {
  const store = await openStore({ dataDir: `${place.folder}/data`, databaseUrl: null }, definitions);
  try {
    return (await authenticate(store, login, password)) !== null;
  } finally {
    await store.close();
  }
}

describe('user add', () => {
  for (const [stdin, said] of [
    ['', /No password came on standard input/],
    ['\n', /No password came on standard input/],
    ['short\n', /needs at least 15 characters/],
    ['passwordpassword1\n', /among the first that anyone would try/],
    [new Uint8Array([0xff, 0xfe, 0x0a]), /is not UTF-8 text/],
    ['x'.repeat(100_000), /longer than 4096 bytes/],
  ] as const) {
    it(`refuses ${JSON.stringify(String(stdin).slice(0, 20))} as input before storage is opened`, async (t) => {
      const { code, stdout, stderr } = await run(
        { folder: temporaryFolder(t), stdin },
        'user',
        'add',
        'mia',
        '--activity',
        'ACM',
      );
      assert.equal(code, 1);
      assert.equal(stdout, '');
      assert.match(stderr, said);
    });
  }

  it('refuses a login and a lack of activities before it reads a password', async (t) => {
    const stdin = new PassThrough();
    const { code, stderr } = await run({ folder: temporaryFolder(t), stdin }, 'user', 'add', 'Mia Müller');
    assert.equal(code, 1);
    assert.match(stderr, /A login has.*needs at least one activity/);
  });

  it('refuses a login that is taken, in any case of letters', async (t) => {
    const place = await placeWithActivity(t);
    await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'ACM');
    const { code, stderr } = await run({ ...place, stdin: goodPassword }, 'user', 'add', 'MIA', '--activity', 'ACM');
    assert.equal(code, 1);
    assert.match(stderr, /There is a user "mia" already/);
  });

  it('takes the first line of standard input, whatever ends it', async (t) => {
    const place = await placeWithActivity(t);
    for (const [login, stdin] of [
      ['a1', goodPassword],
      ['a2', `${goodPassword}\n`],
      ['a3', `${goodPassword}\r\nmore\n`],
      ['a4', `  ${goodPassword} \n`],
    ] as const) {
      await succeed({ ...place, stdin }, 'user', 'add', login, '--activity', 'ACM');
    }
    for (const login of ['a1', 'a2', 'a3']) assert.ok(await canSignIn(place, login, goodPassword), login);
    assert.ok(await canSignIn(place, 'a4', `  ${goodPassword} `), 'blanks belong to a password');
  });

  it('does not wait for the end of standard input', async (t) => {
    const place = await placeWithActivity(t);
    const stdin = new PassThrough();
    stdin.write(`${goodPassword}\n`);
    await succeed({ ...place, stdin }, 'user', 'add', 'mia', '--activity', 'ACM');
  });

  it('shows nothing of the password', async (t) => {
    const place = await placeWithActivity(t);
    const added = await run({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'ACM', '--json');
    const listed = await succeed(place, 'user', 'list', '--json');
    for (const text of [added.stdout, added.stderr, listed, await succeed(place, 'user', 'list')])
      assert.ok(!text.includes(goodPassword) && !text.includes('argon2'));
    assert.deepEqual(Object.keys(JSON.parse(listed)[0]), [
      'id',
      'login',
      'activityCodes',
      'operator',
      'operatorRoles',
      'disabledAt',
      'createdAt',
      'signedOutAt',
      'secondFactorRequired',
      'secondFactor',
      'identityProvider',
    ]);
  });

  it('lets an operator be without activities', async (t) => {
    const place = await placeWithActivity(t);
    assert.equal(
      await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'ops', '--operator'),
      'User ops is an operator and may act in no activity.\n',
    );
    assert.deepEqual(
      (await json<{ login: string; operator: boolean }[]>(place, 'user', 'list')).map((user) => [
        user.login,
        user.operator,
      ]),
      [['ops', true]],
    );
  });
});

describe('user disable', () => {
  it('refuses a login that is not there', async (t) => {
    const { code, stderr } = await run(await placeWithActivity(t), 'user', 'disable', 'nobody');
    assert.equal(code, 1);
    assert.match(stderr, /There is no user "nobody"/);
  });

  it('ends sign-in and shows in the list', async (t) => {
    const place = await placeWithActivity(t);
    await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'ACM');
    await succeed(place, 'user', 'disable', 'MIA');
    assert.equal(await canSignIn(place, 'mia', goodPassword), false);
    assert.match((await succeed(place, 'user', 'list')).split('\n')[1] ?? '', /^mia\tACM\tno\tnone\t\S+Z\t\S+Z$/);
  });
});

describe('user password and user enable', () => {
  const other = 'quite another pass phrase';

  it('refuse a login that is not there, before a password is read', async (t) => {
    const place = await placeWithActivity(t);
    for (const command of ['password', 'enable']) {
      const { code, stderr } = await run({ ...place, stdin: new PassThrough() }, 'user', command, 'nobody');
      assert.equal(code, 1);
      assert.match(stderr, /There is no user "nobody"/);
    }
  });

  it('refuses a weak password and keeps the old one', async (t) => {
    const place = await placeWithActivity(t);
    await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'ACM');
    const { code, stderr } = await run({ ...place, stdin: 'short' }, 'user', 'password', 'mia');
    assert.equal(code, 1);
    assert.match(stderr, /needs at least 15 characters.*Nothing was changed/);
    assert.equal(await canSignIn(place, 'mia', goodPassword), true);
  });

  it('takes the new password instead of the old one, and leaves an audit entry without either', async (t) => {
    const place = await placeWithActivity(t);
    await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'ACM');
    const said = await succeed({ ...place, stdin: other }, 'user', 'password', 'MIA');
    assert.match(said, /^User mia has a new password/);
    assert.deepEqual(
      [await canSignIn(place, 'mia', goodPassword), await canSignIn(place, 'mia', other)],
      [false, true],
    );
    const trail = await succeed(place, 'audit', '--json');
    assert.match(trail, /user\.password/);
    assert.ok(!`${said}${trail}`.includes(other));
  });

  it('lets a disabled user in again', async (t) => {
    const place = await placeWithActivity(t);
    await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'ACM');
    await succeed(place, 'user', 'disable', 'mia');
    await succeed({ ...place, stdin: other }, 'user', 'password', 'mia');
    assert.equal(await canSignIn(place, 'mia', other), false);
    assert.match(await succeed(place, 'user', 'enable', 'mia'), /may sign in again/);
    assert.equal(await canSignIn(place, 'mia', other), true);
  });
});

const script = '/usr/bin/script';
const noTerminal =
  existsSync(script) && process.platform === 'linux' ? false : 'there is no script(1) that makes a pseudo terminal';

describe('the password prompt on a terminal', { skip: noTerminal }, () => {
  const inTerminal = (t: TestContext, place: Place) =>
    start(t, { ...place, program: script }, '-qefc', `'${launcher}' user add mia --activity ACM`, '/dev/null');

  it('asks twice and echoes nothing', async (t) => {
    const place = await placeWithActivity(t);
    const child = inTerminal(t, place);
    await child.seen('Password for mia: ');
    child.write(`${goodPassword}\r`);
    await child.seen('The same again: ');
    child.write(`${goodPassword}\r`);
    const { code, stdout } = await child.ended;
    assert.equal(code, 0, stdout);
    assert.ok(!stdout.includes(goodPassword) && !stdout.includes('tall'));
    assert.ok(await canSignIn(place, 'mia', goodPassword));
  });

  it('refuses a weak password before it is typed again', async (t) => {
    const child = inTerminal(t, await placeWithActivity(t));
    await child.seen('Password for mia: ');
    child.write('short\r');
    const { code, stdout } = await child.ended;
    assert.equal(code, 1);
    assert.match(stdout, /at least 15 characters/);
    assert.doesNotMatch(stdout, /The same again/);
  });

  it('refuses two that differ', async (t) => {
    const place = await placeWithActivity(t);
    const child = inTerminal(t, place);
    await child.seen('Password for mia: ');
    child.write(`${goodPassword}\r`);
    await child.seen('The same again: ');
    child.write(`${goodPassword}!\r`);
    const { code, stdout } = await child.ended;
    assert.equal(code, 1);
    assert.match(stdout, /The two passwords differ/);
    assert.deepEqual(await json<unknown>(place, 'user', 'list'), []);
  });

  for (const [name, key, exit] of [
    ['Ctrl-C', '\u0003', 130],
    ['Ctrl-D', '\u0004', 1],
  ] as const) {
    it(`ends on ${name} with ${exit}`, async (t) => {
      const child = inTerminal(t, await placeWithActivity(t));
      await child.seen('Password for mia: ');
      child.write(key);
      const { code, stdout } = await child.ended;
      assert.equal(code, exit, stdout);
      assert.match(stdout, /logistics-connect: (Interrupted|No password was given)/);
    });
  }
});
