// Registering, showing and disabling clients; what is refused and what is stored.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addClient, clientSecretHash, disableClient, findClient, listClients } from '../../src/auth/clients.ts';
import { classifyRedirect } from '../../src/auth/redirect.ts';
import type { RedirectKind } from '../../src/auth/redirect.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import { clientLike, openDatabase } from './fixture.ts';
import { rowIn } from '../contract/database.ts';
import { oauthClientTable } from '../../src/store/tables/access.ts';

const refused =
  (...patterns: readonly RegExp[]) =>
  (error: unknown): boolean =>
    error instanceof OperatorError && patterns.every((pattern) => pattern.test(error.message));

describe('client add', () => {
  const rows: readonly (readonly [name: string, changes: Parameters<typeof clientLike>[0], pattern: RegExp])[] = [
    ['no name', { name: '  ' }, /needs a name/],
    ['a long name', { name: 'x'.repeat(61) }, /longer than 60/],
    ['a name that turns text around', { name: 'Shop\u202egnp' }, /invisible characters/],
    ['a name of two lines', { name: 'Shop\nTrust me' }, /invisible characters/],
    ['no redirect address', { redirectUris: [] }, /at least one redirect address/],
    [
      'too many redirect addresses',
      { redirectUris: Array.from({ length: 21 }, (_, index) => `https://shop.example/${index}`) },
      /at most 20/,
    ],
    [
      'a bad redirect address',
      { redirectUris: ['http://shop.example/callback'] },
      /The redirect address "http:\/\/shop.example\/callback" is plain http/,
    ],
    ['a public service', { service: true }, /secret/],
    ['a public client without PKCE', { pkceRequired: false }, /PKCE is all that protects/],
    ['a secret in an app', { redirectUris: ['com.example.app:/callback'], confidential: true }, /cannot keep a secret/],
    [
      'addresses that no one client can have',
      { redirectUris: ['https://localhost/cb', 'http://localhost/cb'] },
      /register two clients/,
    ],
    ['no activity', { activityCodes: [] }, /at least one activity/],
    ['activities that do not exist', { activityCodes: ['AAA', 'XYZ', 'aaa'] }, /There is no activity "XYZ", "aaa"/],
  ];
  for (const [name, changes, pattern] of rows) {
    it(`refuses ${name}`, async (t) => {
      const { store } = await openDatabase(t);
      await assert.rejects(addClient(store, clientLike(changes), 1), refused(pattern));
      assert.deepEqual(await listClients(store), []);
    });
  }

  it('names everything that is wrong at once', async (t) => {
    const { store } = await openDatabase(t);
    const wanted = clientLike({
      name: '',
      redirectUris: ['ftp://a.example/', 'https://a.example/#x'],
      activityCodes: [],
    });
    await assert.rejects(
      addClient(store, wanted, 1),
      refused(/needs a name/, /ftp:/, /fragment/, /at least one activity/),
    );
  });

  it('keeps a public client as it was given, without a secret', async (t) => {
    const { store } = await openDatabase(t);
    const wanted = clientLike({
      name: ' Café & Söhne ',
      activityCodes: ['BBB', 'AAA', 'BBB'],
      readOnly: true,
      redirectUris: ['http://127.0.0.1/cb', 'http://127.0.0.1/cb', 'http://[::1]/cb'],
    });
    const { client, secret } = await addClient(store, wanted, 7);
    assert.equal(secret, null);
    assert.match(client.id, /^cafe-sohne-[0-9a-hjkmnp-tv-z]{10}$/);
    assert.deepEqual(
      { ...client, id: '' },
      {
        id: '',
        name: 'Café & Söhne',
        redirectUris: ['http://127.0.0.1/cb', 'http://[::1]/cb'],
        activityCodes: ['AAA', 'BBB'],
        readOnly: true,
        confidential: false,
        service: false,
        pkceRequired: true,
        platform: false,
        disabledAt: null,
        createdAt: 7,
      },
    );
    assert.deepEqual(await findClient(store, client.id), client);
    assert.equal(await findClient(store, client.id.toUpperCase()), null);
  });

  it('shows the secret of a confidential client once and stores its hash alone', async (t) => {
    const { store } = await openDatabase(t);
    const { client, secret } = await addClient(store, clientLike({ confidential: true }), 1);
    assert.match(secret ?? '', /^lcs_[A-Za-z0-9_-]{43}$/);
    const row = await rowIn(store, oauthClientTable);
    assert.equal(row.secretHash, clientSecretHash(secret ?? ''));
    assert.equal(JSON.stringify(row).includes(secret ?? ''), false);
    assert.equal(JSON.stringify(client).includes('secret'), false);
  });

  it('gives a name without Latin letters an id nevertheless, and every client its own', async (t) => {
    const { store } = await openDatabase(t);
    const ids = new Set<string>();
    for (let turn = 0; turn < 20; turn += 1)
      ids.add((await addClient(store, clientLike({ name: '倉庫' }), turn)).client.id);
    assert.equal(ids.size, 20);
    for (const id of ids) assert.match(id, /^client-/);
    assert.deepEqual(
      (await listClients(store)).map((client) => client.createdAt),
      [...Array(20).keys()],
    );
  });
});

describe('client disable', () => {
  it('notes the time, and keeps it the second time', async (t) => {
    const { store } = await openDatabase(t);
    const { client } = await addClient(store, clientLike(), 1);
    assert.equal((await disableClient(store, client.id, 5)).disabledAt, 5);
    assert.equal((await disableClient(store, client.id, 9)).disabledAt, 5);
    assert.equal((await findClient(store, client.id))?.disabledAt, 5);
  });

  it('says when there is no such client', async (t) => {
    const { store } = await openDatabase(t);
    await assert.rejects(disableClient(store, 'nobody', 1), refused(/There is no client "nobody"/));
  });
});

describe('a redirect address', () => {
  const accepted: readonly (readonly [address: string, kind: RedirectKind])[] = [
    ['https://shop.example/callback', 'web'],
    ['https://shop.example', 'web'],
    ['https://shop.example:8443/a/b?tenant=7&x=%20', 'web'],
    ['https://localhost:3000/callback', 'web-loopback'],
    ['http://127.0.0.1/callback', 'native'],
    ['http://127.0.0.1:5000/callback', 'native'],
    ['http://[::1]/callback', 'native'],
    ['http://localhost/callback', 'native'],
    ['com.example.app:/callback', 'native'],
  ];
  for (const [address, kind] of accepted) {
    it(`may be ${address}`, () => assert.deepEqual(classifyRedirect(address), { kind, fault: null }));
  }

  const refusedOnes: readonly (readonly [address: string, pattern: RegExp])[] = [
    ['', /characters|absolute/],
    ['/callback', /absolute/],
    ['//shop.example/callback', /absolute/],
    ['https://', /absolute/],
    ['HTTPS://shop.example/', /lower-case/],
    ['http://shop.example/callback', /plain http/],
    ['http://127.0.0.1.evil.example/', /plain http/],
    ['http://127.1/', /plain spelling/],
    ['http://2130706433/', /plain spelling/],
    ['http://localhost.evil.example/', /plain http/],
    ['http://127.0.0.2/', /plain http/],
    ['https://shop.example/#', /fragment/],
    ['https://shop.example/cb#a', /fragment/],
    ['https://*.shop.example/', /wildcard/],
    ['https://shop.example/*', /wildcard/],
    ['https://shop.example@evil.example/', /user name/],
    ['https://user:word@shop.example/', /user name/],
    ['https:/shop.example/', /plain spelling/],
    ['https:shop.example/', /plain spelling/],
    ['https:///shop.example/', /plain spelling/],
    ['https://Shop.example/', /plain spelling/],
    ['https://shop.example:443/', /plain spelling/],
    ['https://shop.example?x=1', /plain spelling/],
    ['https://shop.example/a/../b', /plain spelling/],
    ['https://shop.example/..', /plain spelling/],
    ['https://shop.example/%2e%2e/b', /plain spelling/],
    ['https://shop.example\\@evil.example/', /characters/],
    [' https://shop.example/', /characters/],
    ['https://shop.example/\n', /characters/],
    ['https://shöp.example/', /characters/],
    ['javascript:alert(1)', /anyone could claim/],
    ['data:text/html,x', /anyone could claim/],
    ['file:///etc/passwd', /anyone could claim/],
    ['myapp:/callback', /anyone could claim/],
    ['com.example.app://callback', /one slash/],
    ['com.example.app:callback', /one slash/],
    ['urn:ietf:wg:oauth:2.0:oob', /anyone could claim/],
    [`https://shop.example/${'a'.repeat(2048)}`, /longer than 2048/],
  ];
  for (const [address, pattern] of refusedOnes) {
    it(`must not be ${JSON.stringify(address.slice(0, 60))}`, () => {
      const verdict = classifyRedirect(address);
      assert.equal(verdict.kind, null);
      assert.match(verdict.fault ?? '', pattern);
    });
  }
});
