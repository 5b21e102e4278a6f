// Adding, disabling and recognising users; which passwords are accepted and what is stored of them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { hashPassword, passwordFault, passwordMatches } from '../../src/auth/passwords.ts';
import { addUser, authenticate, disableUser, findUser, listUsers } from '../../src/auth/users.ts';
import type { NewUser } from '../../src/auth/users.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import { goodPassword, openDatabase } from './fixture.ts';
import { rowIn } from '../contract/database.ts';
import { userAccountTable } from '../../src/store/tables/access.ts';

const mia: NewUser = { login: 'mia', password: goodPassword, activityCodes: ['BBB', 'AAA'], operator: false };
const refused =
  (...patterns: readonly RegExp[]) =>
  (error: unknown): boolean =>
    error instanceof OperatorError && patterns.every((pattern) => pattern.test(error.message));

describe('user add', () => {
  const rows: readonly (readonly [name: string, changes: Partial<NewUser>, ...patterns: RegExp[]])[] = [
    ['an empty login', { login: ' ' }, /A login has/],
    ['a login with a blank', { login: 'mia m' }, /A login has/],
    ['a login that looks like another', { login: 'miа' }, /A login has/],
    ['a login that ends in a dot', { login: 'mia.' }, /A login has/],
    ['a long login', { login: 'x'.repeat(101) }, /A login has/],
    ['a short password', { password: 'x7!kQ9z_long?!' }, /at least 15 characters/],
    ['no activity', { activityCodes: [] }, /at least one activity/],
    ['an activity that does not exist', { activityCodes: ['ZZZ'] }, /There is no activity "ZZZ"/],
    [
      'everything at once',
      { login: '', password: '', activityCodes: [] },
      /A login has/,
      /at least 15/,
      /at least one activity/,
    ],
  ];
  for (const [name, changes, ...patterns] of rows) {
    it(`refuses ${name}`, async (t) => {
      const { store } = await openDatabase(t);
      await assert.rejects(addUser(store, { ...mia, ...changes }, 1), refused(...patterns));
      assert.deepEqual(await listUsers(store), []);
    });
  }

  it('refuses a login that exists, in any case, also when two add it at once', async (t) => {
    const { store } = await openDatabase(t);
    const results = await Promise.allSettled([addUser(store, mia, 1), addUser(store, { ...mia, login: 'MIA' }, 1)]);
    assert.deepEqual(results.map((result) => result.status).toSorted(), ['fulfilled', 'rejected']);
    await assert.rejects(addUser(store, { ...mia, login: 'Mia' }, 2), refused(/There is a user "mia" already/));
  });

  it('keeps the user without the password', async (t) => {
    const { store } = await openDatabase(t);
    const user = await addUser(store, { ...mia, login: ' Mia@Example.COM ' }, 7);
    assert.match(user.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    assert.deepEqual(
      { ...user, id: '' },
      {
        id: '',
        login: 'mia@example.com',
        activityCodes: ['AAA', 'BBB'],
        operator: false,
        operatorRoles: [],
        identityProvider: null,
        disabledAt: null,
        createdAt: 7,
        signedOutAt: null,
        secondFactorRequired: false,
        secondFactor: false,
      },
    );
    assert.deepEqual(await findUser(store, 'MIA@example.com'), user);
    const row = await rowIn(store, userAccountTable);
    assert.match(row.passwordHash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  });

  it('lets an operator have no activity', async (t) => {
    const { store } = await openDatabase(t);
    assert.deepEqual((await addUser(store, { ...mia, activityCodes: [], operator: true }, 1)).activityCodes, []);
  });
});

describe('signing in', () => {
  it('works with the password alone, and the same answer is given for every failure', async (t) => {
    const { store } = await openDatabase(t);
    const user = await addUser(store, mia, 1);
    assert.deepEqual(await authenticate(store, 'MIA ', goodPassword), user);
    for (const [login, password] of [
      ['mia', `${goodPassword} `],
      ['mia', ''],
      ['nobody', goodPassword],
      ['', ''],
      ['mia', 'x'.repeat(100_000)],
      ['mia\0', goodPassword],
    ] as const) {
      assert.equal(await authenticate(store, login, password), null);
    }
    await disableUser(store, 'Mia', 2);
    assert.equal(await authenticate(store, 'mia', goodPassword), null);
    assert.equal((await disableUser(store, 'mia', 3)).disabledAt, 2);
    await assert.rejects(disableUser(store, 'nobody', 3), refused(/There is no user "nobody"/));
  });
});

describe('a password', () => {
  const weak = [
    '123456789012345',
    '987654321098765',
    'aaaaaaaaaaaaaaaa',
    'abcabcabcabcabcabc',
    'passwordpassword',
    'Password1234567!',
    'P@ssw0rd-P@ssw0rd',
    'qwertyuiopasdfg',
    'azertyuiopqsdfg',
    'correct horse battery staple',
    'mia.wonderland1',
    'MIA.Wonderland@example.com',
    'mia.wonderland mia.wonderland',
    'abcdefghijklmnop',
    '               ',
    '---------------',
    'logisticsconnect2026',
    'motdepassemotdepasse',
    '1q2w3e4r5t6y7u8i',
    '１２３４５６７８９０１２３４５',
  ];
  for (const password of weak) {
    it(`must not be "${password}"`, () =>
      assert.match(
        passwordFault(password, password.startsWith('MIA') ? 'mia.wonderland@example.com' : 'mia.wonderland') ?? '',
        /first that anyone would try/,
      ));
  }

  for (const password of [
    goodPassword,
    'cinq caisses de thé vert',
    '木木森森林林水水火火山山川川空',
    'x7!kQ9z_long?!L',
    `${'crates and '.repeat(93)}x`,
  ]) {
    it(`may be "${password.slice(0, 40)}"`, () => assert.equal(passwordFault(password, 'mia'), null));
  }

  it('is counted in characters below and in bytes above', () => {
    assert.match(passwordFault('😀🚚📦🏭🛒', 'mia') ?? '', /at least 15/);
    assert.equal(passwordFault('😀🚚📦🏭🛒🌍🌊🔥🌳🍎🚀🎈🎲🎯🎻', 'mia'), null);
    assert.match(passwordFault('é'.repeat(500) + goodPassword, 'mia') ?? '', /longer than 1024 bytes/);
    assert.match(passwordFault(`${goodPassword}\ud800`, 'mia') ?? '', /half a character/);
  });

  it('is the same however the keyboard spells it', async () => {
    const stored = await hashPassword('cinq caisses de the\u0301 vert');
    assert.equal(await passwordMatches('cinq caisses de thé vert', stored), true);
    assert.equal(await passwordMatches('cinq caisses de the vert', stored), false);
  });

  it('is stored with a salt of its own', async () => {
    assert.notEqual(await hashPassword(goodPassword), await hashPassword(goodPassword));
  });

  it('matches nothing where there is no login', async () => {
    assert.equal(await passwordMatches('', null), false);
    assert.equal(await passwordMatches(goodPassword, null), false);
  });

  it('is compared with a hash that other software made', async () => {
    // From the reference implementation's own tests: argon2id, 256 KiB, 2 passes, "password", "somesalt".
    assert.equal(
      await passwordMatches(
        'password',
        '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
      ),
      true,
    );
    assert.equal(
      await passwordMatches(
        'passwore',
        '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
      ),
      false,
    );
  });

  it('is never compared with a hash that is out of form', async () => {
    for (const stored of [
      '',
      'plain',
      '$argon2i$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4',
    ]) {
      await assert.rejects(passwordMatches('plain', stored), /not in argon2id PHC form/);
    }
  });

  it('is judged without an error whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), fc.string({ maxLength: 10 }), (password, login) => {
        const fault = passwordFault(password, login);
        assert.ok(fault === null || fault.endsWith('.'));
      }),
    );
  });
});
