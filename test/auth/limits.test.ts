// How often one address may begin to sign in and be refused a token: enough for an office, too little to fill the
// database.
import assert from 'node:assert/strict';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, it } from 'node:test';
import { createOidcStore } from '../../src/auth/oidc-store.ts';
import { createTokenQueue } from '../../src/auth/token-queue.ts';
import { enginesAboveStorage, provenWithoutServer } from '../contract/engines.ts';
import { prepare, stoppedClock } from './fixture.ts';
import {
  type Answer,
  authorizationRequest,
  authorize,
  callbackOf,
  connect,
  openBrowser,
  redeem,
  refresh,
  registerClient,
  registerUser,
  send,
  type Service,
  startService,
  token,
} from './flow.ts';
import { addRows, rowsIn } from '../contract/database.ts';
import { sharedQuotas } from '../contract/shared-quotas.ts';
import { oidcPayloadTable } from '../../src/store/tables/access.ts';

function assertWait({ headers }: Answer): void {
  const wait = Number(headers['retry-after']);
  assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60, headers['retry-after']);
}

async function nameless(service: Service): Promise<number> {
  return (await rowsIn(service.app.store, oidcPayloadTable, { accountId: null })).length;
}

describe('a request for the provider', { skip: provenWithoutServer }, () => {
  it('has at most a hundred parameters, for each costs more than it weighs', async (t) => {
    const service = await startService(t);
    const { client } = await registerClient(service);
    const { address } = authorizationRequest(service, client);
    const given = address.split('&').length;
    assert.equal((await send(service, 'GET', address)).status, 303);
    const refused = await send(service, 'GET', address + '&x'.repeat(101 - given));
    assert.equal(refused.status, 400);
    assert.match(refused.body, /may have 100 parameters/);
    assert.doesNotMatch((await send(service, 'GET', address + '&x'.repeat(100 - given))).body, /may have 100/);
  });
});

describe('pages of sign-in and account', { skip: provenWithoutServer }, () => {
  it('are refused together above the rate of an address, and given at others', async (t) => {
    const service = await startService(t, { RATE_READS: '3', TRUST_PROXY: '127.0.0.1' });
    const look = (path: string, from: string, method = 'GET'): Promise<Answer> =>
      send(service, method, `${service.authUrl}${path}`, { 'x-forwarded-for': from });
    const paths = ['/account', '/connect/signout', '/connect/federation/none?state=x'];
    const statuses = await Promise.all(
      // HEAD takes the same work.
      paths.map(async (path, place) => (await look(path, '192.0.2.1', place === 1 ? 'HEAD' : 'GET')).status),
    );
    assert.deepEqual(statuses, [200, 200, 400]);
    assert.equal((await look('/account', '192.0.2.1', 'HEAD')).status, 429);
    for (const path of [...paths, '/connect/interaction/none', '/connect/authorize/none']) {
      const refused = await look(path, '192.0.2.1');
      assert.equal(refused.status, 429, path);
      assertWait(refused);
      assert.match(refused.headers['content-type'] ?? '', /^text\/html/);
    }
    assert.equal((await look('/account', '192.0.2.2')).status, 200);
  });

  it('and metadata are given as often by two processes of one database as by one', async (t) => {
    const { quotas } = sharedQuotas();
    const service = await startService(t, { RATE_READS: '3' }, undefined, (store) => ({
      ...store,
      quotas: { ...store.quotas, ...quotas },
    }));
    const both = [service, await service.again()];
    for (const path of ['/account', '/.well-known/openid-configuration']) {
      const statuses: number[] = [];
      for (let count = 0; count < 3; count += 1)
        for (const { port } of both) statuses.push((await send({ port }, 'GET', `${service.authUrl}${path}`)).status);
      assert.deepEqual(statuses, [200, 200, 200, 429, 429, 429], path);
    }
  });

  it('have a count of their own in a browser that is known', async (t) => {
    const service = await startService(t, { RATE_READS: '8' });
    const shop = await registerClient(service);
    await registerUser(service);
    const known = openBrowser(service);
    await connect(service, shop, {}, known);
    for (let count = 0; count < 8; count += 1) await send(service, 'GET', `${service.authUrl}/account`);
    assert.equal((await send(service, 'GET', `${service.authUrl}/account`)).status, 429);
    assert.equal((await known.get(`${service.authUrl}/account`)).status, 200);
  });
});

describe('sign-ins that are begun', () => {
  it('are refused above the limit with a page in the browser’s language that says when to come back', async (t) => {
    const service = await startService(t, { RATE_SIGN_INS: '3' });
    const { client } = await registerClient(service);
    const begin = (headers: Record<string, string> = {}): Promise<Answer> =>
      send(service, 'GET', authorizationRequest(service, client).address, headers);
    for (let count = 0; count < 3; count += 1) assert.equal((await begin()).status, 303);
    const refused = await begin();
    assert.equal(refused.status, 429);
    assertWait(refused);
    assert.match(refused.headers['content-type'] ?? '', /^text\/html/);
    assert.match(refused.headers['content-security-policy'] ?? '', /frame-ancestors 'none'/);
    assert.match(refused.body, /Too many sign-ins at once/);
    assert.match((await begin({ 'accept-language': 'fr' })).body, /Trop de connexions/);
    // Nobody gets around it with an address of their own invention.
    assert.equal((await begin({ 'x-forwarded-for': '192.0.2.7', forwarded: 'for=192.0.2.7' })).status, 429);
    assert.equal((await send(service, 'HEAD', authorizationRequest(service, client).address)).status, 429);
    assert.equal(await nameless(service), 3);
  });

  it('are counted by the address that a trusted proxy reports, and by the network of IPv6', async (t) => {
    const service = await startService(t, { RATE_SIGN_INS: '1', TRUST_PROXY: '127.0.0.1' });
    const { client } = await registerClient(service);
    const begin = async (address: string): Promise<number> =>
      (await send(service, 'GET', authorizationRequest(service, client).address, { 'x-forwarded-for': address }))
        .status;
    assert.deepEqual(
      [
        await begin('192.0.2.1'),
        await begin('192.0.2.2'),
        await begin('192.0.2.1'),
        await begin('2001:db8::1'),
        await begin('2001:db8::2'),
      ],
      [303, 303, 429, 303, 429],
    );
  });

  it('can be ended: going on with one does not count', async (t) => {
    const service = await startService(t, { RATE_SIGN_INS: '1' });
    const credentials = await registerClient(service);
    await registerUser(service);
    const browser = openBrowser(service);
    const request = authorizationRequest(service, credentials.client);
    const { code = '' } = callbackOf(await authorize(service, browser, request), request);
    assert.equal((await send(service, 'GET', authorizationRequest(service, credentials.client).address)).status, 429);
    assert.equal((await redeem(service, credentials, request, code)).status, 200);
  });

  it('fill the database no further than a bound, however many addresses they come from', async (t) => {
    const service = await startService(t);
    const { client } = await registerClient(service);
    const { store } = service.app;
    const soon = Date.now() + 60_000;
    const rows = Array.from({ length: 10_300 }, (_one, index) => ({
      model: 'Interaction',
      idHash: `old-${index}`,
      payload: '{}',
      grantId: null,
      uid: null,
      accountId: null,
      clientId: null,
      consumedAt: null,
      expiresAt: soon + index,
    }));
    for (let first = 0; first < rows.length; first += 1000)
      await addRows(store, oidcPayloadTable, rows.slice(first, first + 1000));
    for (let count = 0; count < 200; count += 1)
      assert.equal((await send(service, 'GET', authorizationRequest(service, client).address)).status, 303);
    assert.equal(await nameless(service), 10_000);
    assert.deepEqual(await rowsIn(store, oidcPayloadTable, { idHash: 'old-0' }), []);
  });

  for (const { name, skip, create } of enginesAboveStorage) {
    it(`of nobody are forgotten, the oldest first, and no others, on ${name}`, { skip }, async (t) => {
      const database = await create();
      const engine = await database.open();
      t.after(async () => {
        await engine.close();
        await database.remove();
      });
      const store = await prepare(engine);
      const clock = stoppedClock();
      const [interactions, sessions] = [
        createOidcStore(store, 'Interaction', clock.now),
        createOidcStore(store, 'Session', clock.now),
      ];
      await interactions.upsert('named', { accountId: 'mia' }, 1);
      await sessions.upsert('other kind', {}, 1);
      for (const [index, id] of ['oldest', 'older', 'new', 'newest'].entries())
        await interactions.upsert(id, {}, 10 + index);
      await store.oidcPayloads.removeOldest('Interaction', 4);
      assert.ok(await interactions.find('oldest'));
      await store.oidcPayloads.removeOldest('Interaction', 2);
      const left = await Promise.all(
        ['named', 'oldest', 'older', 'new', 'newest'].map(async (id) => (await interactions.find(id)) !== undefined),
      );
      assert.deepEqual(left, [true, false, false, true, true]);
      assert.ok(await sessions.find('other kind'));
    });
  }
});

describe('refused requests for tokens', { skip: provenWithoutServer }, () => {
  it('are answered 429 above thirty a minute, while good ones from the same address go through', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service, { confidential: true });
    await registerUser(service);
    const guess = (path = 'token'): Promise<Answer> =>
      send(
        service,
        'POST',
        `${service.authUrl}/connect/${path}`,
        {
          'content-type': 'application/x-www-form-urlencoded',
          authorization: `Basic ${Buffer.from(`${credentials.client.id}:guess`).toString('base64')}`,
        },
        'grant_type=refresh_token&refresh_token=x&token=x',
      );
    const tokens = await connect(service, credentials);
    for (let count = 0; count < 30; count += 1) assert.deepEqual([(await guess()).status], [401], `guess ${count}`);
    for (const refused of [
      await guess(),
      await guess('revocation'),
      await token(service, credentials, { grant_type: 'authorization_code', code: 'x' }),
    ]) {
      assert.equal(refused.status, 429);
      assertWait(refused);
      assert.equal(refused.json().error, 'temporarily_unavailable');
      assert.match(String(refused.json().error_description), /30 requests .* Wait \d+ s/);
      assert.equal(refused.headers['www-authenticate'], undefined);
      assert.equal(refused.headers['cache-control'], 'no-store');
    }
    assert.equal((await refresh(service, credentials, tokens.refresh_token)).status, 200);
  });

  it('are held back beyond the rate of refusals, and a good one from the same address is not', async (t) => {
    // Ten at once, and one more a second.
    const service = await startService(t, { RATE_ANONYMOUS: '60' });
    const credentials = await registerClient(service);
    await registerUser(service);
    const tokens = await connect(service, credentials);
    const ended: string[] = [];
    const guess = async (): Promise<number> => {
      const { status } = await token(service, credentials, { grant_type: 'authorization_code', code: 'x' });
      ended.push('guess');
      return status;
    };
    const began = performance.now();
    const guesses = Promise.all(Array.from({ length: 12 }, guess));
    while (ended.length < 10) await new Promise((resolve) => setTimeout(resolve, 10));
    assert.equal((await refresh(service, credentials, tokens.refresh_token)).status, 200);
    ended.push('refresh');
    assert.deepEqual(new Set(await guesses), new Set([400]));
    assert.ok(performance.now() - began > 1500, `the last of them came after ${performance.now() - began} ms`);
    assert.equal(ended.at(-1), 'guess');
  });
});

describe('requests of programs that are not refused', { skip: provenWithoutServer }, () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' };

  it('have a rate where they revoke tokens, also ones that do not exist', async (t) => {
    const service = await startService(t, { RATE_READS: '3', TRUST_PROXY: '127.0.0.1' });
    const { client } = await registerClient(service);
    const revoke = (from: string): Promise<Answer> => {
      const headers = { ...form, 'x-forwarded-for': from };
      const body = new URLSearchParams({ client_id: client.id, token: `made-up-${from}` }).toString();
      return send(service, 'POST', `${service.authUrl}/connect/revocation`, headers, body);
    };
    for (let count = 0; count < 3; count += 1) assert.equal((await revoke('192.0.2.1')).status, 200);
    const refused = await revoke('192.0.2.1');
    assert.deepEqual([refused.status, refused.json().error], [429, 'temporarily_unavailable']);
    assertWait(refused);
    assert.equal((await revoke('192.0.2.2')).status, 200);
  });

  it('have a rate where a browser asks first', async (t) => {
    const service = await startService(t, { RATE_READS: '1' });
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' };
    const statuses: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      const address = `${service.authUrl}/connect/${count % 2 === 0 ? 'token' : 'revocation'}`;
      statuses.push((await send(service, 'OPTIONS', address, headers)).status);
    }
    assert.deepEqual(statuses, [...Array(10).fill(204), 429, 429]);
  });
});

describe('a flood of wrong secrets', { skip: provenWithoutServer }, () => {
  it('from one address refuses nobody at another one', async (t) => {
    const service = await startService(t, { TRUST_PROXY: '127.0.0.1' });
    const credentials = await registerClient(service, { confidential: true });
    await registerUser(service);
    const tokens = await connect(service, credentials);
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': '192.0.2.1',
      authorization: `Basic ${Buffer.from(`${credentials.client.id}:guess`).toString('base64')}`,
    };
    const flood = Array.from(
      { length: 120 },
      async () =>
        (
          await send(
            service,
            'POST',
            `${service.authUrl}/connect/token`,
            headers,
            'grant_type=refresh_token&refresh_token=x',
          )
        ).status,
    );
    const good = await token(
      service,
      credentials,
      { grant_type: 'refresh_token', refresh_token: String(tokens.refresh_token) },
      { 'x-forwarded-for': '192.0.2.2' },
    );
    assert.equal(good.status, 200, good.body);
    const statuses = await Promise.all(flood);
    assert.deepEqual([...new Set(statuses)].toSorted(), [401, 429]);
    assert.equal(statuses.filter((status) => status === 401).length, 30);
  });

  it('holds up nobody: turns go round the addresses', async () => {
    const turns = createTokenQueue();
    const [flood, good] = [
      Array.from({ length: 100 }, () => new IncomingMessage(new Socket())),
      new IncomingMessage(new Socket()),
    ];
    const begun: IncomingMessage[] = [];
    const begin = async (request: IncomingMessage, address: string): Promise<void> => {
      await turns.begin(request, address);
      begun.push(request);
    };
    const all = [...flood.map((request) => begin(request, '192.0.2.1')), begin(good, '192.0.2.2')];
    for (let ended = 0; ended < 101; ended += 1) {
      await new Promise(setImmediate);
      turns.end(begun[ended] ?? assert.fail('nobody has a turn'));
    }
    await Promise.all(all);
    assert.ok(begun.indexOf(good) <= 5, `${begun.indexOf(good)} came first`);
  });

  it('gives up the places that are more than an address has', async () => {
    const turns = createTokenQueue();
    const requests = Array.from({ length: 140 }, () => new IncomingMessage(new Socket()));
    const outcomes = requests.map(async (request) =>
      turns.begin(request, '192.0.2.1').then(
        () => 'mine',
        () => 'full',
      ),
    );
    assert.deepEqual(await Promise.all(outcomes.slice(132)), Array(8).fill('full'));
    await turns.begin(requests[0] ?? assert.fail(), '192.0.2.1');
    for (const request of requests) turns.end(request);
    assert.deepEqual(await Promise.all(outcomes.slice(0, 132)), Array(132).fill('mine'));
  });
});

describe('a chain of refresh tokens', { skip: provenWithoutServer }, () => {
  it('is refreshed ten times a minute at most, loses nothing by asking more, and holds up no other', async (t) => {
    const service = await startService(t);
    const credentials = await registerClient(service);
    await registerUser(service);
    let { refresh_token: current } = await connect(service, credentials);
    for (let count = 0; count < 10; count += 1) {
      const answer = await refresh(service, credentials, current);
      assert.equal(answer.status, 200, `refresh ${count}: ${answer.body}`);
      current = answer.json().refresh_token;
    }
    const { store } = service.app;
    const kept = (): Promise<readonly unknown[]> =>
      rowsIn(store, oidcPayloadTable, { model: 'RefreshToken', consumedAt: null });
    const before = await kept();
    const refused = await refresh(service, credentials, current);
    assert.deepEqual([refused.status, refused.json().error], [429, 'temporarily_unavailable']);
    assertWait(refused);
    assert.deepEqual(await kept(), before);
    const other = await connect(service, credentials);
    assert.equal((await refresh(service, credentials, other.refresh_token)).status, 200);
  });
});
