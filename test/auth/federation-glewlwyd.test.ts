// Signing in and out at a real identity provider of another project, Glewlwyd: its discovery, its tokens, its groups.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { listUsers } from '../../src/auth/users.ts';
import { begin, type Company, comeBack, groups } from './company.ts';
import { callbackOf, decoded, fieldIn, openBrowser, redeem, registerClient, startService } from './flow.ts';
import { type Glewlwyd, registered, skip, startGlewlwyd } from './glewlwyd.ts';

type GlewlwydCompany = Pick<Company, 'service' | 'shop'> & { readonly provider: Glewlwyd };

async function open(t: TestContext): Promise<GlewlwydCompany> {
  const provider = await startGlewlwyd(t);
  const setting = { name: 'acme', title: 'Acme', issuer: provider.issuer, ...registered, groups };
  const service = await startService(t, { IDENTITY_PROVIDERS: JSON.stringify([setting]) });
  const { authUrl } = service;
  await provider.register(`${authUrl}/connect/federation/acme`, `${authUrl}/connect/signout`);
  return { service, shop: await registerClient(service, { platform: true }), provider };
}

/** Mia signs in: the status of the page that refuses her, or the activities that her token opens. */
async function enter(
  { service, shop, provider }: GlewlwydCompany,
  browser = openBrowser(service),
  there = provider.browser(),
): Promise<unknown> {
  const { request, led } = await begin({ service, shop }, browser);
  assert.equal(led.status, 303, led.body.slice(0, 500));
  const step = await comeBack({ service }, browser, await there.signIn(led.headers.location ?? ''));
  if (step.answer.status >= 400) return step.answer.status;
  const { code } = callbackOf(step, request);
  const answer = await redeem(service, shop, request, code ?? '');
  assert.equal(answer.status, 200, answer.body);
  return decoded(answer.json().access_token).payload.activityCodes;
}

describe('Glewlwyd as identity provider', { skip, timeout: 900_000 }, () => {
  it('signs people in, and what they may do follows their groups there', async (t) => {
    const company = await open(t);
    const { provider, service } = company;
    assert.deepEqual(await enter(company), ['AAA']);
    await provider.joins(['lc-blu', 'lc-ops']);
    assert.deepEqual(await enter(company), ['BBB']);
    const users = await listUsers(service.app.store);
    assert.deepEqual(
      users.map(({ login, operatorRoles }) => [login, operatorRoles]),
      [['acme.mia', ['feed']]],
      'one person there is one user here',
    );
    await provider.joins(['everybody']);
    assert.equal(await enter(company), 403);
    assert.deepEqual((await listUsers(service.app.store))[0]?.activityCodes, []);
  });

  it('may change its key, and may be away and come back', async (t) => {
    const company = await open(t);
    const { provider, service, shop } = company;
    assert.deepEqual(await enter(company), ['AAA']);
    await provider.changeKey();
    assert.equal(await enter(company), 400, 'a key that is new is refused once');
    assert.deepEqual(await enter(company), ['AAA']);
    await provider.stop();
    const browser = openBrowser(service);
    const there = provider.browser();
    const { led, page } = await begin({ service, shop }, browser);
    // What is known of it is known still, but nobody answers the browser.
    assert.ok(led.status === 303 || led.status === 503, `${led.status}`);
    assert.match((await browser.get(page)).body, /name="password"/);
    await provider.start();
    assert.deepEqual(await enter(company, browser, there), ['AAA']);
  });

  it('signs people out there too', async (t) => {
    const company = await open(t);
    const { service, provider } = company;
    const [browser, there] = [openBrowser(service), provider.browser()];
    assert.deepEqual(await enter(company, browser, there), ['AAA']);
    const signOut = `${service.authUrl}/connect/signout`;
    const page = await browser.get(signOut);
    assert.match(page.body, /Sign out here and at <bdi>Acme<\/bdi>/);
    const answer = await browser.post(signOut, { csrf: fieldIn(page, 'csrf'), at: 'provider' });
    const to = new URL(answer.headers.location ?? '');
    assert.equal(`${to.origin}${to.pathname}`, `${provider.issuer}/end_session`);
    const idToken = to.searchParams.get('id_token_hint') ?? '';
    assert.deepEqual(decoded(idToken).payload.aud, registered.clientId);
    await there.confirmSignOut(await there.visit(to.href), idToken);
    assert.match((await browser.get(signOut)).body, /You are signed out/);
    // Its page of signing in stands in the way again.
    const { led } = await begin(company, openBrowser(service));
    assert.equal((await there.visit(led.headers.location ?? '')).pathname, '/login.html');
  });
});
