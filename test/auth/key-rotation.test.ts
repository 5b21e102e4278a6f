// New keys while the service runs: known to every process before they sign, and no token in hand breaks.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createKeyRing, rotateKeys } from '../../src/auth/keys.ts';
import { createCipher } from '../../src/auth/cipher.ts';
import { OperatorError } from '../../src/model/operator-error.ts';
import {
  connect,
  decoded,
  readArticles,
  refresh,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
} from './flow.ts';
import { openDatabase, stoppedClock } from './fixture.ts';
import { rowsIn } from '../contract/database.ts';
import { signingKeyTable } from '../../src/store/tables/access.ts';

const secret = 'a secret of more than thirty-two characters';

async function published(service: Service): Promise<readonly string[]> {
  const { keys } = (await send(service, 'GET', `${service.authUrl}/connect/jwks`)).json();
  assert.ok(Array.isArray(keys));
  for (const key of keys)
    assert.deepEqual(
      Object.keys(key).filter((name) => ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].includes(name)),
      [],
    );
  assert.ok(['ES256', 'RS256'].every((alg) => keys.some((key) => key.alg === alg)));
  return keys.map((key) => String(key.kid));
}

describe('a rotation of the keys', () => {
  it('reaches every process without a restart and breaks nothing', async (t) => {
    const start = Date.now();
    t.mock.timers.enable({ apis: ['Date'], now: start });
    const service = await startService(t, { SECRET_KEY: secret });
    const other = await service.again();
    const credentials = await registerClient(service);
    await registerUser(service);
    const before = await connect(service, credentials);
    const oldKid = decoded(before.access_token).header.kid;
    assert.deepEqual((await published(service)).length, 2);

    const { kids, signsFrom } = await rotateKeys({
      store: service.app.store,
      cipher: createCipher(secret),
      now: Date.now,
    });
    assert.equal(signsFrom, start + 120_000);
    t.mock.timers.setTime(start + 61_000);
    for (const one of [service, other]) {
      const known = await published(one);
      assert.ok(kids.every((kid) => known.includes(kid)));
      assert.equal(decoded((await connect(one, credentials)).access_token).header.kid, oldKid);
    }

    t.mock.timers.setTime(start + 120_000);
    for (const [issuer, reader] of [
      [service, other],
      [other, service],
    ] as const) {
      const tokens = await connect(issuer, credentials);
      assert.ok(kids.includes(String(decoded(tokens.access_token).header.kid)));
      for (const one of [tokens, before]) assert.equal((await readArticles(reader, one.access_token)).status, 200);
      assert.equal(
        decoded(
          await issuer.app
            .issueToken({
              client: credentials.client,
              user: await registerUser(service, { login: `u${issuer.port}` }),
              now: Date.now(),
            })
            .then(({ accessToken }) => accessToken),
        ).header.kid,
        decoded(tokens.access_token).header.kid,
      );
    }
    assert.equal((await refresh(other, credentials, before.refresh_token)).status, 200);

    t.mock.timers.setTime(start + 120_000 + 26 * 3_600_000);
    for (const one of [service, other]) assert.deepEqual((await published(one)).toSorted(), kids.toSorted());
  });

  it('makes one pair although two are asked for at once, and no second one before the first signs', async (t) => {
    const database = await openDatabase(t);
    const clock = stoppedClock();
    const [first, second] = [database.store, await database.again()].map((store) => ({
      store,
      cipher: createCipher(null),
      now: clock.now,
    }));
    assert.ok(first && second);
    const ring = createKeyRing(second);
    const old = (await ring.privateKeys()).keys.map(({ kid }) => kid);
    const outcomes = await Promise.allSettled([rotateKeys(first), rotateKeys(second)]);
    assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
    await assert.rejects(
      rotateKeys(second),
      (error) => error instanceof OperatorError && /under way/.test(error.message),
    );
    assert.equal((await rowsIn(first.store, signingKeyTable)).length, 4);
    clock.advance(120_000);
    await rotateKeys(second);
    const { keys } = await ring.privateKeys();
    assert.equal(keys.length, 6);
    // Second generation signs until the third takes over; the first only verifies, and comes last.
    const rows = new Map((await rowsIn(first.store, signingKeyTable)).map((row) => [row.kid, row.generation]));
    assert.deepEqual(
      keys.map(({ kid }) => rows.get(String(kid))),
      [2, 2, 3, 3, 1, 1],
    );
    assert.deepEqual(
      keys
        .slice(4)
        .map(({ kid }) => kid)
        .toSorted(),
      old.toSorted(),
    );
    assert.equal(keys[0]?.kid, (await ring.signingKey(keys[0]?.alg === 'RS256' ? 'RS256' : 'ES256')).kid);
  });

  it('gives the same set until something changes', async (t) => {
    const { store } = await openDatabase(t);
    const clock = stoppedClock();
    const options = { store, cipher: createCipher(null), now: clock.now };
    const ring = createKeyRing(options);
    const set = await ring.privateKeys();
    clock.advance(120_000);
    assert.equal(await ring.privateKeys(), set);
    await rotateKeys(options);
    clock.advance(60_000);
    const both = await ring.privateKeys();
    assert.notEqual(both, set);
    assert.deepEqual(both.keys.slice(0, 2), set.keys);
    clock.advance(60_000);
    assert.notEqual(await ring.privateKeys(), both);
  });
});

describe('a start with the wrong secret', () => {
  it('fails, instead of a server that cannot sign', async (t) => {
    const service = await startService(t, { SECRET_KEY: secret });
    await assert.rejects(
      service.again({ SECRET_KEY: `${secret}!` }),
      (error) => error instanceof OperatorError && /another secret/.test(error.message),
    );
  });
});
