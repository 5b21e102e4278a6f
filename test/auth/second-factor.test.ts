// The second factor: the codes as RFC 6238 has them, and what can go wrong on the way from the password to a session.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createCipher } from '../../src/auth/cipher.ts';
import { newRecoveryCodes, recoveryHash, typedRecoveryCode } from '../../src/auth/recovery-codes.ts';
import { encryptStoredFactors } from '../../src/auth/second-factor.ts';
import { isTotpSecret, newTotpSecret, stepOf, totpAddress } from '../../src/auth/totp.ts';
import { changeUser } from '../../src/auth/user-changes.ts';
import { engines } from '../contract/engines.ts';
import { goodPassword } from './fixture.ts';
import {
  type Answer,
  authorizationRequest,
  type Browser,
  fieldIn,
  follow,
  locationOf,
  openBrowser,
  registerClient,
  registerUser,
  type Service,
  startService,
} from './flow.ts';
import { totpCode } from './totp-code.ts';

const stepMs = 30_000;

describe('a code', () => {
  it('is that of RFC 6238, appendix B, in its last six digits', () => {
    // "12345678901234567890" in base32.
    const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
    for (const [seconds, code] of [
      [59, '287082'],
      [1_111_111_109, '081804'],
      [1_111_111_111, '050471'],
      [1_234_567_890, '005924'],
      [2_000_000_000, '279037'],
      [20_000_000_000, '353130'],
    ] as const)
      assert.deepEqual(
        [stepOf(secret, code, seconds * 1000), totpCode(secret, seconds * 1000)],
        [Math.floor(seconds / 30), code],
      );
  });

  it('counts in the step before and after its own, and not beyond', () => {
    const secret = newTotpSecret();
    assert.ok(isTotpSecret(secret));
    const now = Date.UTC(2026, 0, 31, 8);
    const code = totpCode(secret, now);
    for (const away of [-1, 0, 1]) assert.equal(stepOf(secret, code, now + away * stepMs), now / stepMs);
    for (const away of [-2, 2]) assert.equal(stepOf(secret, code, now + away * stepMs), null);
    for (const wrong of ['', '12345', '1234567', 'abcdef', '１２３４５６'])
      assert.equal(stepOf(secret, wrong, now), null);
  });

  it('is made from an address whose parts cannot break out of it', () => {
    const url = new URL(totpAddress({ issuer: 'a b&c:d', login: 'mia+x@shop.example', secret: 'ABC' }));
    assert.equal(url.pathname, '/a%20b%26c%3Ad:mia%2Bx%40shop.example');
    assert.equal(url.searchParams.get('issuer'), 'a b&c:d');
    assert.equal(url.searchParams.get('secret'), 'ABC');
  });
});

describe('a recovery code', () => {
  it('is found however it is typed, and is another one for each user', () => {
    const codes = newRecoveryCodes();
    assert.equal(new Set(codes).size, 10);
    for (const code of codes) {
      assert.equal(typedRecoveryCode(code), code);
      assert.equal(typedRecoveryCode(` ${code.toUpperCase().replaceAll('-', ' ')} `), code);
      assert.notEqual(recoveryHash('a', code), recoveryHash('b', code));
    }
    assert.equal(typedRecoveryCode('OIL0-0000-0000-0000'), '0110-0000-0000-0000');
    for (const wrong of ['', '123456', 'u'.repeat(16), '0'.repeat(17), '\0'])
      assert.equal(typedRecoveryCode(wrong), null);
  });
});

interface Step {
  readonly answer: Answer;
  readonly at: string;
}

/** All hidden fields of a form. */
function hiddenIn({ body }: Answer): Record<string, string> {
  return Object.fromEntries(
    [...body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
}

/** Where the account asks for login and password. */
async function atAccount(service: Service, browser: Browser): Promise<Step> {
  return { answer: await browser.get(`${service.authUrl}/account`), at: `${service.authUrl}/account/sign-in` };
}

async function sendPassword(browser: Browser, { answer, at }: Step, login = 'mia'): Promise<Step> {
  const fields = { csrf: fieldIn(answer, 'csrf'), login, password: goodPassword };
  return { answer: await browser.post(at, fields), at };
}

function sendCode(browser: Browser, { answer, at }: Step, code: string): Promise<Answer> {
  return browser.post(at, { ...hiddenIn(answer), code });
}

/** Sets a second factor up at the account. */
async function setUp(
  service: Service,
  browser: Browser,
  now: number,
): Promise<{ readonly secret: string; readonly codes: readonly string[] }> {
  assert.equal(locationOf((await sendPassword(browser, await atAccount(service, browser))).answer), '/account');
  const at = `${service.authUrl}/account/second-factor`;
  const page = await browser.get(at);
  const secret = fieldIn(page, 'secret');
  const done = await browser.post(at, { ...hiddenIn(page), password: goodPassword, code: totpCode(secret, now) });
  return { secret, codes: codesIn(done) };
}

function codesIn({ status, body }: Answer): readonly string[] {
  assert.equal(status, 200, body.slice(-2000));
  const codes = [...body.matchAll(/<code>([0-9a-z-]{19})<\/code>/g)].map(([, code = '']) => code);
  assert.equal(codes.length, 10);
  return codes;
}

async function isSignedIn(service: Service, browser: Browser): Promise<boolean> {
  return (await browser.get(`${service.authUrl}/account`)).body.includes('Programs that you let in');
}

for (const engine of engines) {
  describe(`a second factor on ${engine.name}`, { skip: engine.skip }, () => {
    it('is asked for after the password; each code is good for one use', async (t) => {
      const start = Math.ceil(Date.now() / stepMs) * stepMs;
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const other = await service.again();
      await registerUser(service);
      const own = openBrowser(service);
      const { secret } = await setUp(service, own, start);
      assert.ok(await isSignedIn(service, own), 'who sets it up is signed in with it');
      const browser = openBrowser(service, other);
      const step = await sendPassword(browser, await atAccount(service, browser));
      assert.equal(step.answer.status, 200);
      assert.match(step.answer.body, /autocomplete="one-time-code"/);
      assert.ok(!(await isSignedIn(service, browser)));

      // The code that set it up is used up with it; that of an hour ago and none at all count for nothing.
      const [next, twice] = [totpCode(secret, start + stepMs), totpCode(secret, start + 2 * stepMs)];
      for (const [code, text] of [
        [totpCode(secret, start), /was used already/],
        [totpCode(secret, start - 3_600_000), /The code is not right/],
        ['', /The code is not right/],
        ['9'.repeat(5000), /The code is not right/],
      ] as const) {
        const refused = await sendCode(browser, step, code);
        assert.equal(refused.status, 400);
        assert.match(refused.body, text);
      }
      t.mock.timers.setTime(start + stepMs);
      // Two browsers with one code at once: one gets in.
      const second = openBrowser(other, service);
      const steps = [step, await sendPassword(second, await atAccount(service, second))] as const;
      const answers = await Promise.all([sendCode(browser, steps[0], next), sendCode(second, steps[1], ` ${next} `)]);
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 400]);
      assert.equal((await sendCode(browser, step, next)).status, 400);
      t.mock.timers.setTime(start + 2 * stepMs);
      assert.equal((await sendCode(second, steps[1], twice)).status, 303);
      assert.ok((await isSignedIn(service, browser)) && (await isSignedIn(service, second)));
      // The clock of the machine is set back: a code of before is not good again.
      t.mock.timers.setTime(start + stepMs);
      assert.equal((await sendCode(second, steps[1], next)).status, 400);
    });

    it('is asked for in the sign-in of a program, before anything else', async (t) => {
      const start = Math.ceil(Date.now() / stepMs) * stepMs;
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const { client } = await registerClient(service);
      await registerUser(service);
      const { secret } = await setUp(service, openBrowser(service), start);
      const browser = openBrowser(service);
      const request = authorizationRequest(service, client);
      const first = await follow(service, browser, await browser.get(request.address));
      const asked = await sendPassword(browser, first);
      assert.match(asked.answer.body, /autocomplete="one-time-code"/);
      // Going on without the code leads nowhere.
      const around = await follow(service, browser, await browser.get(request.address));
      assert.match(around.answer.body, /name="password"/);
      const step = await sendPassword(browser, around);
      const code = totpCode(secret, start + stepMs);
      const consent = await follow(service, browser, await sendCode(browser, step, code));
      assert.match(consent.answer.body, /name="decision"/);
    });

    it('takes no step that was not shown to this browser, of this user, in time', async (t) => {
      const start = Math.ceil(Date.now() / stepMs) * stepMs;
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const user = await registerUser(service);
      const leo = await registerUser(service, { login: 'leo' });
      const { secret, codes } = await setUp(service, openBrowser(service), start);
      const code = totpCode(secret, start + stepMs);
      const [browser, thief] = [openBrowser(service), openBrowser(service)];
      const step = await sendPassword(browser, await atAccount(service, browser));
      await atAccount(service, thief);
      assert.equal((await sendCode(thief, step, code)).status, 400, 'another browser');
      const hidden = hiddenIn(step.answer);
      for (const changed of [
        { user: leo.id },
        { user: '' },
        { user: '\0' },
        { since: String(Number(hidden.since) + 1) },
        { since: '' },
        { since: '1e99' },
        { step: 'saved' },
        { step: 'set-up', secret },
        { csrf: '' },
      ]) {
        const answer = await browser.post(step.at, { ...hidden, code, ...changed });
        assert.equal(answer.status, 400, JSON.stringify(changed));
        assert.match(answer.body, /name="password"/);
      }
      assert.ok(!(await isSignedIn(service, browser)));
      // A new password, by the operator, ends what was half way.
      t.mock.timers.setTime(start + 2000);
      await service.app.store.users.changePassword(user.id, 'another', Date.now());
      assert.match((await sendCode(browser, step, code)).body, /name="password"/);
      // The page was open for too long.
      await registerUser(service, { login: 'ida' });
      const slow = openBrowser(service);
      await changeUser(service.app.store, 'ida', { secondFactorRequired: true });
      const late = await sendPassword(slow, await atAccount(service, slow), 'ida');
      t.mock.timers.setTime(start + 16 * 60_000);
      const over = await sendCode(slow, late, totpCode(fieldIn(late.answer, 'secret'), Date.now()));
      assert.match(over.body, /name="password"/);
      assert.equal(codes.length, 10);
    });

    it('takes each recovery code once, and says how many are left', async (t) => {
      const start = Math.ceil(Date.now() / stepMs) * stepMs;
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const user = await registerUser(service);
      const owner = openBrowser(service);
      const { secret, codes } = await setUp(service, owner, start);
      const [one = '', two = '', three = ''] = codes;
      const browsers = [openBrowser(service), openBrowser(service)] as const;
      const steps = [
        await sendPassword(browsers[0], await atAccount(service, browsers[0])),
        await sendPassword(browsers[1], await atAccount(service, browsers[1])),
      ] as const;
      const answers = await Promise.all([sendCode(browsers[0], steps[0], one), sendCode(browsers[1], steps[1], one)]);
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [303, 400]);
      // Two different ones at once are both good.
      const both = await Promise.all([
        sendCode(browsers[0], steps[0], two.toUpperCase()),
        sendCode(browsers[1], steps[1], three),
      ]);
      assert.deepEqual(
        both.map(({ status }) => status),
        [303, 303],
      );
      const at = `${service.authUrl}/account/second-factor`;
      let page = await owner.get(at);
      assert.match(page.body, /Recovery codes left: <strong>7<\/strong>/);
      const stored = await service.app.store.users.active(user.id);
      assert.ok(stored !== null && codes.every((code) => !JSON.stringify(stored).includes(code)));
      // New ones take the place of all; for that a code is asked for.
      assert.equal((await owner.post(at, { ...hiddenIn(page), change: 'codes', code: '000000' })).status, 400);
      t.mock.timers.setTime(start + stepMs);
      const made = await owner.post(at, { ...hiddenIn(page), change: 'codes', code: totpCode(secret, Date.now()) });
      const [fresh = ''] = codesIn(made);
      assert.equal((await sendCode(browsers[0], steps[0], codes[5] ?? '')).status, 400);
      assert.equal((await sendCode(browsers[0], steps[0], fresh)).status, 303);
      // And it is taken away by a code too.
      page = await owner.get(at);
      t.mock.timers.setTime(start + 2 * stepMs);
      const code = totpCode(secret, Date.now());
      assert.equal(
        locationOf(await owner.post(at, { ...hiddenIn(page), change: 'remove', code })),
        '/account?done=factor-removed',
      );
      assert.equal(locationOf(await again(service)), '/account');
      const actions = (await service.app.store.audit.read({ ...everything, actor: user.id })).map(
        ({ action }) => action,
      );
      assert.deepEqual(actions, [
        'user.second-factor.add',
        'user.recovery-code',
        'user.recovery-code',
        'user.recovery-code',
        'user.recovery-codes',
        'user.recovery-code',
        'user.second-factor.remove',
      ]);
    });

    it('is set up at the next sign-in by whoever must have one, and sessions without it are over', async (t) => {
      const start = Math.ceil(Date.now() / stepMs) * stepMs;
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const { store } = service.app;
      const { client } = await registerClient(service);
      await registerUser(service);
      const old = openBrowser(service);
      await sendPassword(old, await atAccount(service, old));
      assert.ok(await isSignedIn(service, old));
      await changeUser(store, 'mia', { secondFactorRequired: true });
      assert.ok(!(await isSignedIn(service, old)), 'the session without it');
      const browser = openBrowser(service);
      const request = authorizationRequest(service, client);
      let step = await sendPassword(browser, await follow(service, browser, await browser.get(request.address)));
      const secret = fieldIn(step.answer, 'secret');
      assert.match(step.answer.body, /<svg class="code"/);
      const wrong = await sendCode(browser, step, '000000');
      assert.equal(wrong.status, 400);
      assert.equal(fieldIn(wrong, 'secret'), secret, 'the app keeps what it scanned');
      // A secret of somebody else's making is not taken.
      const foreign = { ...hiddenIn(step.answer), secret: newTotpSecret() };
      const refused = await browser.post(step.at, { ...foreign, code: totpCode(foreign.secret, start) });
      assert.match(refused.body, /name="password"/);
      step = { answer: await sendCode(browser, step, totpCode(secret, start)), at: step.at };
      codesIn(step.answer);
      const consent = await follow(service, browser, await browser.post(step.at, hiddenIn(step.answer)));
      assert.match(consent.answer.body, /name="decision"/);
      // Who must have it cannot take it away; the operator can, and then it is set up anew.
      const at = `${service.authUrl}/account/second-factor`;
      const page = await browser.get(at);
      assert.doesNotMatch(page.body, /value="remove"/);
      t.mock.timers.setTime(start + stepMs);
      const kept = { ...hiddenIn(page), change: 'remove', code: totpCode(secret, Date.now()) };
      assert.equal((await browser.post(at, kept)).status, 200);
      const reset = await changeUser(store, 'MIA', { resetSecondFactor: true });
      assert.deepEqual([reset.before.secondFactor, reset.after.secondFactor], [true, false]);
      const anew = openBrowser(service);
      const next = await sendPassword(anew, await atAccount(service, anew));
      assert.notEqual(fieldIn(next.answer, 'secret'), secret);
    });

    it('is for all where the setting says so', async (t) => {
      const service = await startService(t, { SECOND_FACTOR: 'required' }, engine);
      await registerUser(service);
      const browser = openBrowser(service);
      const step = await sendPassword(browser, await atAccount(service, browser));
      const secret = fieldIn(step.answer, 'secret');
      const saved = { answer: await sendCode(browser, step, totpCode(secret, Date.now())), at: step.at };
      codesIn(saved.answer);
      assert.ok(!(await isSignedIn(service, browser)), 'not before the codes were shown');
      // A crash here costs nothing: the next sign-in asks for a code.
      const other = openBrowser(service);
      assert.match((await sendPassword(other, await atAccount(service, other))).answer.body, /one-time-code/);
      assert.equal(locationOf(await browser.post(step.at, hiddenIn(saved.answer))), '/account');
      assert.ok(await isSignedIn(service, browser));
    });

    it('that is set up twice at once is that of one of the two', async (t) => {
      const service = await startService(t, { SECOND_FACTOR: 'required' }, engine);
      const user = await registerUser(service);
      const browsers = [openBrowser(service), openBrowser(service)];
      const answers = await Promise.all(
        browsers.map(async (browser) => {
          const step = await sendPassword(browser, await atAccount(service, browser));
          return sendCode(browser, step, totpCode(fieldIn(step.answer, 'secret'), Date.now()));
        }),
      );
      assert.deepEqual(
        answers.map(({ body }) => /<ul class="codes"/.test(body)).toSorted(),
        [false, true],
        'the other is asked for a code',
      );
      assert.equal((await service.app.store.users.active(user.id))?.recoveryCodes.length, 10);
    });

    it('cannot be guessed: wrong codes are counted for the user, and a password does not begin anew', async (t) => {
      const start = Math.ceil(Date.now() / stepMs) * stepMs;
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, { TRUST_PROXY: '127.0.0.1' }, engine);
      await registerUser(service);
      const { secret } = await setUp(service, openBrowser(service), start);
      const statuses: number[] = [];
      for (let turn = 0; turn < 12; turn += 1) {
        // From another address and browser each time, with the password anew.
        const from = { 'x-forwarded-for': `192.0.2.${turn}` };
        const browser = openBrowser(service);
        const page = await browser.get(`${service.authUrl}/account`, from);
        const at = `${service.authUrl}/account/sign-in`;
        const fields = { csrf: fieldIn(page, 'csrf'), login: 'mia', password: goodPassword };
        const asked = await browser.post(at, fields, from);
        // Nor does a code that somebody saw being typed.
        const code = turn === 5 ? totpCode(secret, start) : '000000';
        const tried = await browser.post(at, { ...hiddenIn(asked), code }, from);
        statuses.push(tried.status);
        if (tried.status === 429) {
          assert.match(tried.body, /too many attempts/);
          assert.ok(Number(tried.headers['retry-after']) > 0);
          const right = { ...hiddenIn(asked), code: totpCode(secret, start + stepMs) };
          assert.equal((await browser.post(at, right, from)).status, 429, 'not even the right one');
        }
      }
      assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 400), 429, 429]);
    });

    it('cannot be guessed from browsers that were known before it was set up, however many', async (t) => {
      const start = Math.ceil(Date.now() / stepMs) * stepMs;
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, { TRUST_PROXY: '127.0.0.1' }, engine);
      await registerUser(service);
      const from = (turn: number) => ({ 'x-forwarded-for': `192.0.2.${turn}` });
      const at = `${service.authUrl}/account/sign-in`;
      const givePassword = async (browser: Browser, turn: number): Promise<Answer> => {
        const page = await browser.get(`${service.authUrl}/account`, from(turn));
        const fields = { csrf: fieldIn(page, 'csrf'), login: 'mia', password: goodPassword };
        return browser.post(at, fields, from(turn));
      };
      const known = Array.from({ length: 4 }, () => openBrowser(service));
      for (const [turn, browser] of known.entries()) {
        assert.equal(locationOf(await givePassword(browser, turn)), '/account');
        browser.forget('session');
      }
      const owner = openBrowser(service);
      const { secret } = await setUp(service, owner, start);
      const statuses: number[] = [];
      for (let turn = 0; turn < 12; turn += 1) {
        const browser = known[turn % known.length] ?? owner;
        const asked = await givePassword(browser, turn);
        assert.equal(asked.status, 200);
        statuses.push((await browser.post(at, { ...hiddenIn(asked), code: '000000' }, from(turn))).status);
      }
      assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 400), 429, 429]);
      // Who never was there before has ten of their own: nobody is shut out of another telephone.
      const other = openBrowser(service);
      const asked = await givePassword(other, 99);
      t.mock.timers.tick(stepMs);
      const right = { ...hiddenIn(asked), code: totpCode(secret, start + stepMs) };
      assert.equal((await other.post(at, right, from(99))).status, 303);
    });

    it('lies encrypted under SECRET_KEY, also what lay in the clear before', async (t) => {
      const start = Math.ceil(Date.now() / stepMs) * stepMs;
      t.mock.timers.enable({ apis: ['Date'], now: start });
      const service = await startService(t, {}, engine);
      const { store } = service.app;
      const user = await registerUser(service);
      const { secret } = await setUp(service, openBrowser(service), start);
      const stored = async () => (await store.users.active(user.id))?.totpSecret ?? '';
      assert.ok((await stored()).includes(secret));
      const cipher = createCipher('a passphrase of thirty-two characters');
      await encryptStoredFactors(store, createCipher(null));
      assert.ok((await stored()).includes(secret));
      await encryptStoredFactors(store, cipher);
      const text = await stored();
      assert.ok(!text.includes(secret) && text.split('.').length === 5);
      assert.deepEqual(JSON.parse(await cipher.decrypt(text)), { secret });
      await encryptStoredFactors(store, cipher);
      assert.equal(await stored(), text, 'again: no change');
    });
  });
}

/** A sign-in with the password alone, in a new browser. */
async function again(service: Service): Promise<Answer> {
  const browser = openBrowser(service);
  return (await sendPassword(browser, await atAccount(service, browser))).answer;
}

const everything = {
  activityCodes: null,
  operationId: null,
  action: null,
  since: null,
  until: null,
  after: null,
  newestFirst: false,
  limit: 100,
} as const;
