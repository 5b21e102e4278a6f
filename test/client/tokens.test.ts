// Tokens of the client of `packages/client`, from the real authorization server: a client's own, a sign-in that is
// refreshed by one request at a time, and its end.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  AuthorizationError,
  beginSignIn,
  clientCredentials,
  createClient,
  finishSignIn,
  revokeToken,
  storedSignIn,
  type TokenStore,
  type Tokens,
} from '../../packages/client/src/index.ts';
import {
  authorize,
  connect,
  openBrowser,
  registerClient,
  registerUser,
  type Service,
  startService,
} from '../auth/flow.ts';

describe('tokens of the client', { timeout: 900_000 }, () => {
  it('are asked for once by a client that acts for itself, however many requests begin together', async (t) => {
    const service = await startService(t);
    const { client, secret } = await registerClient(service, { service: true, confidential: true, redirectUris: [] });
    const counted = countingFetch();
    const token = clientCredentials({
      authUrl: service.authUrl,
      clientId: client.id,
      clientSecret: secret ?? '',
      fetch: counted.fetch,
    });
    const api = createClient({ baseUrl: service.baseUrl, token });
    await Promise.all(Array.from({ length: 8 }, () => api.articles.page()));
    await api.articles.page();
    assert.equal(counted.asked(), 1);
  });

  it('are told of a secret that is wrong', async (t) => {
    const service = await startService(t);
    const { client } = await registerClient(service, { service: true, confidential: true, redirectUris: [] });
    const token = clientCredentials({ authUrl: service.authUrl, clientId: client.id, clientSecret: 'wrong' });
    await assert.rejects(createClient({ baseUrl: service.baseUrl, token }).articles.page(), (error) => {
      assert.ok(error instanceof AuthorizationError);
      return error.code === 'invalid_client';
    });
  });

  it('are refreshed once by all who share the store, and stored before they are used', async (t) => {
    const { service, store, tokenFor, counted } = await signedIn(t);
    store.write({ ...store.current(), expiresAt: 0 });
    const apis = [1, 2, 3].map(() => createClient({ baseUrl: service.baseUrl, token: tokenFor() }));
    const before = store.current().refreshToken;
    await Promise.all(apis.flatMap((api) => [api.articles.page(), api.orders.page()]));
    assert.equal(counted.asked(), 1);
    assert.notEqual(store.current().refreshToken, before);
  });

  it('are replaced once where the service refuses one that looks good', async (t) => {
    const { service, store, tokenFor, counted } = await signedIn(t);
    store.write({ ...store.current(), accessToken: 'no-token-of-this-service' });
    const api = createClient({ baseUrl: service.baseUrl, token: tokenFor() });
    await Promise.all([api.articles.page(), api.articles.page()]);
    assert.equal(counted.asked(), 1);
  });

  it('end with the sign-in: the store is emptied, and nothing is asked again', async (t) => {
    const { service, store, tokenFor, counted, endpoint } = await signedIn(t);
    await revokeToken(endpoint, store.current().refreshToken ?? '');
    store.write({ ...store.current(), expiresAt: 0 });
    const api = createClient({ baseUrl: service.baseUrl, token: tokenFor() });
    const isSignedOut = (error: unknown): boolean =>
      error instanceof AuthorizationError && error.code === 'invalid_grant';
    await assert.rejects(api.articles.page(), isSignedOut);
    assert.equal(await store.read(), null);
    const asked = counted.asked();
    await assert.rejects(api.articles.page(), isSignedOut);
    assert.equal(counted.asked(), asked);
  });

  for (const [when, isRefused] of [
    ['with new tokens', false],
    ['with a refusal', true],
  ] as const)
    it(`are left as they are by a refresh that ends ${when} after a sign-out, or after another sign-in`, async (t) => {
      for (const next of [null, { accessToken: 'of-somebody-else', refreshToken: 'theirs', expiresAt: Date.now() }]) {
        const { store, endpoint } = await signedIn(t);
        store.write({ ...store.current(), expiresAt: 0, ...(isRefused && { refreshToken: 'none' }) });
        const held: typeof fetch = async (address, given) => {
          const answer = await fetch(address, given);
          store.write(next);
          return answer;
        };
        const source = storedSignIn({ ...endpoint, fetch: held, store });
        await assert.rejects(source.token({}), { code: 'invalid_grant' });
        assert.deepEqual(await store.read(), next);
      }
    });

  it('are got by the code flow with PKCE, and not with the answer of another sign-in', async (t) => {
    const service = await startService(t);
    const { client } = await registerClient(service);
    await registerUser(service);
    const redirectUri = client.redirectUris[0] ?? '';
    const endpoint = { authUrl: service.authUrl, clientId: client.id };
    const { address, pending } = await beginSignIn({ ...endpoint, redirectUri });
    const request = { address, redirectUri, verifier: '', state: '' };
    const { at } = await authorize(service, openBrowser(service), request);
    await assert.rejects(finishSignIn(endpoint, { ...pending, state: 'another' }, at), { code: 'invalid_state' });
    const tokens = await finishSignIn(endpoint, pending, at);
    const api = createClient({ baseUrl: service.baseUrl, token: tokens.accessToken });
    assert.deepEqual((await api.articles.page()).records, []);
    await assert.rejects(finishSignIn(endpoint, pending, at), { code: 'invalid_grant' });

    const second = await beginSignIn({ ...endpoint, redirectUri });
    const other = { address: second.address, redirectUri, verifier: '', state: '' };
    const refused = await authorize(service, openBrowser(service), other, { decision: 'deny' });
    await assert.rejects(finishSignIn(endpoint, second.pending, refused.at), { code: 'access_denied' });
  });
});

interface SignedIn {
  readonly service: Service;
  readonly endpoint: { readonly authUrl: string; readonly clientId: string };
  readonly store: TokenStore & { readonly current: () => Tokens; readonly write: (tokens: Tokens | null) => void };
  /** As another page of the same browser has it. */
  readonly tokenFor: () => ReturnType<typeof storedSignIn>;
  readonly counted: ReturnType<typeof countingFetch>;
}

async function signedIn(t: Parameters<typeof startService>[0]): Promise<SignedIn> {
  const service = await startService(t);
  const credentials = await registerClient(service);
  await registerUser(service);
  const given = await connect(service, credentials);
  let tokens: Tokens | null = {
    accessToken: String(given.access_token),
    refreshToken: String(given.refresh_token),
    expiresAt: Date.now() + 3_600_000,
  };
  const store = {
    read: async () => tokens,
    write: (next: Tokens | null) => {
      tokens = next;
    },
    current: () => {
      assert.ok(tokens !== null);
      return tokens;
    },
  };
  const counted = countingFetch();
  const endpoint = { authUrl: service.authUrl, clientId: credentials.client.id, fetch: counted.fetch };
  let turn: Promise<unknown> = Promise.resolve();
  const lock = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  };
  return { service, endpoint, store, tokenFor: () => storedSignIn({ ...endpoint, store, lock }), counted };
}

function countingFetch(): { readonly fetch: typeof fetch; readonly asked: () => number } {
  let asked = 0;
  return {
    fetch: (address, given) => {
      asked += 1;
      return fetch(address, given);
    },
    asked: () => asked,
  };
}
