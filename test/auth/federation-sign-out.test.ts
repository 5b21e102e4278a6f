// Signing out where the sign-in was at an identity provider, and what the account page has for its people.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it, type TestContext } from 'node:test';
import { type IdentityProvider, parseIdentityProviders } from '../../src/auth/federation/identity-providers.ts';
import { createProviderClients } from '../../src/auth/federation/provider-client.ts';
import { type Company, openCompany, signInAt } from './company.ts';
import { type Browser, decoded, fieldIn, openBrowser, send } from './flow.ts';

async function enter(company: Company): Promise<Browser> {
  const browser = openBrowser(company.service);
  assert.notEqual((await signInAt(company, browser)).tokens, null);
  return browser;
}

function addressesOf({ service: { authUrl } }: Company) {
  return { signOut: `${authUrl}/connect/signout`, account: `${authUrl}/account` };
}

describe('whoever signed in at an identity provider', () => {
  it('signs out there too, by the ID token of the sign-in, and comes back', async (t) => {
    const company = await openCompany(t);
    const browser = await enter(company);
    const { signOut } = addressesOf(company);
    const page = await browser.get(signOut);
    assert.match(page.body, /value="provider">Sign out here and at <bdi>Acme<\/bdi>/);
    assert.match(page.headers['content-security-policy'] ?? '', new RegExp(`form-action [^;]*${company.issuer}`));
    const forged = await browser.post(signOut, { csrf: 'x', at: 'provider' });
    assert.match(forged.body, /You are signed in as/);
    const answer = await browser.post(signOut, { csrf: fieldIn(page, 'csrf'), at: 'provider' });
    assert.equal(answer.status, 303);
    const there = new URL(answer.headers.location ?? '');
    assert.equal(there.origin, company.issuer);
    const { sub, aud } = decoded(there.searchParams.get('id_token_hint')).payload;
    assert.deepEqual([sub, aud], ['mia-at-acme', 'logistics']);
    assert.equal(there.searchParams.get('post_logout_redirect_uri'), signOut);
    const back = (await fetch(there, { redirect: 'manual' })).headers.get('location') ?? '';
    const end = await browser.get(back);
    assert.match(end.body, /<h1>You are signed out<\/h1>/);
    assert.doesNotMatch(end.body, /Acme/);
    assert.match((await browser.get(addressesOf(company).account)).body, /name="password"/);
  });

  it('signs out here alone where they choose so, and is told what goes on', async (t) => {
    const company = await openCompany(t);
    const browser = await enter(company);
    const { signOut } = addressesOf(company);
    const csrf = fieldIn(await browser.get(signOut), 'csrf');
    const answer = await browser.post(signOut, { csrf, at: 'here' });
    const end = await browser.get(answer.headers.location ?? '');
    assert.match(end.body, /You are signed out[\s\S]*You stay signed in at <bdi>Acme<\/bdi>/);
    assert.doesNotMatch((await browser.get(`${signOut}?still=%3Cb%3E`)).body, /stay signed in/);
  });

  it('is not signed out by a page that has no such choice', async (t) => {
    const company = await openCompany(t);
    const browser = await enter(company);
    const { signOut } = addressesOf(company);
    const cookie = ['session', 'session.sig'].map((name) => `${name}=${browser.cookie(name) ?? ''}`).join('; ');
    const answer = await send(company.service, 'DELETE', signOut, { cookie });
    assert.deepEqual([answer.status, answer.cookies], [409, []]);
    assert.match((await browser.get(signOut)).body, /Sign out here and at/);
  });

  it('signs out here where the provider is away, and is told so', async (t) => {
    const company = await openCompany(t);
    const browser = await enter(company);
    const { service } = company;
    await company.server.stop();
    // Another process, which has not read what the provider says of itself.
    const fresh = await service.again();
    const other = openBrowser(fresh);
    for (const name of ['session', 'session.sig'])
      other.plant(`${name}=${browser.cookie(name === 'session' ? 'session' : 'session.sig') ?? ''}; Path=/`);
    const { signOut } = addressesOf({ ...company, service: fresh });
    const page = await other.get(signOut);
    assert.match(page.body, /You stay signed in at <bdi>Acme<\/bdi>/);
    assert.doesNotMatch(page.body, /name="at"/);
    const answer = await other.post(signOut, { csrf: fieldIn(page, 'csrf'), at: 'provider' });
    assert.equal(new URL(answer.headers.location ?? '', signOut).search, '?still=acme');
    assert.match((await other.get(signOut)).body, /You are signed out/);
  });

  it('is told where password and second factor are kept, and is asked for neither', async (t) => {
    const company = await openCompany(t);
    const browser = await enter(company);
    const { account } = addressesOf(company);
    const page = await browser.get(account);
    assert.match(page.body, /You sign in at <strong><bdi>Acme<\/bdi><\/strong>\. Your password and your second factor/);
    assert.doesNotMatch(page.body, /Change password|Set up a second factor|With the password alone/);
    const home = new URL(account).pathname;
    for (const place of ['password', 'second-factor']) {
      for (const answer of [
        await browser.get(`${account}/${place}`),
        await browser.post(`${account}/${place}`, { current: 'x', password: 'y', again: 'y', secret: 'z', code: '1' }),
      ])
        assert.deepEqual([answer.status, answer.headers.location], [303, home], place);
    }
    const inFrench = await browser.get(account, { 'accept-language': 'fr' });
    assert.match(inFrench.body, /Vous vous connectez chez/);
  });
});

describe('where to sign out at an identity provider', () => {
  const returnTo = 'https://wms.example/connect/signout';

  it('is what its metadata say, with the ID token as far as an address can carry it', async (t) => {
    const client = await clientOf(t, (issuer) => `${issuer}/end?ui=1`);
    const short = new URL((await client.signOutAddress('a.b.c', returnTo)) ?? '');
    assert.equal(short.pathname, '/end');
    assert.deepEqual(Object.fromEntries(short.searchParams), {
      ...{ ui: '1', id_token_hint: 'a.b.c', post_logout_redirect_uri: returnTo, client_id: 'logistics' },
    });
    for (const none of [null, 'x'.repeat(6001)])
      assert.equal(
        new URL((await client.signOutAddress(none, returnTo)) ?? '').searchParams.get('id_token_hint'),
        null,
      );
  });

  it('is nowhere without an address in the metadata that a browser can be sent to', async (t) => {
    for (const endpoint of [undefined, 'javascript:alert(1)', 'no address', 'ftp://x.example/']) {
      const client = await clientOf(t, () => endpoint);
      assert.equal(await client.signOutAddress('a.b.c', returnTo), null, String(endpoint));
    }
  });
});

/** A client of a provider whose metadata have this `end_session_endpoint`. */
async function clientOf(t: TestContext, endpointAt: (issuer: string) => string | undefined) {
  let issuer = '';
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ issuer, end_session_endpoint: endpointAt(issuer) }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  t.after(() => server.close());
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const setting = { name: 'acme', title: 'Acme', issuer, clientId: 'logistics', clientSecret: 's', groups: {} };
  const providers: readonly IdentityProvider[] = parseIdentityProviders(JSON.stringify([setting]));
  const client = createProviderClients(providers, 'https://wms.example', Date.now).get('acme');
  assert.ok(client !== undefined);
  return client;
}
