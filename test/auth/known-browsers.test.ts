// A browser in which somebody has signed in before keeps its own way in, whatever happens behind the same address.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKnownBrowsers } from '../../src/auth/known-browsers.ts';
import { createCipher } from '../../src/auth/cipher.ts';
import { createSignInSecrets, rotateSignInSecrets } from '../../src/auth/sign-in-secrets.ts';
import { openDatabase, stoppedClock } from './fixture.ts';
import {
  authorizationRequest,
  authorize,
  callbackOf,
  fieldIn,
  follow,
  openBrowser,
  registerClient,
  registerUser,
  send,
  startService,
} from './flow.ts';

const day = 86_400_000;

describe('the cookie of a known browser', () => {
  it('is for one login, ends after half a year, and cannot be made up', async (t) => {
    const { store } = await openDatabase(t);
    const clock = stoppedClock();
    const options = { store, cipher: createCipher(null), now: clock.now };
    const browsers = createKnownBrowsers({ secrets: createSignInSecrets(options), secure: true, now: clock.now });
    const line = await browsers.cookieFor('Mia', null);
    assert.match(line, /^__Host-known-browser=[\w.-]+; Path=\/; Max-Age=15552000; HttpOnly; SameSite=Lax; Secure$/);
    assert.ok(!line.toLowerCase().includes('mia'));
    const cookie = line.split(';')[0] ?? '';
    const known = await browsers.recognise(`other=1; ${cookie}; more=2`);
    assert.deepEqual([known?.isOf(' MIA '), known?.isOf('leo')], [true, false]);
    // The same browser keeps its id, so that its count does not begin anew with each sign-in; another login gets
    // another one.
    assert.equal((await browsers.cookieFor('mia', known)).split('.')[0], cookie.split('.')[0]);
    assert.notEqual((await browsers.cookieFor('leo', known)).split('.')[0], cookie.split('.')[0]);
    const [id = '', end = '', account = '', signature = ''] = cookie.slice(cookie.indexOf('=') + 1).split('.');
    const another = (await browsers.cookieFor('leo', null)).split(';')[0]?.split('.')[2] ?? '';
    for (const forged of [
      [id, String(Number(end) + 1), account, signature],
      [`${id}x`, end, account, signature],
      [id, end, another, signature],
      [id, end, account, signature.slice(1)],
      [id, end, account, ''],
      [id, end, account],
      ['', '', '', ''],
    ]) {
      assert.equal(await browsers.recognise(`__Host-known-browser=${forged.join('.')}`), null, forged.join('.'));
    }
    for (const nothing of [
      undefined,
      '',
      'known-browser=x',
      '__Host-known-browser=',
      '__Host-known-browser=é.é.é.é',
      `__Host-known-browser=${'x'.repeat(5000)}`,
    ])
      assert.equal(await browsers.recognise(nothing), null);
    await rotateSignInSecrets(options);
    clock.advance(3_600_000);
    assert.equal((await browsers.recognise(cookie))?.isOf('mia'), true);
    clock.advance(day);
    assert.equal(await browsers.recognise(cookie), null, 'a rotation forgets browsers');
    const next = (await browsers.cookieFor('mia', null)).split(';')[0];
    clock.advance(180 * day - 1000);
    assert.notEqual(await browsers.recognise(next), null);
    clock.advance(1000);
    assert.equal(await browsers.recognise(next), null);
  });
});

describe('sign-ins from an address where somebody else uses up all that is allowed', () => {
  it('go on in a browser that is known, and wait in any other', async (t) => {
    const service = await startService(t, { RATE_SIGN_INS: '3' });
    const { client } = await registerClient(service);
    await registerUser(service);
    const before = openBrowser(service);
    callbackOf(await authorize(service, before, authorizationRequest(service, client)), {
      ...authorizationRequest(service, client),
    });
    const cookie = `known-browser=${before.cookie('known-browser')}; Path=/`;
    // Begun sign-ins, forms and wrong passwords: 3 and 6 a minute, and 10 for the login.
    const attacker = openBrowser(service);
    const page = await follow(service, attacker, await attacker.get(authorizationRequest(service, client).address));
    const posted: number[] = [];
    for (let count = 0; count < 8; count += 1)
      posted.push(
        (await attacker.post(page.at, { csrf: fieldIn(page.answer, 'csrf'), login: 'mia', password: 'wrong' })).status,
      );
    assert.deepEqual(posted, [400, 400, 400, 400, 400, 429, 429, 429]);
    for (let count = 0; count < 5; count += 1)
      await send(service, 'GET', authorizationRequest(service, client).address);
    assert.equal((await openBrowser(service).get(authorizationRequest(service, client).address)).status, 429);

    const known = openBrowser(service);
    known.plant(cookie);
    const request = authorizationRequest(service, client);
    assert.ok(callbackOf(await authorize(service, known, request), request).code);
    // It has a rate of its own, and no more than that.
    const begun: number[] = [];
    for (let count = 0; count < 4; count += 1)
      begun.push((await known.get(authorizationRequest(service, client).address)).status);
    assert.deepEqual(begun, [303, 303, 429, 429]);
    const forged = openBrowser(service);
    forged.plant(`known-browser=${before.cookie('known-browser')}x; Path=/`);
    assert.equal((await forged.get(authorizationRequest(service, client).address)).status, 429);
  });

  it('are refused with a page that says when to come back, before anything is looked up', async (t) => {
    const service = await startService(t, { RATE_SIGN_INS: '1' });
    const post = (): ReturnType<typeof send> =>
      send(
        service,
        'POST',
        `${service.authUrl}/connect/interaction/nothing`,
        { 'content-type': 'application/x-www-form-urlencoded', origin: service.authUrl },
        'login=mia&password=wrong',
      );
    assert.deepEqual([(await post()).status, (await post()).status], [400, 400]);
    const refused = await post();
    assert.equal(refused.status, 429);
    assert.match(refused.body, /Too many sign-ins at once/);
    assert.ok(Number(refused.headers['retry-after']) >= 1);
  });
});
