// People sign in at the company's identity provider, a real server of another project on loopback: what its groups
// open, what ends, and what is not believed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { federatedId } from '../../src/auth/federation/federated-users.ts';
import { parseIdentityProviders } from '../../src/auth/federation/identity-providers.ts';
import { authenticate, disableUser, enableUser, listUsers } from '../../src/auth/users.ts';
import { oidcPayloadTable } from '../../src/store/tables/access.ts';
import { changeRows, rowIn } from '../contract/database.ts';
import { goodPassword } from './fixture.ts';
import { atProvider, begin, comeBack, groups, openCompany, signInAt } from './company.ts';
import { openBrowser, readArticles, refresh, registerUser, send } from './flow.ts';

describe('who signs in at the identity provider of the company', () => {
  it('is a user here with what the groups open, the same one each time', async (t) => {
    const company = await openCompany(t);
    const first = await signInAt(company);
    assert.equal((await readArticles(company.service, first.tokens?.access_token)).status, 200);
    await signInAt(company);
    const [user, ...others] = await listUsers(company.service.app.store);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [user?.id, user?.login, user?.activityCodes, user?.operator, user?.identityProvider],
      [federatedId(company.issuer, 'mia-at-acme'), 'acme.mia', ['AAA'], false, 'acme'],
    );
  });

  it('is never a user of this service, whatever name or address the provider says', async (t) => {
    const company = await openCompany(t);
    const { store } = company.service.app;
    const own = await registerUser(company.service, { login: 'acme.mia', activityCodes: ['BBB'], operator: true });
    company.says({ preferred_username: 'mia', email: 'acme.mia', email_verified: true, sub: own.id });
    await signInAt(company);
    const users = await listUsers(store);
    assert.equal(users.length, 2);
    const theirs = users.find(({ id }) => id !== own.id);
    assert.match(theirs?.login ?? '', /^acme\.mia\.[0-9a-f]{8}$/);
    assert.deepEqual(theirs?.activityCodes, ['AAA']);
    assert.deepEqual(users.find(({ id }) => id === own.id)?.activityCodes, ['BBB']);
    assert.equal(await authenticate(store, theirs?.login ?? '', goodPassword), null);
  });

  it('is an operator by a group, and opens the platform interface', async (t) => {
    const company = await openCompany(t);
    company.says({ groups: ['lc-ops', 'lc-blu', 'other', 'constructor'] });
    const { platformUrl } = company.service;
    const { tokens } = await signInAt(company, undefined, { scope: 'svc_platform', resource: platformUrl });
    const headers = { authorization: `Bearer ${String(tokens?.access_token)}` };
    const me = (await send(company.service, 'GET', `${platformUrl}/me`, headers)).json();
    assert.deepEqual([me.kind, me.name, me.roles], ['user', 'acme.mia', ['feed']]);
  });

  it('does not get in with groups that open nothing, nor when disabled here', async (t) => {
    const company = await openCompany(t);
    for (const none of [{ groups: [] }, { groups: undefined }, { groups: 'lc' }, { groups: { 'lc-acm': true } }]) {
      company.says(none);
      const { page } = await signInAt(company);
      assert.equal(page?.status, 403);
      assert.match(page?.body ?? '', /nothing is open to you here/);
    }
    assert.deepEqual(await listUsers(company.service.app.store), []);
    company.says({});
    await signInAt(company);
    await disableUser(company.service.app.store, 'acme.mia', Date.now());
    assert.equal((await signInAt(company)).page?.status, 403);
    await enableUser(company.service.app.store, 'acme.mia');
    assert.notEqual((await signInAt(company)).tokens, null);
  });

  it('loses with the next sign-in what a group opened; with the last group all that was signed in to', async (t) => {
    const company = await openCompany(t);
    company.says({ groups: ['lc-acm', 'lc-blu'] });
    const { tokens } = await signInAt(company);
    company.says({ groups: ['lc-blu'] });
    await signInAt(company);
    const [user] = await listUsers(company.service.app.store);
    assert.deepEqual(user?.activityCodes, ['BBB']);
    assert.equal((await refresh(company.service, company.shop, tokens?.refresh_token)).status, 200);
    company.says({ groups: [] });
    assert.equal((await signInAt(company)).page?.status, 403);
    const { store } = company.service.app;
    assert.deepEqual(await store.sessions.of(user?.id ?? '', Date.now()), []);
    assert.deepEqual(await store.oidcPayloads.grantsOf(user?.id ?? '', Date.now()), []);
    assert.deepEqual((await listUsers(store))[0]?.activityCodes, []);
  });

  it('signs in there again after eight hours, also for a program that refreshes', async (t) => {
    const company = await openCompany(t);
    const { store } = company.service.app;
    const { tokens } = await signInAt(company);
    const good = await refresh(company.service, company.shop, tokens?.refresh_token);
    assert.equal(good.status, 200);
    const unused = { model: 'RefreshToken', consumedAt: null };
    const { payload } = await rowIn(store, oidcPayloadTable, unused);
    const authTime = Number(/"authTime":(\d+)/.exec(payload)?.[1]);
    for (const [hours, status] of [
      [8.1, 400],
      [7.9, 200],
    ] as const) {
      const earlier = payload.replace(/"authTime":\d+/, `"authTime":${authTime - hours * 3600}`);
      await changeRows(store, oidcPayloadTable, { payload: earlier }, unused);
      const answer = await refresh(company.service, company.shop, good.json().refresh_token);
      assert.equal(answer.status, status, answer.body);
    }
  });

  it('needs the second factor of this service where it is demanded, unless the provider asked for one', async (t) => {
    const company = await openCompany(t, { SECOND_FACTOR: 'required' });
    const browser = openBrowser(company.service);
    const step = await comeBack(company, browser, await atProvider((await begin(company, browser)).led));
    assert.match(step.answer.body, /name="step"[^>]*value="set-up"/);
    company.says({ amr: ['pwd', 'mfa'] });
    assert.notEqual((await signInAt(company)).tokens, null);
  });
});

describe('an answer of an identity provider', () => {
  for (const [what, claims] of [
    ['another issuer', { iss: 'https://elsewhere.example' }],
    ['another audience', { aud: 'other-client' }],
    ['another nonce', { nonce: 'x'.repeat(43) }],
    ['no nonce', { nonce: undefined }],
    ['an end in the past', { exp: 1_000_000_000 }],
    ['no subject', { sub: undefined }],
  ] as const) {
    it(`with ${what} is not believed`, async (t) => {
      const company = await openCompany(t);
      company.says(claims);
      const { page } = await signInAt(company);
      assert.equal(page?.status, 400);
      assert.match(page?.body ?? '', /came to nothing/);
      assert.deepEqual(await listUsers(company.service.app.store), []);
      assert.match(company.service.logged(), /a sign-in at an identity provider was refused/);
      assert.ok(!company.service.logged().includes('secret of acme'));
    });
  }

  it('that nobody signed, or somebody else, is not believed', async (t) => {
    const company = await openCompany(t);
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    let forge = (token: string): string => token;
    company.server.service.on('beforeResponse', ({ body }: { readonly body: { id_token?: string } }) => {
      if (body.id_token !== undefined) body.id_token = forge(body.id_token);
    });
    const parts = (token: string): readonly string[] => token.split('.');
    for (const way of [
      (token: string) => `${part({ alg: 'none', typ: 'JWT' })}.${parts(token)[1]}.`,
      (token: string) => `${part({ alg: 'HS256', kid: 'one' })}.${parts(token)[1]}.${parts(token)[2]}`,
      (token: string) => `${parts(token)[0]}.${parts(token)[1]}.${part({ not: 'a signature' })}`,
      () => '',
    ]) {
      forge = way;
      assert.equal((await signInAt(company)).page?.status, 400);
    }
    forge = (token) => token;
    assert.notEqual((await signInAt(company)).tokens, null);
  });

  it('counts once, for the browser and the sign-in that it was asked for alone', async (t) => {
    const company = await openCompany(t);
    const [browser, thief] = [openBrowser(company.service), openBrowser(company.service)];
    const { led } = await begin(company, browser);
    const address = await atProvider(led);
    const other = await begin(company, thief);
    const stolen = await comeBack(company, thief, address);
    assert.equal(stolen.answer.status, 400, 'in another browser');
    const first = await comeBack(company, browser, address);
    assert.ok(first.at.startsWith('https://shop.example/'), first.at);
    const again = await comeBack(company, browser, address);
    assert.equal(again.answer.status, 400, 'replayed');
    const state = new URL(await atProvider(other.led)).searchParams.get('state') ?? '';
    const swapped = new URL(await atProvider((await begin(company, openBrowser(company.service))).led));
    swapped.searchParams.set('state', state);
    assert.equal((await comeBack(company, thief, swapped.href)).answer.status, 400, 'a code of another sign-in');
    const elsewhere = address.replace('/federation/acme', '/federation/other');
    assert.equal((await browser.get(elsewhere)).status, 400, 'of a provider that there is not');
  });

  it('in time of a provider that is away is a page, and all else goes on', async (t) => {
    const company = await openCompany(t);
    const browser = openBrowser(company.service);
    const { led } = await begin(company, browser);
    const address = await atProvider(led);
    await company.server.stop();
    const step = await comeBack(company, browser, address);
    assert.equal(step.answer.status, 503);
    assert.match(step.answer.body, /cannot be reached at the moment/);
    const fresh = await company.service.again();
    const { led: none } = await begin({ ...company, service: fresh }, openBrowser(fresh));
    assert.equal(none.status, 503);
  });

  it('with a key that is new is believed from the second one on', async (t) => {
    const company = await openCompany(t);
    assert.notEqual((await signInAt(company)).tokens, null);
    await company.server.issuer.keys.generate('RS256', { kid: 'two' });
    const outcomes: boolean[] = [];
    for (let times = 0; times < 5; times += 1) outcomes.push((await signInAt(company)).tokens !== null);
    assert.ok(outcomes.filter((isGood) => !isGood).length <= 1, outcomes.join());
    assert.equal(outcomes.at(-1), true);
  });
});

describe('the setting IDENTITY_PROVIDERS', () => {
  const good = { name: 'a', title: 'A', issuer: 'https://a.example', clientId: 'c', clientSecret: 's3cr3t', groups };
  for (const [what, value, why] of [
    ['no JSON', '{"clientSecret":"s3cr3t"', /it is no JSON/],
    ['an unknown member', [{ ...good, secret: 's3cr3t' }], /unknown member "secret"/],
    ['a role that there is not', [{ ...good, groups: { x: { roles: ['king'] } } }], /groups\.x\.roles\.0/],
    ['a plain address', [{ ...good, issuer: 'http://a.example' }], /must be an https address/],
    ['a name twice', [good, good], /a is there twice/],
    ['no scope openid', [{ ...good, scopes: ['email'] }], /needs the scope openid/],
  ] as const) {
    it(`with ${what} is refused, without the secret`, () => {
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      assert.throws(
        () => parseIdentityProviders(text),
        (error: Error) => why.test(error.message) && !error.message.includes('s3cr3t'),
      );
    });
  }
});
