// user export and user import: users as CSV, all or none.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { parse } from 'csv-parse/sync';
import { authenticate } from '../../src/auth/users.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import { definitions } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { goodPassword, json, type Place, run, succeed, temporaryFolder } from './fixture.ts';

async function placeWithUsers(t: TestContext): Promise<Place> {
  const place = { folder: temporaryFolder(t), now: () => Date.UTC(2026, 0, 31, 8) };
  await succeed(place, 'activity', 'add', 'ACM', 'Acme');
  await succeed(place, 'activity', 'add', '1E5', 'Looks like a number');
  await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'mia', '--activity', 'ACM', '1E5');
  await succeed({ ...place, stdin: goodPassword }, 'user', 'add', 'ops', '--operator');
  await succeed(place, 'user', 'disable', 'ops');
  return place;
}

const factorAdded: NewAuditEntry = {
  ...({ actorKind: 'command', actor: 'olga', subject: null, action: 'user.second-factor.add' } as const),
  ...({
    activityCodes: [],
    target: null,
    operationId: null,
    outcome: 'accepted',
    address: null,
    details: null,
  } as const),
};

const exported = [
  'login,activities,operator,disabled,second_factor,second_factor_set_up,created,roles',
  'mia,1E5 ACM,no,no,optional,no,2026-01-31T08:00:00.000Z,',
  'ops,,yes,yes,optional,no,2026-01-31T08:00:00.000Z,',
  '',
].join('\r\n');

describe('user export', () => {
  it('writes CSV without passwords, that changes nothing when it is read back', async (t) => {
    const place = await placeWithUsers(t);
    const text = await succeed(place, 'user', 'export');
    assert.equal(text, exported);
    assert.equal(
      await succeed({ ...place, stdin: text }, 'user', 'import', '-'),
      'users: 0 new, 0 changed, 2 unchanged\n',
    );
  });

  it('writes the users of one activity, and no value that a spreadsheet would compute', async (t) => {
    const place = await placeWithUsers(t);
    const records: string[][] = parse(await succeed(place, 'user', 'export', '--activity', 'ACM'));
    assert.deepEqual(
      records.map(([login]) => login),
      ['login', 'mia'],
    );
    for (const value of records.flat()) assert.doesNotMatch(value, /^[=+\-@\t\r]/);
    assert.equal((await run(place, 'user', 'export', '--activity', 'XXX')).code, 1);
  });

  it('says who has set up a second factor, as the list does', async (t) => {
    const place = await placeWithUsers(t);
    await succeed(place, 'user', 'change', 'ops', '--second-factor', 'required');
    const store = await openStore({ dataDir: `${place.folder}/data`, databaseUrl: null }, definitions);
    try {
      const mia = await store.users.byLogin('mia');
      const factor = { totpSecret: 'x', totpStep: 1, recoveryCodes: [] };
      assert.ok(await store.secondFactors.add(mia?.id ?? '', factor, factorAdded));
    } finally {
      await store.close();
    }
    assert.equal(
      await succeed(place, 'user', 'list'),
      [
        'LOGIN\tACTIVITIES\tOPERATOR\tSECOND FACTOR\tCREATED\tDISABLED',
        'mia\t1E5 ACM\tno\tset up\t2026-01-31T08:00Z\t',
        'ops\t\tyes\tnone, required\t2026-01-31T08:00Z\t2026-01-31T08:00Z',
        '',
      ].join('\n'),
    );
    const listed = await json<{ secondFactor: boolean; secondFactorRequired: boolean }[]>(place, 'user', 'list');
    assert.deepEqual(
      listed.map(({ secondFactor, secondFactorRequired }) => [secondFactor, secondFactorRequired]),
      [
        [true, false],
        [false, true],
      ],
    );
    const records: string[][] = parse(await succeed(place, 'user', 'export'));
    assert.deepEqual(
      records.map((cells) => cells.slice(4, 6)),
      [
        ['second_factor', 'second_factor_set_up'],
        ['optional', 'yes'],
        ['required', 'no'],
      ],
    );
  });

  it('could not write one: no login begins with a sign', async (t) => {
    const place = await placeWithUsers(t);
    for (const login of ['=cmd', '+1', '-1', '@sum', '\tx']) {
      const stdin = `login,activities\n"${login}",ACM\n`;
      const { code, stderr } = await run({ ...place, stdin }, 'user', 'import', '-', '--dry-run');
      if (login.trim() === login) assert.deepEqual([code, /Line 2: A login has/.test(stderr)], [1, true], login);
    }
  });
});

describe('user import', () => {
  const faults: readonly (readonly [name: string, file: string | Uint8Array, ...said: RegExp[]])[] = [
    ['nothing', '', /The file is empty/],
    ['no heading', 'leo,ACM\n', /there is no column "leo".*the column "login" is missing/],
    ['a column that is not known', 'login,role\nleo,x\n', /Line 1: there is no column "role"/],
    ['a column twice', 'login,login\nleo,leo\n', /Line 1: the column "login" is there twice/],
    ['passwords', 'login,password\nleo,x\n', /no column "password": new users get one/],
    ['bytes that are no text', new Uint8Array([0xff, 0xfe, 0x6c, 0x00]), /not UTF-8 text.*CSV UTF-8/],
    ['a quote that does not end', 'login,activities\n"leo,ACM\n', /The file is not CSV: .*/],
    ['too many bytes', 'x'.repeat(4_000_001), /larger than 4000000 bytes/],
    [
      'every wrong line, by its number',
      ['login,activities', 'leo,ACM', '', 'ada,XXX', 'Mia M,ACM', 'LEO,ACM', 'eve,', ''].join('\n'),
      /Line 4: There is no activity "XXX"\./,
      /Line 5: A login has/,
      /Line 6: The user "leo" is on line 2 already/,
      /Line 7: A user who is not an operator needs/,
      /Nothing was changed/,
    ],
    ['what is not yes or no', 'login,operator\nmia,maybe\n', /Line 2: "maybe" is not yes or no \(operator\)/],
    ['another rule', 'login,second_factor\nmia,yes\n', /Line 2: "yes" is not optional or required \(second_factor\)/],
    ['a line with more values', 'login,activities\nmia,ACM,1E5\n', /Line 2: It has 3 values, the first line 2/],
    ['a number made of a code', 'login,activities\nmia,1.00E+05\n', /Line 2: There is no activity "1\.00E\+05"/],
  ];
  for (const [name, stdin, ...said] of faults) {
    it(`refuses ${name}, and changes nothing`, async (t) => {
      const place = await placeWithUsers(t);
      const { code, stdout, stderr } = await run({ ...place, stdin }, 'user', 'import', '-', '--passwords', 'new.csv');
      assert.deepEqual([code, stdout], [1, '']);
      for (const pattern of said) assert.match(stderr, pattern);
      assert.equal(await succeed(place, 'user', 'export'), exported);
      assert.equal(existsSync(join(place.folder, 'new.csv')), false);
    });
  }

  it('tells the first twenty faults of many', async (t) => {
    const place = await placeWithUsers(t);
    const stdin = `login,activities\n${'!,ACM\n'.repeat(500)}`;
    const { stderr } = await run({ ...place, stdin }, 'user', 'import', '-');
    assert.match(stderr, /Line 21: .*There are 480 more faults\. Nothing was changed/);
  });

  it('takes semicolons, tabs, a byte order mark, quotes and other line ends', async (t) => {
    const place = await placeWithUsers(t);
    for (const text of [
      '\ufefflogin;activities\r\nmia;ACM\r\n',
      'Login\tActivities\nmia\t ACM \n',
      '"activities","login"\r"ACM","MIA"\r',
    ])
      assert.deepEqual(
        await json<unknown>({ ...place, stdin: text }, 'user', 'import', '-', '--dry-run'),
        { dryRun: true, added: [], changed: ['mia'], unchanged: 0 },
        text,
      );
    assert.equal(await succeed(place, 'user', 'export'), exported);
  });

  it('asks for a second factor of whom the list says so, and an empty cell takes that from nobody', async (t) => {
    const place = await placeWithUsers(t);
    const import_ = (stdin: string) => succeed({ ...place, stdin }, 'user', 'import', '-');
    assert.equal(
      await import_('login,second_factor\nmia,required\nops,optional\n'),
      'users: 0 new, 1 changed, 1 unchanged\n' +
        'Who has to have a second factor and has none sets it up at the next sign-in.\n',
    );
    assert.match(await import_('login,second_factor\nmia,\n'), /0 new, 0 changed, 1 unchanged/);
    assert.match(await succeed(place, 'user', 'export'), /^mia,1E5 ACM,no,no,required,no,/m);
    assert.match(await succeed(place, 'audit', '--json'), /"secondFactor":"required"/);
    assert.match(await import_(await succeed(place, 'user', 'export')), /0 new, 0 changed, 2 unchanged/);
    assert.match(await import_('login,second_factor\nmia,optional\n'), /0 new, 1 changed, 0 unchanged/);
  });

  it('changes what is said and leaves what is not, and ends what a disabled user had', async (t) => {
    const place = await placeWithUsers(t);
    const file = join(place.folder, 'users.csv');
    writeFileSync(file, 'login,disabled\nmia,yes\nops,no\n');
    assert.equal(
      await succeed(place, 'user', 'import', 'users.csv'),
      'users: 0 new, 2 changed, 0 unchanged\nWhat was withdrawn is closed within a minute, for tokens in hand too.\n',
    );
    const users = await json<{ login: string; activityCodes: string[]; disabledAt: string; signedOutAt: string }[]>(
      place,
      ...['user', 'list'],
    );
    assert.deepEqual(
      users.map(({ login, activityCodes, disabledAt, signedOutAt }) => [
        login,
        activityCodes,
        disabledAt !== null,
        signedOutAt !== null,
      ]),
      [
        ['mia', ['1E5', 'ACM'], true, true],
        ['ops', [], false, true],
      ],
    );
    const trail = await succeed(place, 'audit', '--json');
    assert.equal(trail.match(/"action":"user\.change"/g)?.length, 2);
    assert.match(trail, /"disabled":true/);
  });

  it('gives new users passwords that open, in a file for nobody else', async (t) => {
    const place = await placeWithUsers(t);
    const stdin = 'login,activities,operator\nleo@shop.example,ACM,no\nada,,yes\nmia,ACM,no\n';
    const without = await run({ ...place, stdin }, 'user', 'import', '-');
    assert.deepEqual([without.code, /2 users are new.*--passwords FILE/.test(without.stderr)], [1, true]);
    const said = await succeed({ ...place, stdin }, 'user', 'import', '-', '--passwords', 'new.csv');
    assert.match(said, /^users: 2 new, 1 changed, 0 unchanged\n.*\nThe passwords of new users are in new\.csv/);
    const file = join(place.folder, 'new.csv');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const [heading, ...lines]: string[][] = parse(readFileSync(file, 'utf8'));
    assert.deepEqual(
      [heading, lines.map(([login]) => login)],
      [
        ['login', 'password'],
        ['leo@shop.example', 'ada'],
      ],
    );
    const store = await openStore({ dataDir: `${place.folder}/data`, databaseUrl: null }, definitions);
    try {
      for (const [login = '', password = ''] of lines)
        assert.equal((await authenticate(store, login, password))?.login, login);
    } finally {
      await store.close();
    }
    const trail = await succeed(place, 'audit', '--json');
    for (const [, password = ''] of lines) assert.ok(!trail.includes(password) && !said.includes(password));
  });

  it('does not write over a file of passwords, nor leave one behind where nothing was added', async (t) => {
    const place = await placeWithUsers(t);
    writeFileSync(join(place.folder, 'old.csv'), 'keep');
    const stdin = 'login,activities\nleo,ACM\n';
    const { code, stderr } = await run({ ...place, stdin }, 'user', 'import', '-', '--passwords', 'old.csv');
    assert.deepEqual([code, /The passwords cannot be written.*Nothing was changed/.test(stderr)], [1, true]);
    assert.equal(readFileSync(join(place.folder, 'old.csv'), 'utf8'), 'keep');
    assert.equal((await run(place, 'user', 'import', 'missing.csv')).code, 1);
    assert.equal(await succeed(place, 'user', 'export'), exported);
  });
});
