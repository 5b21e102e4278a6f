// The two kinds of access: tokens open the client interface, platform keys the platform, and neither opens the other.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Principal, Route } from '../../src/http/route.ts';
import type { ServerOptions } from '../../src/http/server.ts';
import { Problem } from '../../src/model/problem.ts';
import { assertProblem, json, platformKey, route, sample, token } from './sample-server.ts';

const routes: readonly Route[] = [
  route('/platform', async (call) => json(JSON.stringify(call.principal)), {
    access: 'platform-key',
    rate: 'platform',
  }),
  { ...route('/platform/ack', async () => json('{}'), { access: 'platform-key', rate: 'platform' }), method: 'POST' },
];
const off = { read: 0, write: 0, label: 0, platform: 0 };

describe('a platform key', () => {
  it('opens what wants one, and its caller is a key', async (t) => {
    const { server, log } = sample(t, {}, routes);
    const answer = await server.inject({ url: '/v1/platform', headers: platformKey });
    assert.deepEqual(answer.json(), {
      kind: 'platform-key',
      clientId: 'wms',
      subject: 'ada',
      activityCodes: ['ABC'],
      readOnly: false,
    });
    assert.equal(log()[0]?.client, 'wms');
  });

  it('opens nothing else', async (t) => {
    const { server, calls } = sample(t, {}, routes);
    assertProblem((await server.inject({ url: '/v1/articles', headers: platformKey })).body, 'invalid-token');
    assert.equal(calls.length, 0);
  });

  it('is never shown to the check of tokens, nor a token to that of keys', async (t) => {
    const asked: string[] = [];
    const check =
      (name: string): ServerOptions['authenticate'] =>
      () => {
        asked.push(name);
        return { kind: 'client', clientId: 'c', subject: 's', activityCodes: ['ABC'], readOnly: false };
      };
    const { server } = sample(t, { authenticate: check('token'), authenticatePlatform: check('key') }, routes);
    for (const url of ['/v1/articles', '/v1/platform', '/v1/open', '/healthz'])
      await server.inject({ url, headers: token });
    assert.deepEqual(asked, ['token', 'key']);
  });

  it('may write: only clients can be read-only', async (t) => {
    const key = { kind: 'platform-key', clientId: 'c', subject: 's', activityCodes: ['ABC'], readOnly: true } as const;
    const { server } = sample(t, { authenticatePlatform: () => key }, routes);
    assert.equal((await server.inject({ method: 'POST', url: '/v1/platform/ack' })).statusCode, 200);
  });

  it('has a limit of its own', async (t) => {
    const { server } = sample(t, { rates: { ...off, read: 5, platform: 1 } }, routes);
    const first = await server.inject({ url: '/v1/platform', headers: platformKey });
    assert.equal(first.headers['ratelimit-policy'], '"platform";q=1;w=60');
    const problem = assertProblem(
      (await server.inject({ method: 'POST', url: '/v1/platform/ack', headers: platformKey })).body,
      'quota-exceeded',
    );
    assert.deepEqual(problem['violated-policies'], ['platform']);
    assert.equal((await server.inject({ url: '/v1/articles', headers: token })).statusCode, 200);
    assert.equal(
      (await server.inject({ url: '/v1/platform', headers: { authorization: 'Bearer lck_other' } })).statusCode,
      200,
    );
  });

  it('that is none is 401 however often it comes', async (t) => {
    const { server } = sample(t, { rates: { ...off, platform: 1 } }, routes);
    const status = async (authorization: string) =>
      (await server.inject({ url: '/v1/platform', headers: { authorization } })).statusCode;
    for (let n = 0; n < 40; n++) assert.equal(await status('Bearer lck_bad'), 401);
    assert.deepEqual([await status('Bearer shop'), await status('Bearer lck_wms')], [401, 200]);
  });
});

describe('an answer that took more than a second', () => {
  const ended = async (): Promise<Principal> => {
    throw new Problem('invalid-token', 'The token was revoked.', {}, { 'www-authenticate': 'Bearer' });
  };
  const slow = (body: () => string | Readable): Route =>
    route('/slow', async () => {
      await pause(1100);
      return { status: 200, headers: {}, body: body(), type: null };
    });

  it('is not given to a caller whose access ended meanwhile, nor is a stream of it left open', async (t) => {
    const stream = Readable.from(['[]']);
    for (const body of [() => '[]', () => stream]) {
      const { server } = sample(t, { admitAgain: ended }, [slow(body)]);
      const answer = await server.inject({ url: '/v1/slow', headers: token });
      assertProblem(answer.body, 'invalid-token');
      assert.equal(answer.headers['www-authenticate'], 'Bearer');
    }
    assert.ok(stream.destroyed);
  });

  it('is not given to one who has lost an activity, unless that is one of all', async (t) => {
    const { server } = sample(t, { admitAgain: async (one) => ({ ...one, activityCodes: ['XYZ'] }) }, [
      slow(() => '[]'),
    ]);
    const problem = assertProblem(
      (await server.inject({ url: '/v1/slow', headers: token })).body,
      'activity-forbidden',
    );
    assert.match(String(problem.detail), /ABC was withdrawn/);
    const operator: Principal = {
      ...{ kind: 'operator', clientId: 'o', subject: 's', activityCodes: ['ABC'], readOnly: false, everything: true },
    };
    const { server: other } = sample(
      t,
      { authenticate: () => operator, admitAgain: async (one) => ({ ...one, activityCodes: ['XYZ'] }) },
      [slow(() => '[]')],
    );
    assert.equal((await other.inject({ url: '/v1/slow', headers: token })).statusCode, 200);
  });

  it('is not checked where it came sooner', async (t) => {
    const { server } = sample(t, { admitAgain: ended });
    assert.equal((await server.inject({ url: '/v1/articles', headers: token })).statusCode, 200);
  });
});
