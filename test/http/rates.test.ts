// Rate limits, and their headers as a foreign parser reads them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseList } from 'structured-headers';
import { addressKey, createRates } from '../../src/http/rates.ts';
import { Problem } from '../../src/model/problem.ts';
import { assertProblem, json, route, sample, token } from './sample-server.ts';

const off = { read: 0, write: 0, label: 0, platform: 0, failure: 0 };

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
    for (const [path, left] of [['/v1/orders', 599], ['/v1/articles', 598], ['/v1/bug', 597], ['/v1/query?a=%', 596]] as const) {
      const { headers } = await server.inject({ url: path, headers: token });
      assert.deepEqual(parseList(String(headers['ratelimit-policy'])), [['read', new Map([['q', 600], ['w', 60]])]]);
      const [[name, parameters] = []] = parseList(String(headers.ratelimit));
      assert.equal(name, 'read');
      assert.ok(parameters instanceof Map);
      assert.equal(parameters.get('r'), left);
      const seconds = Number(parameters.get('t'));
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60);
    }
  });

  it('are readable in the refusal too', async (t) => {
    const { server } = sample(t, { rates: { ...off, read: 1 } });
    await server.inject({ url: '/v1/orders', headers: token });
    const { headers } = await server.inject({ url: '/v1/orders', headers: token });
    assert.deepEqual(parseList(String(headers.ratelimit)), [['read', new Map([['r', 0], ['t', Number(headers['retry-after'])]])]]);
  });

  it('are counted for each client, and for each kind', async (t) => {
    const { server } = sample(t, { rates: { ...off, read: 1, write: 1 } });
    const status = async (method: 'GET' | 'POST', client: string) => (await server.inject({ method, url: '/v1/orders', headers: { authorization: `Bearer ${client}` } })).statusCode;
    assert.deepEqual([await status('GET', 'a'), await status('GET', 'b'), await status('POST', 'a'), await status('GET', 'a'), await status('POST', 'b')], [200, 200, 200, 429, 200]);
  });

  it('count public routes for each address, and not at all where the route says so', async (t) => {
    const { server } = sample(t, { rates: { ...off, read: 1 } });
    const status = async (url: string, remoteAddress: string) => (await server.inject({ url, remoteAddress })).statusCode;
    assert.deepEqual([await status('/v1/problems', '10.0.0.1'), await status('/v1/problems', '10.0.0.1'), await status('/v1/problems', '10.0.0.2')], [200, 429, 200]);
    assert.deepEqual([await status('/healthz', '10.0.0.1'), await status('/healthz', '10.0.0.1')], [200, 200]);
  });

  it('are absent, headers too, where they are 0', async (t) => {
    const { server } = sample(t);
    const { headers } = await server.inject({ url: '/v1/orders', headers: token });
    assert.equal(headers.ratelimit, undefined);
    assert.equal(headers['ratelimit-policy'], undefined);
  });

  it('start again after a minute', async (t) => {
    t.mock.timers.enable({ apis: ['Date', 'setTimeout'] });
    const rates = createRates({ ...off, read: 1 });
    await rates.take('read', 'a');
    await assert.rejects(rates.take('read', 'a'), { slug: 'quota-exceeded' });
    t.mock.timers.tick(59_000);
    await assert.rejects(rates.take('read', 'a'), { headers: { 'retry-after': '1', 'ratelimit-policy': '"read";q=1;w=60', ratelimit: '"read";r=0;t=1' } });
    t.mock.timers.tick(1000);
    assert.deepEqual(await rates.take('read', 'a'), { 'ratelimit-policy': '"read";q=1;w=60', ratelimit: '"read";r=0;t=60' });
  });
});

describe('requests without a valid token', () => {
  it('get 429 in place of 401 once there were too many from their address', async (t) => {
    const { server } = sample(t, { rates: { ...off, failure: 2 } });
    const status = async (authorization: string) => (await server.inject({ url: '/v1/orders', headers: { authorization } })).statusCode;
    assert.deepEqual([await status('Bearer bad1'), await status('Bearer bad2'), await status('Bearer bad3')], [401, 401, 429]);
  });

  it('never lock out a client with a valid token behind the same address', async (t) => {
    const { server } = sample(t, { rates: { ...off, failure: 1 } });
    for (let n = 0; n < 5; n++) await server.inject('/v1/orders');
    assert.equal((await server.inject('/v1/orders')).statusCode, 429);
    assert.equal((await server.inject({ url: '/v1/orders', headers: token })).statusCode, 200);
  });

  it('count for the address that a trusted proxy reports, and for no other report', async (t) => {
    const { server } = sample(t, { rates: { ...off, failure: 1 }, trustProxy: ['10.0.0.0/8'] });
    const status = async (remoteAddress: string, forwarded: string) => (await server.inject({ url: '/v1/orders', remoteAddress, headers: { 'x-forwarded-for': forwarded } })).statusCode;
    assert.deepEqual([await status('10.0.0.1', '192.0.2.1'), await status('10.0.0.1', '192.0.2.2'), await status('10.0.0.1', '192.0.2.1')], [401, 401, 429]);
    assert.deepEqual([await status('203.0.113.9', '192.0.2.3'), await status('203.0.113.9', '192.0.2.4')], [401, 429]);
  });

  for (const [name, error, expected] of [
    ['the token cannot be checked for now', new Problem('unavailable', 'The keys are away.'), 503],
    ['checking it fails', new Error('database away'), 500],
  ] as const) {
    it(`do not count where ${name}`, async (t) => {
      const { server } = sample(t, { rates: { ...off, failure: 1 }, authenticate: async () => { throw error; } });
      const status = async () => (await server.inject({ url: '/v1/orders', headers: token })).statusCode;
      assert.deepEqual([await status(), await status(), await status()], [expected, expected, expected]);
    });
  }

  it('do not count for the routes that they never reach', async (t) => {
    const { server, calls } = sample(t, { rates: { ...off, failure: 1 } }, [route('/x', async () => json('[]'))]);
    await server.inject('/v1/x');
    assert.equal(calls.length, 0);
  });
});

describe('the part of an address that one customer holds', () => {
  for (const [address, key] of [
    ['192.0.2.1', '192.0.2.1'], ['::ffff:192.0.2.1', '192.0.2.1'], ['::1', '0:0:0:0::/64'], ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'], ['2001:db8:1:2::9', '2001:db8:1:2::/64'], ['fe80::1:2:3:4', 'fe80:0:0:0::/64'],
  ] as const) it(`${address}: ${key}`, () => assert.equal(addressKey(address), key));
});
