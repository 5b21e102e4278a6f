// Guessing passwords is slowed down for the one who guesses and for nobody else, on every engine, by all processes together.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Kysely } from 'kysely';
import { createLine, createSignIn } from '../../src/auth/sign-in.ts';
import { createThrottle, type Throttle } from '../../src/auth/throttle.ts';
import { addUser } from '../../src/auth/users.ts';
import type { Tables } from '../../src/store/tables.ts';
import { engines } from '../contract/engines.ts';
import { type Clock, goodPassword, openDatabase, prepare, stoppedClock } from './fixture.ts';

const minute = 60_000;
const pepper = async (): Promise<string> => 'the same in every process';

/** `other`: a second connection, as another process has it. */
interface Opened { readonly db: Kysely<Tables>; readonly other: Kysely<Tables>; readonly clock: Clock; readonly throttle: Throttle }

for (const { name, skip, create } of engines) {
  describe(`throttling on ${name}`, { skip }, () => {
    let opened: Pick<Opened, 'db' | 'other'>;
    let close: () => Promise<void>;
    before(async () => {
      const database = await create();
      const [first, second] = [await database.open(), await database.open()];
      close = async () => {
        await first.close();
        await second.close();
        await database.remove();
      };
      opened = { db: await prepare(first), other: second.db };
    });
    after(() => close());
    const open = async (): Promise<Opened> => {
      await opened.db.deleteFrom('login_attempt').execute();
      const clock = stoppedClock();
      return { ...opened, clock, throttle: createThrottle({ db: opened.db, pepper, now: clock.now }) };
    };

    it('stops the eleventh attempt on a login from one address, and says for how long', async () => {
      const { clock, throttle } = await open();
      for (let attempt = 1; attempt <= 10; attempt += 1) {
        assert.deepEqual(await throttle.check('mia', '192.0.2.1'), { allowed: true }, `attempt ${attempt}`);
        await throttle.failed('mia', '192.0.2.1');
      }
      assert.deepEqual(await throttle.check('mia', '192.0.2.1'), { allowed: false, wait: 900 });
      assert.deepEqual(await throttle.check('  MIA ', '192.0.2.1'), { allowed: false, wait: 900 });
      clock.advance(14 * minute + 59_500);
      assert.deepEqual(await throttle.check('mia', '192.0.2.1'), { allowed: false, wait: 1 });
      clock.advance(500);
      assert.deepEqual(await throttle.check('mia', '192.0.2.1'), { allowed: true });
    });

    it('does not shut out the owner of the login, who is somewhere else', async () => {
      const { throttle } = await open();
      for (let attempt = 0; attempt < 100; attempt += 1) await throttle.check('mia', '192.0.2.1');
      assert.deepEqual(await throttle.check('mia', '198.51.100.7'), { allowed: true });
      assert.deepEqual(await throttle.check('mia', '2001:db8::1'), { allowed: true });
    });

    it('does not shut out other logins of the same office because one is tried too often', async () => {
      const { throttle } = await open();
      for (let attempt = 0; attempt < 500; attempt += 1) await throttle.check('mia', '192.0.2.1');
      assert.deepEqual(await throttle.check('leo', '192.0.2.1'), { allowed: true });
    });

    it('stops one address that tries many logins, and the rest of its IPv6 network', async () => {
      const { throttle } = await open();
      for (let attempt = 1; attempt <= 50; attempt += 1) assert.equal((await throttle.check(`login-${attempt}`, `2001:db8:1:2::${attempt}`)).allowed, true);
      assert.deepEqual(await throttle.check('login-51', '2001:db8:1:2:ffff::1'), { allowed: false, wait: 900 });
      assert.equal((await throttle.check('login-51', '2001:db8:1:3::1')).allowed, true);
    });

    it('keeps nothing for the inventions of an address that is shut out', async () => {
      const { db, throttle } = await open();
      for (let attempt = 0; attempt < 80; attempt += 1) await throttle.check(`login-${attempt}`, '192.0.2.1');
      const rows = await db.selectFrom('login_attempt').selectAll().execute();
      assert.equal(rows.length, 51);
      for (const row of rows) assert.doesNotMatch(JSON.stringify(row), /login-|192\.0/);
    });

    it('forgets the mistakes of whoever signs in, and no others', async () => {
      const { throttle } = await open();
      for (let round = 0; round < 13; round += 1) {
        for (let attempt = 0; attempt < 4; attempt += 1) assert.deepEqual(await throttle.check('mia', '192.0.2.1'), { allowed: true }, `round ${round}`);
        await throttle.succeeded('mia', '192.0.2.1');
      }
      // 13 rounds of 3 mistakes are 39: eleven attempts are left to the address, whoever makes them.
      let left = 0;
      while ((await throttle.check(`other-${left}`, '192.0.2.1')).allowed) left += 1;
      assert.equal(left, 11);
    });

    it('lets no more through when all come at once, from two processes', async () => {
      const { clock, other, throttle } = await open();
      const second = createThrottle({ db: other, pepper, now: clock.now });
      const attempts = await Promise.all(Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? throttle : second).check('mia', '192.0.2.1')));
      assert.equal(attempts.filter(({ allowed }) => allowed).length, 10);
    });

    it('counts on after a restart', async () => {
      const { clock, other, throttle } = await open();
      for (let attempt = 0; attempt < 10; attempt += 1) await throttle.check('mia', '192.0.2.1');
      assert.equal((await createThrottle({ db: other, pepper, now: clock.now }).check('mia', '192.0.2.1')).allowed, false);
    });

    it('does not stand still for years when the clock was set back', async () => {
      const { db, throttle } = await open();
      for (let attempt = 0; attempt < 11; attempt += 1) await throttle.check('mia', '192.0.2.1');
      const earlier = stoppedClock(Date.UTC(2020, 0, 1));
      assert.deepEqual(await createThrottle({ db, pepper, now: earlier.now }).check('mia', '192.0.2.1'), { allowed: true });
    });

    it('believes a clock that differs by seconds', async () => {
      const { db, clock, throttle } = await open();
      for (let attempt = 0; attempt < 10; attempt += 1) await throttle.check('mia', '192.0.2.1');
      const behind = createThrottle({ db, pepper, now: () => clock.now() - 5000 });
      assert.deepEqual(await behind.check('mia', '192.0.2.1'), { allowed: false, wait: 900 });
    });

    it('sweeps counts whose time is over', async () => {
      const { db, clock, throttle } = await open();
      await throttle.check('mia', '192.0.2.1');
      clock.advance(15 * minute);
      await throttle.check('leo', '192.0.2.2');
      await throttle.failed('leo', '192.0.2.2');
      const rows = await db.selectFrom('login_attempt').select('window_start').execute();
      assert.deepEqual(rows.map((row) => row.window_start), [clock.now(), clock.now()]);
    });
  });
}

describe('signing in', () => {
  it('answers alike for a wrong password, an unknown login and a disabled one', async (t) => {
    const { db } = await openDatabase(t);
    const clock = stoppedClock();
    const user = await addUser(db, { login: 'mia', password: goodPassword, activityCodes: ['AAA'], operator: false }, clock.now());
    await addUser(db, { login: 'leo', password: goodPassword, activityCodes: ['AAA'], operator: false }, clock.now());
    await db.updateTable('user_account').set({ disabled_at: clock.now() }).where('login', '=', 'leo').execute();
    const signIn = createSignIn({ db, pepper, now: clock.now });
    for (const [login, password] of [['mia', 'wrong'], ['nobody', goodPassword], ['leo', goodPassword], ['', ''], ['mia', 'x'.repeat(2000)]] as const) {
      assert.deepEqual(await signIn(login, password, '192.0.2.1'), { user: null, fault: 'credentials' });
    }
    assert.deepEqual(await signIn(' Mia', goodPassword, '192.0.2.1'), { user });
  });

  it('refuses the right password too, known login or not, after ten wrong ones; not from elsewhere', async (t) => {
    const { db } = await openDatabase(t);
    const clock = stoppedClock();
    const user = await addUser(db, { login: 'mia', password: goodPassword, activityCodes: ['AAA'], operator: false }, clock.now());
    const signIn = createSignIn({ db, pepper, now: clock.now });
    for (const login of ['mia', 'nobody']) {
      for (let attempt = 0; attempt < 10; attempt += 1) assert.deepEqual(await signIn(login, 'wrong', '192.0.2.1'), { user: null, fault: 'credentials' });
      assert.deepEqual(await signIn(login, goodPassword, '192.0.2.1'), { user: null, fault: 'throttled', wait: 900 });
    }
    assert.deepEqual(await signIn('mia', goodPassword, '192.0.2.2'), { user });
  });

  it('turns away a flood without counting it against anybody', async (t) => {
    const { db } = await openDatabase(t);
    const clock = stoppedClock();
    const user = await addUser(db, { login: 'mia', password: goodPassword, activityCodes: ['AAA'], operator: false }, clock.now());
    const signIn = createSignIn({ db, pepper, now: clock.now });
    const outcomes = await Promise.all(Array.from({ length: 45 }, (_, index) => signIn('mia', 'wrong', `192.0.2.${index}`)));
    assert.deepEqual(outcomes.slice(0, 34), Array(34).fill({ user: null, fault: 'credentials' }));
    assert.deepEqual(outcomes.slice(34), Array(11).fill({ user: null, fault: 'throttled', wait: 2 }));
    assert.deepEqual(await signIn('mia', goodPassword, '192.0.2.44'), { user });
  });
});

describe('the line', () => {
  it('never runs more than its bound, in order, and goes on after a failure', async () => {
    const inLine = createLine({ running: 2, waiting: 3 });
    let [running, most] = [0, 0];
    const order: number[] = [];
    const works = Array.from({ length: 6 }, (_, index) => inLine(async () => {
      running += 1;
      most = Math.max(most, running);
      order.push(index);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (index === 1) throw new Error('boom');
      return index;
    }));
    const outcomes = await Promise.allSettled(works);
    assert.deepEqual(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : 'failed')), [0, 'failed', 2, 3, 4, 'full']);
    assert.equal(most, 2);
    assert.deepEqual(order, [0, 1, 2, 3, 4]);
    assert.equal(await inLine(async () => 'again'), 'again');
  });
});
