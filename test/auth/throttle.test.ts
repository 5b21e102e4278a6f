// Guessing passwords is slowed down for the one who guesses and for nobody else, on every engine, by all processes
// together.
import assert from 'node:assert/strict';
import { createHook } from 'node:async_hooks';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createSignIn } from '../../src/auth/sign-in.ts';
import { type Attempt, createThrottle, type Throttle } from '../../src/auth/throttle.ts';
import type { LoginAttempts } from '../../src/store/login-attempts.ts';
import type { Store } from '../../src/store/store.ts';
import { enginesAboveStorage, provenWithoutServer, storeOn } from '../contract/engines.ts';
import { type Clock, goodPassword, openDatabase, prepare, stoppedClock } from './fixture.ts';
import { watchedStore } from './watched-store.ts';
import { changeRows, removeRows, rowsIn } from '../contract/database.ts';
import { addPreparedUser } from '../contract/prepared-secrets.ts';
import { until } from '../contract/until.ts';
import { loginAttemptTable, userAccountTable } from '../../src/store/tables/access.ts';

const minute = 60_000;
const pepper = async (): Promise<string> => 'the same in every process';

const by = (login: string, address: string, browser: string | null = null): Attempt => ({ login, address, browser });

/** `other`: a second connection, as another process has it. */
interface Opened {
  readonly store: Store;
  readonly other: Store;
  readonly clock: Clock;
  readonly throttle: Throttle;
}

for (const { name, skip, create } of enginesAboveStorage) {
  describe(`throttling on ${name}`, { skip }, () => {
    let opened: Pick<Opened, 'store' | 'other'>;
    let close: () => Promise<void>;
    before(async () => {
      const database = await create();
      const [first, second] = [await database.open(), await database.open()];
      close = async () => {
        await first.close();
        await second.close();
        await database.remove();
      };
      opened = { store: await prepare(first), other: await storeOn(second) };
    });
    after(() => close());
    const open = async (): Promise<Opened> => {
      await removeRows(opened.store, loginAttemptTable);
      const clock = stoppedClock();
      return { ...opened, clock, throttle: createThrottle({ store: opened.store, pepper, now: clock.now }) };
    };

    it('stops the eleventh attempt on a login from one address, and says for how long', async () => {
      const { clock, throttle } = await open();
      for (let attempt = 1; attempt <= 10; attempt += 1) {
        assert.deepEqual(await throttle.check(by('mia', '192.0.2.1')), { allowed: true }, `attempt ${attempt}`);
        await throttle.failed(by('mia', '192.0.2.1'));
      }
      assert.deepEqual(await throttle.check(by('mia', '192.0.2.1')), { allowed: false, wait: 900 });
      assert.deepEqual(await throttle.check(by('  MIA ', '192.0.2.1')), { allowed: false, wait: 900 });
      clock.advance(14 * minute + 59_500);
      assert.deepEqual(await throttle.check(by('mia', '192.0.2.1')), { allowed: false, wait: 1 });
      clock.advance(500);
      assert.deepEqual(await throttle.check(by('mia', '192.0.2.1')), { allowed: true });
    });

    it('does not shut out the owner of the login, who is somewhere else', async () => {
      const { throttle } = await open();
      for (let attempt = 0; attempt < 100; attempt += 1) await throttle.check(by('mia', '192.0.2.1'));
      assert.deepEqual(await throttle.check(by('mia', '198.51.100.7')), { allowed: true });
      assert.deepEqual(await throttle.check(by('mia', '2001:db8::1')), { allowed: true });
    });

    it('does not shut out other logins of the same office because one is tried too often', async () => {
      const { throttle } = await open();
      for (let attempt = 0; attempt < 500; attempt += 1) await throttle.check(by('mia', '192.0.2.1'));
      assert.deepEqual(await throttle.check(by('leo', '192.0.2.1')), { allowed: true });
    });

    it('stops one address that tries many logins, and the rest of its IPv6 network', async () => {
      const { throttle } = await open();
      for (let attempt = 1; attempt <= 50; attempt += 1)
        assert.equal((await throttle.check(by(`login-${attempt}`, `2001:db8:1:2::${attempt}`))).allowed, true);
      assert.deepEqual(await throttle.check(by('login-51', '2001:db8:1:2:ffff::1')), { allowed: false, wait: 900 });
      assert.equal((await throttle.check(by('login-51', '2001:db8:1:3::1'))).allowed, true);
    });

    it('stops a site of IPv6 that tries from network to network', async () => {
      const { throttle } = await open();
      for (let attempt = 0; attempt < 250; attempt += 1)
        assert.equal(
          (await throttle.check(by(`login-${attempt}`, `2001:db8:1:${(attempt % 10) + 1}::1`))).allowed,
          true,
        );
      assert.deepEqual(await throttle.check(by('mia', '2001:db8:1:ffff::1')), { allowed: false, wait: 900 });
      assert.equal((await throttle.check(by('mia', '2001:db8:2:1::1'))).allowed, true);
    });

    it('keeps nothing for the inventions of an address that is shut out', async () => {
      const { store, throttle } = await open();
      for (let attempt = 0; attempt < 80; attempt += 1) await throttle.check(by(`login-${attempt}`, '192.0.2.1'));
      const rows = await rowsIn(store, loginAttemptTable);
      assert.equal(rows.length, 51);
      for (const row of rows) assert.doesNotMatch(JSON.stringify(row), /login-|192\.0/);
    });

    it('forgets the mistakes of whoever signs in, and no others', async () => {
      const { throttle } = await open();
      for (let round = 0; round < 13; round += 1) {
        for (let attempt = 0; attempt < 4; attempt += 1)
          assert.deepEqual(await throttle.check(by('mia', '192.0.2.1')), { allowed: true }, `round ${round}`);
        await throttle.succeeded(by('mia', '192.0.2.1'));
      }
      // 13 rounds of 3 mistakes are 39: eleven attempts are left to the address, whoever makes them.
      let left = 0;
      while ((await throttle.check(by(`other-${left}`, '192.0.2.1'))).allowed) left += 1;
      assert.equal(left, 11);
    });

    it('counts codes of a user in all known browsers together, and forgets both counts of who signs in', async () => {
      const { throttle } = await open();
      const code = (browser: string, codeOf: string): Attempt => ({ ...by('zoe', '192.0.2.90', browser), codeOf });
      const allowed = async (attempt: Attempt): Promise<boolean> => (await throttle.check(attempt)).allowed;
      for (let turn = 0; turn < 10; turn += 1) assert.equal(await allowed(code(`k${turn}`, 'id-zoe')), true);
      assert.equal(await allowed(code('k99', 'id-zoe')), false);
      assert.equal(await allowed(code('k99', 'id-other')), true, 'of another user');
      assert.equal(await allowed({ ...by('zoe', '192.0.2.91'), codeOf: 'id-zoe' }), true, 'elsewhere');

      for (let turn = 0; turn < 9; turn += 1) assert.equal(await allowed(by('yan', '192.0.2.92', 'y')), true);
      const right = { ...by('yan', '192.0.2.92', 'y'), codeOf: 'id-yan' };
      assert.equal(await allowed(right), true);
      await throttle.succeeded(right);
      for (let turn = 0; turn < 10; turn += 1) assert.equal(await allowed(by('yan', '192.0.2.92', 'y')), true);
      assert.equal(await allowed(by('yan', '192.0.2.92', 'y')), false);
    });

    it('lets no more through when all come at once, from two processes', async () => {
      const { clock, other, throttle } = await open();
      const second = createThrottle({ store: other, pepper, now: clock.now });
      const attempts = await Promise.all(
        Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? throttle : second).check(by('mia', '192.0.2.1'))),
      );
      assert.equal(attempts.filter(({ allowed }) => allowed).length, 10);
    });

    it('counts on after a restart', async () => {
      const { clock, other, throttle } = await open();
      for (let attempt = 0; attempt < 10; attempt += 1) await throttle.check(by('mia', '192.0.2.1'));
      assert.equal(
        (await createThrottle({ store: other, pepper, now: clock.now }).check(by('mia', '192.0.2.1'))).allowed,
        false,
      );
    });

    it('does not stand still for years when the clock was set back', async () => {
      const { store, throttle } = await open();
      for (let attempt = 0; attempt < 11; attempt += 1) await throttle.check(by('mia', '192.0.2.1'));
      const earlier = stoppedClock(Date.UTC(2020, 0, 1));
      assert.deepEqual(await createThrottle({ store, pepper, now: earlier.now }).check(by('mia', '192.0.2.1')), {
        allowed: true,
      });
    });

    it('believes a clock that differs by seconds', async () => {
      const { store, clock, throttle } = await open();
      for (let attempt = 0; attempt < 10; attempt += 1) await throttle.check(by('mia', '192.0.2.1'));
      const behind = createThrottle({ store, pepper, now: () => clock.now() - 5000 });
      assert.deepEqual(await behind.check(by('mia', '192.0.2.1')), { allowed: false, wait: 900 });
    });

    it('sweeps counts whose time is over', async () => {
      const { store, clock, throttle } = await open();
      await throttle.check(by('mia', '192.0.2.1'));
      clock.advance(15 * minute);
      await throttle.check(by('leo', '192.0.2.2'));
      await throttle.failed(by('leo', '192.0.2.2'));
      const rows = await rowsIn(store, loginAttemptTable);
      assert.deepEqual(
        rows.map((row) => row.windowStart),
        [clock.now(), clock.now()],
      );
    });
  });
}

describe('signing in', { skip: provenWithoutServer }, () => {
  it('answers alike for a wrong password, an unknown login and a disabled one', async (t) => {
    const { store } = await openDatabase(t);
    const clock = stoppedClock();
    const user = await addPreparedUser(
      store,
      { login: 'mia', password: goodPassword, activityCodes: ['AAA'], operator: false },
      clock.now(),
    );
    await addPreparedUser(
      store,
      { login: 'leo', password: goodPassword, activityCodes: ['AAA'], operator: false },
      clock.now(),
    );
    await changeRows(store, userAccountTable, { disabledAt: clock.now() }, { login: 'leo' });
    const signIn = createSignIn({ store, pepper, now: clock.now, isPasswordEnough: () => true }).password;
    for (const [login, password] of [
      ['mia', 'wrong'],
      ['nobody', goodPassword],
      ['leo', goodPassword],
      ['', ''],
      ['mia', 'x'.repeat(2000)],
    ] as const) {
      assert.deepEqual(await signIn({ ...by(login, '192.0.2.1'), password }), { user: null, fault: 'credentials' });
    }
    assert.deepEqual(await signIn({ ...by(' Mia', '192.0.2.1'), password: goodPassword }), { user });
  });

  it('refuses the right password too, known login or not, after ten wrong ones; not from elsewhere', async (t) => {
    const { store } = await openDatabase(t);
    const clock = stoppedClock();
    const user = await addPreparedUser(
      store,
      { login: 'mia', password: goodPassword, activityCodes: ['AAA'], operator: false },
      clock.now(),
    );
    const signIn = createSignIn({ store, pepper, now: clock.now, isPasswordEnough: () => true }).password;
    for (const login of ['mia', 'nobody']) {
      for (let attempt = 0; attempt < 10; attempt += 1)
        assert.deepEqual(await signIn({ ...by(login, '192.0.2.1'), password: 'wrong' }), {
          user: null,
          fault: 'credentials',
        });
      assert.deepEqual(await signIn({ ...by(login, '192.0.2.1'), password: goodPassword }), {
        user: null,
        fault: 'throttled',
        wait: 900,
      });
    }
    assert.deepEqual(await signIn({ ...by('mia', '192.0.2.2'), password: goodPassword }), { user });
  });

  it('turns away a flood without counting it against anybody', async (t) => {
    const { store } = await openDatabase(t);
    const clock = stoppedClock();
    const user = await addPreparedUser(
      store,
      { login: 'mia', password: goodPassword, activityCodes: ['AAA'], operator: false },
      clock.now(),
    );
    // Nothing is compared before all have been counted: two are at work then, 32 wait, and 11 find no place.
    const allCounted = Promise.withResolvers<void>();
    let counted = 0;
    const loginAttempts: LoginAttempts = {
      ...store.loginAttempts,
      count: async (...given) => {
        const window = await store.loginAttempts.count(...given);
        counted += 1;
        if (counted === 90) allCounted.resolve();
        return window;
      },
    };
    const flooded = watchedStore({ ...store, loginAttempts }, async (operation) => {
      if (operation === 'users.byLogin') await allCounted.promise;
    });
    const signIn = createSignIn({ store: flooded, pepper, now: clock.now, isPasswordEnough: () => true }).password;
    const outcomes = await Promise.all(
      Array.from({ length: 45 }, (_, index) => signIn({ ...by('mia', `10.0.${index}.1`), password: 'wrong' })),
    );
    assert.equal(outcomes.filter((outcome) => outcome.user === null && outcome.fault === 'credentials').length, 34);
    assert.deepEqual(
      outcomes.filter((outcome) => outcome.user === null && outcome.fault === 'throttled'),
      Array(11).fill({ user: null, fault: 'throttled', wait: 2 }),
    );
    const counts = await rowsIn(store, loginAttemptTable);
    assert.equal(
      counts.reduce((sum, row) => sum + row.count, 0),
      2 * 34,
    );
    assert.deepEqual(await signIn({ ...by('mia', '10.0.44.1'), password: goodPassword }), { user });
  });

  for (const [where, addressOf] of [
    ['elsewhere', (index: number) => `198.51.${index}.7`],
    ['on the same network', (index: number) => `192.0.2.${100 + index}`],
    ['on the same site of IPv6', (index: number) => `2001:db8:0:${index + 2}::7`],
  ] as const) {
    it(`lets twelve people ${where} in while one address fills sixty connections with wrong passwords`, async (t) => {
      const { store } = await openDatabase(t);
      const attacker = where.includes('IPv6') ? '2001:db8:0:1::1' : '192.0.2.1';
      const password = goodPassword;
      for (let index = 0; index < 12; index += 1)
        await addPreparedUser(store, { login: `user${index}`, password, activityCodes: ['AAA'], operator: false }, 0);
      const signIn = createSignIn({ store, pepper, now: Date.now, isPasswordEnough: () => true }).password;
      let [stopped, tried] = [false, 0];
      const connection = async (own: number): Promise<void> => {
        for (let attempt = 0; !stopped; attempt += 1) {
          await signIn({ ...by(`user${(own + attempt) % 12}`, attacker), password: `wrong ${own} ${attempt}` });
          tried += 1;
          // Who is shut out is refused at once; without a pause it would be the test that takes the processor.
          await pause(2);
        }
      };
      const attack = Array.from({ length: 60 }, (_, own) => connection(own));
      await until(async () => tried >= 60);
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, index) => signIn({ ...by(`user${index}`, addressOf(index)), password })),
      );
      stopped = true;
      await Promise.all(attack);
      assert.deepEqual(
        outcomes.map(({ user }) => user?.login),
        Array.from({ length: 12 }, (_, index) => `user${index}`),
      );
    });
  }

  it('lets the known browser of a login in from an address that is shut out, and nobody else there', async (t) => {
    const { store } = await openDatabase(t);
    const { now } = stoppedClock();
    const user = await addPreparedUser(
      store,
      { login: 'mia', password: goodPassword, activityCodes: ['AAA'], operator: false },
      now(),
    );
    const signIn = createSignIn({ store, pepper, now, isPasswordEnough: () => true }).password;
    const shutOut = async () => (await signIn({ ...by('mia', '192.0.2.1'), password: goodPassword })).user === null;
    for (let attempt = 0; attempt < 10; attempt += 1) await signIn({ ...by('mia', '192.0.2.1'), password: 'wrong' });
    for (let attempt = 0; attempt < 40; attempt += 1)
      await signIn({ ...by(`login-${attempt}`, '192.0.2.1'), password: 'wrong' });
    assert.ok(await shutOut());
    assert.deepEqual(await signIn({ ...by('mia', '192.0.2.1', 'her browser'), password: goodPassword }), { user });
    assert.ok(await shutOut());
    // Whoever has stolen the cookie has ten attempts.
    const stolen = async () => signIn({ ...by('mia', '192.0.2.1', 'stolen'), password: 'wrong' });
    for (let attempt = 0; attempt < 10; attempt += 1)
      assert.deepEqual(await stolen(), { user: null, fault: 'credentials' });
    const refused = await stolen();
    assert.ok(refused.user === null && refused.fault === 'throttled' && refused.wait === 900);
    assert.deepEqual(await signIn({ ...by('mia', '192.0.2.1', 'her browser'), password: goodPassword }), { user });
  });

  it('costs neither database nor hashing where it is shut out, and is shut out in another process too', async (t) => {
    const { store, again } = await openDatabase(t);
    const asked: string[] = [];
    const signIn = createSignIn({
      store: watchedStore(store, (operation) => asked.push(operation)),
      pepper,
      now: Date.now,
      isPasswordEnough: () => true,
    }).password;
    const attempt = (one = signIn) => one({ ...by('mia', '192.0.2.1'), password: 'wrong' });
    for (let count = 0; count < 11; count += 1) await attempt();
    const refused = await attempt();
    assert.ok(refused.user === null && refused.fault === 'throttled');
    asked.length = 0;
    const hashes: string[] = [];
    const hook = createHook({
      init: (_id, type) => {
        if (/argon2/i.test(type)) hashes.push(type);
      },
    }).enable();
    for (let count = 0; count < 500; count += 1) await attempt();
    hook.disable();
    assert.deepEqual([asked, hashes], [[], []]);
    const other = await attempt(
      createSignIn({ store: await again(), pepper, now: Date.now, isPasswordEnough: () => true }).password,
    );
    assert.ok(other.user === null && other.fault === 'throttled');
  });
});
