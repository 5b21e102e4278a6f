// Access tokens: kept between exchanges until they end, for the same credentials alone, and asked for anew where
// one is refused.
import assert from 'node:assert/strict';
import { noMessage } from '../../src/carriers/carrier-messages.ts';
import { describe, it } from 'node:test';
import { accessToken, requestWithToken, type TokenRequest } from '../../src/carriers/access-token.ts';
import { CarrierError, type CarrierAnswer, type CarrierRequest } from '../../src/carriers/carrier.ts';
import { createHost } from '../../src/carriers/host.ts';
import { answer, failureOf, replay, resultOf } from './drive.ts';
import { failed, serve, type Talk } from './local-servers.ts';

function tokenRequest(origin: string, secret = 'secret-1'): TokenRequest {
  return {
    title: 'Carrier',
    url: `${origin}/token`,
    headers: {},
    form: { client_secret: secret },
    messageIn: () => noMessage,
  };
}

function parcelRequest(origin: string, repeat: CarrierRequest['repeat'] = 'never'): (token: string) => CarrierRequest {
  return (token) => ({
    method: 'GET',
    url: `${origin}/parcel`,
    headers: { Authorization: `Bearer ${token}` },
    body: null,
    repeat,
  });
}

const given = (token: unknown, expiresIn: unknown) =>
  answer(JSON.stringify({ access_token: token, expires_in: expiresIn }));
const example = 'https://carrier.example';

function* statusOf(exchange: Talk<CarrierAnswer>): Talk<number> {
  return (yield* exchange).status;
}

describe('a request with an access token', () => {
  const drive = (answers: readonly (CarrierAnswer | Error)[]) =>
    replay(statusOf(requestWithToken(tokenRequest(example), parcelRequest(example))), answers);

  it('is content with a token that is kept', async () => {
    const driven = await drive([given('tok-1', 3600), answer('', 200)]);
    assert.equal(resultOf(driven), 200);
    assert.deepEqual(
      driven.requests.map(({ token, headers, repeat }) => [token, headers.Authorization, repeat]),
      [
        ['kept', undefined, 'safe'],
        [undefined, 'Bearer tok-1', 'never'],
      ],
    );
  });

  it('is made again once, with a new token, where the first is refused', async () => {
    const driven = await drive([given('tok-1', 3600), answer('', 401), given('tok-2', 3600), answer('', 201)]);
    assert.equal(resultOf(driven), 201);
    assert.deepEqual(
      driven.requests.map(({ token, headers }) => token ?? headers.Authorization),
      ['kept', 'Bearer tok-1', 'new', 'Bearer tok-2'],
    );
  });

  it('is not made a third time', async () => {
    const driven = await drive([given('tok-1', 3600), answer('', 401), given('tok-2', 3600), answer('', 401)]);
    assert.deepEqual([resultOf(driven), driven.requests.length], [401, 4]);
  });

  it('is made once where anything else is answered', async () => {
    for (const status of [200, 400, 403, 404, 429, 500, 503])
      assert.equal((await drive([given('tok-1', 3600), answer('', status)])).requests.length, 2, String(status));
  });

  it('has made nothing where the token is refused and there is no other one', async () => {
    for (const instead of [
      answer('', 401),
      answer('', 503),
      new CarrierError('timeout', 'The carrier did not answer in time.', { acted: 'unknown' }),
    ]) {
      assert.equal(failureOf(await drive([given('tok-1', 3600), answer('', 401), instead])).acted, 'no');
    }
  });

  it('is not made with a token that no header may have', async () => {
    for (const token of ['', 'a b', 'a\nX-More: 1', 'é', null, {}]) {
      const driven = await drive([given(token, 3600), answer('', 200)]);
      assert.deepEqual([failureOf(driven).kind, driven.requests.length], ['unavailable', 1], String(token));
    }
  });
});

describe('the host keeps access tokens', () => {
  /** A carrier that gives tokens and takes the newest one alone; `refused` are others that it takes no more. */
  async function carrier(t: Parameters<typeof serve>[0], expiresIn: unknown = 3600) {
    const state = { tokens: 0, refused: new Set<string>(), now: 1_000_000 };
    const { origin, requests } = await serve(t, (request, response) => {
      if (request.url === '/token') {
        state.tokens += 1;
        response.end(JSON.stringify({ access_token: `tok-${state.tokens}`, expires_in: expiresIn }));
      } else response.writeHead(state.refused.has(request.headers.authorization ?? '') ? 401 : 200).end();
    });
    const callCarrier = createHost({ onCall: () => undefined, now: () => state.now });
    const ask = (secret = 'secret-1') =>
      callCarrier(statusOf(requestWithToken(tokenRequest(origin, secret), parcelRequest(origin))), [origin]);
    return { state, origin, requests, callCarrier, ask };
  }

  it('for further exchanges', async (t) => {
    const { state, requests, ask } = await carrier(t);
    for (let count = 0; count < 3; count += 1) assert.equal(await ask(), 200);
    assert.deepEqual([state.tokens, requests()], [1, 4]);
  });

  it('until a minute before they end', async (t) => {
    const { state, ask } = await carrier(t);
    await ask();
    state.now += 3_539_000;
    await ask();
    assert.equal(state.tokens, 1);
    state.now += 2000;
    await ask();
    assert.equal(state.tokens, 2);
  });

  it('of short lives for nine tenths of them', async (t) => {
    const { state, ask } = await carrier(t, '30');
    await ask();
    state.now += 26_000;
    await ask();
    assert.equal(state.tokens, 1);
    state.now += 2000;
    await ask();
    assert.equal(state.tokens, 2);
  });

  it('for a day at most', async (t) => {
    const { state, ask } = await carrier(t, 1e300);
    await ask();
    state.now += 86_400_000;
    await ask();
    assert.equal(state.tokens, 2);
  });

  for (const expiresIn of [null, 0, -1, 'soon', {}]) {
    it(`not where their end is ${JSON.stringify(expiresIn)}`, async (t) => {
      const { state, ask } = await carrier(t, expiresIn);
      await ask();
      await ask();
      assert.equal(state.tokens, 2);
    });
  }

  it('for the same credentials alone', async (t) => {
    const { state, ask } = await carrier(t);
    for (const secret of ['secret-1', 'secret-2', 'secret-1', 'secret-2']) await ask(secret);
    assert.equal(state.tokens, 2);
  });

  it('no longer than the carrier takes them: the new one takes the place of the old', async (t) => {
    const { state, requests, ask } = await carrier(t);
    await ask();
    state.refused.add('Bearer tok-1');
    assert.equal(await ask(), 200);
    assert.equal(await ask(), 200);
    assert.deepEqual([state.tokens, requests()], [2, 6]);
  });

  it('from nobody who asks for a new one, as a test of the account does', async (t) => {
    const { state, origin, callCarrier, ask } = await carrier(t);
    await ask();
    assert.equal(await callCarrier(accessToken(tokenRequest(origin), 'new'), [origin]), 'tok-2');
    assert.equal(await callCarrier(accessToken(tokenRequest(origin), 'kept'), [origin]), 'tok-2');
    assert.equal(state.tokens, 2);
  });

  it('for nobody who may not ask the origin', async (t) => {
    const { origin, callCarrier, ask } = await carrier(t);
    await ask();
    assert.equal((await failed(callCarrier(accessToken(tokenRequest(origin), 'kept'), []))).kind, 'configuration');
  });

  it('and nothing else: another answer is asked for every time', async (t) => {
    const { origin, requests, callCarrier } = await carrier(t);
    for (let count = 0; count < 2; count += 1)
      await callCarrier(
        statusOf(
          (function* (): Talk<CarrierAnswer> {
            return yield { method: 'POST', url: `${origin}/token`, headers: {}, body: 'x', repeat: 'safe' };
          })(),
        ),
        [origin],
      );
    assert.equal(requests(), 2);
  });
});
