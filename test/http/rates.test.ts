// Rate limits, and their headers as a foreign parser reads them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseList } from 'structured-headers';
import { addressKey, networkKey } from '../../src/http/address-parts.ts';
import { createRates, unsharedQuotas } from '../../src/http/rates.ts';
import { RefusedPrincipal } from '../../src/http/refused-principal.ts';
import type { Principal } from '../../src/http/route.ts';
import { Problem } from '../../src/model/problem.ts';
import { sharedQuotas } from '../contract/shared-quotas.ts';
import { assertProblem, json, route, sample, token } from './sample-server.ts';

const off = { read: 0, write: 0, label: 0, platform: 0 };

describe('rate limits', () => {
  it('refuse what is over the limit with 429, and say when to come back', async (t) => {
    const { server, calls } = sample(t, { rates: { ...off, read: 2 } });
    const get = () => server.inject({ url: '/v1/orders', headers: token });
    assert.deepEqual([(await get()).statusCode, (await get()).statusCode], [200, 200]);
    const answer = await get();
    const body = assertProblem(answer.body, 'quota-exceeded');
    assert.equal(answer.statusCode, 429);
    assert.deepEqual(body['violated-policies'], ['read']);
    const wait = Number(answer.headers['retry-after']);
    assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= 60);
    assert.equal(calls.length, 2);
  });

  it('tell each answer what is left, in structured fields (RFC 9651)', async (t) => {
    const { server } = sample(t, { rates: { ...off, read: 600 } });
    for (const [path, left] of [
      ['/v1/orders', 599],
      ['/v1/articles', 598],
      ['/v1/bug', 597],
      ['/v1/query?a=%', 596],
    ] as const) {
      const { headers } = await server.inject({ url: path, headers: token });
      assert.deepEqual(parseList(String(headers['ratelimit-policy'])), [
        [
          'read',
          new Map([
            ['q', 600],
            ['w', 60],
          ]),
        ],
      ]);
      const [[name, parameters] = []] = parseList(String(headers.ratelimit));
      assert.equal(name, 'read');
      assert.ok(parameters instanceof Map);
      assert.equal(parameters.get('r'), left);
      const seconds = Number(parameters.get('t'));
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60);
    }
  });

  it('have pages that do not exist and other methods count for the address, apart from what is known', async (t) => {
    const { server } = sample(t, { rates: { ...off, read: 3 } });
    const status = async (url: string, method: 'GET' | 'PUT' | 'OPTIONS' = 'GET', headers = {}) =>
      (await server.inject({ url, method, headers })).statusCode;
    assert.deepEqual(
      [await status('/nowhere'), await status('/v1/no'), await status('/v1/orders', 'PUT')],
      [404, 404, 405],
    );
    const refused = await server.inject({ url: '/nowhere' });
    assert.deepEqual(assertProblem(refused.body, 'quota-exceeded')['violated-policies'], ['public']);
    assert.match(String(refused.headers['retry-after']), /^\d+$/);
    assert.equal(await status('/v1/orders', 'PUT'), 429);
    assert.equal(await status('/v1/orders', 'GET', token), 200);
    assert.equal(await status('/v1/orders', 'GET'), 401, 'without a token there is no other answer');
    for (const [url, method, good] of [
      ['/v1/orders', 'OPTIONS', 204],
      ['/healthz', 'GET', 200],
    ] as const) {
      const all: number[] = [];
      for (let count = 0; count < 31; count += 1) all.push(await status(url, method));
      assert.deepEqual(new Set(all.slice(0, 30)), new Set([good]), 'ten times as many');
      assert.equal(all[30], 429);
    }
    assert.equal(await status('/metrics'), 429, 'it counts as health does');
  });

  it('have pages that do not exist count for all servers of a database, health for each', async (t) => {
    const { quotas } = sharedQuotas();
    const servers = [1, 2].map(() => sample(t, { rates: { ...off, read: 3 }, quotas }).server);
    const statuses: number[] = [];
    for (const url of ['/nowhere', '/healthz'])
      for (let count = 0; count < 40; count += 1)
        for (const server of servers) statuses.push((await server.inject({ url })).statusCode);
    assert.equal(statuses.filter((status) => status === 404).length, 3);
    assert.equal(statuses.filter((status) => status === 200).length, 60);
  });

  it('hold refusals without a token back, and nobody with one', { timeout: 60_000 }, async (t) => {
    const { server } = sample(t, { rates: { ...off, anonymous: 12 } });
    const ask = async (headers = {}) => (await server.inject({ url: '/v1/orders', headers })).statusCode;
    assert.deepEqual([await ask(), await ask()], [401, 401]);
    let answered = 0;
    const late = Array.from({ length: 4 }, async () => {
      const status = await ask();
      answered += 1;
      return status;
    });
    late.push(server.inject({ url: '/nowhere' }).then(({ statusCode }) => statusCode));
    for (let count = 0; count < 20; count += 1) assert.equal(await ask(token), 200);
    assert.equal(answered, 0);
    assert.deepEqual(await Promise.all(late), [401, 401, 401, 401, 404]);
  });

  it('are readable in the refusal too', async (t) => {
    const { server } = sample(t, { rates: { ...off, read: 1 } });
    await server.inject({ url: '/v1/orders', headers: token });
    const { headers } = await server.inject({ url: '/v1/orders', headers: token });
    assert.deepEqual(parseList(String(headers.ratelimit)), [
      [
        'read',
        new Map([
          ['r', 0],
          ['t', Number(headers['retry-after'])],
        ]),
      ],
    ]);
  });

  it('are counted for each client, and for each kind', async (t) => {
    const { server } = sample(t, { rates: { ...off, read: 1, write: 1 } });
    const status = async (method: 'GET' | 'POST', client: string) =>
      (await server.inject({ method, url: '/v1/orders', headers: { authorization: `Bearer ${client}` } })).statusCode;
    assert.deepEqual(
      [
        await status('GET', 'a'),
        await status('GET', 'b'),
        await status('POST', 'a'),
        await status('GET', 'a'),
        await status('POST', 'b'),
      ],
      [200, 200, 200, 429, 200],
    );
  });

  it('are counted for each person at a client, and for a client that acts for itself, apart', async (t) => {
    const authenticate = (authorization = ''): Principal => {
      const [clientId = '', subject = null] = authorization.split(' ').slice(1);
      return { kind: 'client', clientId, subject, activityCodes: ['ABC'], readOnly: false };
    };
    const { server } = sample(t, { rates: { ...off, read: 1 }, authenticate });
    const status = async (who: string) =>
      (await server.inject({ url: '/v1/orders', headers: { authorization: `Bearer ${who}` } })).statusCode;
    const statuses = [];
    for (const who of ['console mia', 'console leo', 'console', 'shop mia', 'console mia', 'console leo', 'console'])
      statuses.push(await status(who));
    assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429, 429]);
  });

  it('count public routes for each address, and not at all where the route says so', async (t) => {
    const { server } = sample(t, { rates: { ...off, read: 1 } });
    const status = async (url: string, remoteAddress: string) =>
      (await server.inject({ url, remoteAddress })).statusCode;
    assert.deepEqual(
      [
        await status('/v1/problems', '10.0.0.1'),
        await status('/v1/problems', '10.0.0.1'),
        await status('/v1/problems', '10.0.0.2'),
      ],
      [200, 429, 200],
    );
    assert.deepEqual([await status('/healthz', '10.0.0.1'), await status('/healthz', '10.0.0.1')], [200, 200]);
  });

  it('are absent, headers too, where they are 0', async (t) => {
    const { server } = sample(t);
    const { headers } = await server.inject({ url: '/v1/orders', headers: token });
    assert.equal(headers.ratelimit, undefined);
    assert.equal(headers['ratelimit-policy'], undefined);
  });

  it('start again after a minute', async () => {
    let now = 5000;
    const rates = createRates({ ...off, read: 1 }, { quotas: unsharedQuotas(), now: () => now });
    const take = async () => rates.take('read', 'a');
    await take();
    await assert.rejects(take(), { slug: 'quota-exceeded' });
    now += 59_000;
    await assert.rejects(take(), {
      headers: { 'retry-after': '1', 'ratelimit-policy': '"read";q=1;w=60', ratelimit: '"read";r=0;t=1' },
    });
    now += 1000;
    assert.deepEqual(await take(), { 'ratelimit-policy': '"read";q=1;w=60', ratelimit: '"read";r=0;t=60' });
  });
});

describe('requests that are refused', () => {
  it('for want of a valid token are 401, however many there are (decision D41), and count for nobody', async (t) => {
    const { server } = sample(t, { rates: { ...off, read: 1 } });
    for (const headers of [{}, { authorization: 'Bearer bad' }, { authorization: 'Basic eDp5' }]) {
      for (let n = 0; n < 40; n++) {
        const answer = await server.inject({ url: '/v1/orders', headers });
        assert.equal(answer.statusCode, 401);
        assert.equal(answer.headers.ratelimit, undefined);
      }
    }
    assert.equal((await server.inject({ url: '/v1/orders', headers: token })).statusCode, 200);
  });

  const readOnly = { kind: 'client', clientId: 'c', subject: 's', activityCodes: ['ABC'], readOnly: true } as const;

  it('as writes of a read-only client count like others, say so, and are 429 once there were too many', async (t) => {
    const heard: string[] = [];
    const things = route('/things', async () => json('{}'), { method: 'POST', rate: 'write', action: 'things.make' });
    const { server } = sample(
      t,
      {
        rates: { ...off, write: 2 },
        authenticate: () => readOnly,
        onRefusedWrite: async ({ problem }) => void heard.push(problem.slug),
      },
      [things],
    );
    const post = () => server.inject({ method: 'POST', url: '/v1/things' });
    const answers = [await post(), await post(), await post()];
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [403, 403, 429],
    );
    assert.deepEqual(
      answers.map(({ headers }) => String(headers.ratelimit).split(';')[1]),
      ['r=1', 'r=0', 'r=0'],
    );
    assert.deepEqual(
      answers.map(({ headers }) => headers['ratelimit-policy']),
      Array(3).fill('"write";q=2;w=60'),
    );
    assert.ok(answers[2]?.headers['retry-after']);
    assert.deepEqual(heard, ['read-only-client', 'read-only-client', 'quota-exceeded']);
  });

  it('because a genuine token opens nothing count too', async (t) => {
    const authenticate = () => {
      throw new RefusedPrincipal(
        { kind: 'client', clientId: 'shop', subject: 'mia' },
        new Problem(
          'insufficient-scope',
          'The scope is missing.',
          {},
          { 'www-authenticate': 'Bearer error="insufficient_scope"' },
        ),
      );
    };
    const { server, log } = sample(t, { rates: { ...off, read: 2 }, authenticate });
    const get = () => server.inject({ url: '/v1/orders', headers: token });
    const answers = [await get(), await get(), await get()];
    assert.deepEqual(
      answers.map(({ statusCode }) => statusCode),
      [403, 403, 429],
    );
    assert.match(String(answers[0]?.headers['www-authenticate']), /insufficient_scope/);
    assert.equal(answers[1]?.headers['ratelimit-policy'], '"read";q=2;w=60');
    assert.equal(log()[0]?.client, 'shop');
  });
});

describe('the part of an address that one customer holds', () => {
  for (const [address, key] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::1', '0:0:0:0::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['fe80::1:2:3:4', 'fe80:0:0:0::/64'],
  ] as const)
    it(`${address}: ${key}`, () => assert.equal(addressKey(address), key));
});

describe('the network around an address', () => {
  for (const [address, key] of [
    ['192.0.2.1', '192.0.2.0/24'],
    ['::ffff:192.0.2.9', '192.0.2.0/24'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:1:3::', '2001:db8:1::/48'],
  ] as const)
    it(`${address}: ${key}`, () => assert.equal(networkKey(address), key));
});
