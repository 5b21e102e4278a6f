// Who is told of writes that end in a problem: of which, and what the client notices of it.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { RefusedWrite, Route } from '../../src/http/route.ts';
import { Problem } from '../../src/model/problem.ts';
import { route, sample } from './sample-server.ts';

const refused: Route['handle'] = async () => {
  throw new Problem('validation-failed', 'Wrong.');
};
const headers = { authorization: 'Bearer x', 'content-type': 'application/json' };

describe('a write that ends in a problem', () => {
  const write = (handle: Route['handle'], change: Partial<Route> = {}): Route =>
    route('/things', handle, {
      method: 'POST',
      rate: 'write',
      action: 'things.make',
      body: { types: ['application/json'], limit: 100, encodings: [], schema: {}, example: {} },
      ...change,
    });
  const serve = (t: TestContext, one: Route, hear?: (one: RefusedWrite) => Promise<void>) => {
    const heard: RefusedWrite[] = [];
    const { server, log } = sample(
      t,
      {
        onRefusedWrite: async (told) => {
          heard.push(told);
          await hear?.(told);
        },
      },
      [one],
    );
    const send = (payload = '{}', more: Readonly<Record<string, string>> = {}) =>
      server.inject({
        method: one.method,
        url: '/v1/things',
        headers: { ...headers, ...more },
        ...(one.method === 'POST' ? { payload } : {}),
      });
    return { heard, log, send };
  };

  it('is told with its caller, its action and its problem, before the handler ran and after', async (t) => {
    const { heard, send } = serve(t, write(refused));
    assert.deepEqual(
      [
        (await send()).statusCode,
        (await send('{}', { 'content-type': 'text/csv' })).statusCode,
        (await send('x'.repeat(101))).statusCode,
      ],
      [400, 415, 413],
    );
    assert.deepEqual(
      heard.map(({ action, problem, call }) => [action, problem.slug, call.principal.kind]),
      ['validation-failed', 'unsupported-media-type', 'payload-too-large'].map((slug) => [
        'things.make',
        slug,
        'client',
      ]),
    );
  });

  it('is told as a failure of the service where a handler has a bug', async (t) => {
    const { heard, send } = serve(
      t,
      write(async () => {
        throw new Error('secret');
      }),
    );
    assert.equal((await send()).statusCode, 500);
    assert.deepEqual(
      heard.map(({ problem }) => problem.slug),
      ['internal-error'],
    );
  });

  it('is told to nobody without a caller, on a route without an action, or where the handler saw to it', async (t) => {
    const known = serve(t, write(refused));
    assert.equal((await known.send('{}', { authorization: '' })).statusCode, 401);
    assert.deepEqual(known.heard, []);
    const { action: _action, ...without } = write(refused);
    const silent = serve(t, without);
    assert.equal((await silent.send()).statusCode, 400);
    const seen = serve(
      t,
      write(async (call) => ({ error: await Promise.resolve(refused(call)).catch((error: unknown) => error) })),
    );
    assert.equal((await seen.send()).statusCode, 400);
    assert.deepEqual([...silent.heard, ...seen.heard], []);
  });

  for (const [what, hear] of [
    ['fails', () => Promise.reject(new Error('no storage'))],
    ['never ends', () => new Promise<void>(() => undefined)],
  ] as const) {
    it(`is answered alike where the telling ${what}, and the log says so`, async (t) => {
      const { log, send } = serve(t, write(refused), hear);
      const answer = await send();
      assert.deepEqual([answer.statusCode, answer.json().detail], [400, 'Wrong.']);
      assert.ok(log().some(({ msg }) => msg === 'a refused write could not be recorded'));
    });
  }
});
