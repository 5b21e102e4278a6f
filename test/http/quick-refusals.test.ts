// Refusals before the framework: what is said and counted is what it would say and count, but for the log.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { defaultAdmission } from '../../src/http/admission-lanes.ts';
import { defaultLimits, type ServerOptions } from '../../src/http/server.ts';
import { until } from '../contract/until.ts';
import { nowAndThen } from './load.ts';
import { assertProblem, json, knownPrincipal, listen, raw, route, sample } from './sample-server.ts';

/** A server with one request of the client `shop` under way, which is all that it may have. */
async function fullServer(t: TestContext, change: Partial<ServerOptions> = {}) {
  const held = Promise.withResolvers<void>();
  // Before the server is closed, which waits for it.
  t.after(() => held.resolve());
  const reached: string[] = [];
  const limits = { ...defaultLimits, admission: { ...defaultAdmission, clientOpen: 1 } };
  const { server, log, calls } = sample(t, { limits, knownPrincipal, ...change }, [
    route('/held', async () => {
      reached.push('held');
      await held.promise;
      return json('[]');
    }),
  ]);
  const port = await listen(server);
  const first = nowAndThen({ port, path: '/v1/held', client: 'shop' }, 1, 0);
  t.after(() => first);
  await until(() => reached.length > 0);
  const ask = (target: string, headers = '') =>
    raw(port, `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer shop\r\nConnection: close\r\n${headers}\r\n`);
  return { port, ask, log, calls, server };
}

/** What makes a request unusual, so that the framework refuses it, and changes nothing of the answer. */
const unusual = 'Prefer: nothing\r\n';

describe('a request that is refused before the framework has seen it', () => {
  for (const [name, headers] of [
    ['as it is', ''],
    [
      'that names itself and its trace',
      `X-Request-Id: r1\r\nTraceparent: 00-${'a'.repeat(32)}-${'b'.repeat(16)}-01\r\n`,
    ],
    ['that accepts problems alone', 'Accept: application/problem+json\r\n'],
    ['that accepts nothing of it', 'Accept: image/png\r\n'],
  ] as const)
    it(`gets the answer that it would get there: ${name}`, async (t) => {
      const { ask, calls } = await fullServer(t);
      const answers = [await ask('/v1/articles?a=1', headers), await ask('/v1/articles?a=1', headers + unusual)];
      const [quick, usual] = answers.map((answer) => {
        const { traceId, ...problem } = assertProblem(answer.body, 'quota-exceeded');
        // Of one request to the next these differ, or grow.
        const { date, 'x-request-id': requestId, 'retry-after': retryAfter, ...others } = answer.headers;
        assert.match(String(date), /GMT$/);
        assert.match(String(requestId), headers.includes('r1') ? /^r1$/ : /^[0-9a-f-]{36}$/);
        assert.match(String(retryAfter), /^[12]$/);
        assert.match(String(traceId), headers.includes('r1') ? /^00-a{32}-[0-9a-f]{16}-01$/ : /^00-[0-9a-f]{32}-/);
        const { 'content-length': length, ...fixed } = others;
        assert.equal(Number(length), Buffer.byteLength(answer.body));
        return {
          status: answer.status,
          headers: fixed,
          problem: { ...problem, detail: String(problem.detail).slice(0, 70) },
        };
      });
      assert.deepEqual(quick, usual);
      assert.equal(quick?.status, 429);
      assert.equal(calls.length, 0);
    });

  it('is one that would be refused for nothing else', async (t) => {
    const { port, ask } = await fullServer(t);
    const status = async (request: string): Promise<number> =>
      (await raw(port, `${request}\r\nConnection: close\r\n\r\n`)).status;
    const shop = 'Authorization: Bearer shop';
    assert.equal((await ask('/v1/nothing')).status, 404);
    assert.equal((await ask('/v1/articles#a')).status, 400);
    assert.equal((await ask(`/v1/articles?a=${'a'.repeat(9000)}`)).status, 414);
    assert.equal(await status('GET /v1/articles HTTP/1.1\r\nHost: x'), 401);
    assert.equal(await status('GET /v1/articles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer bad'), 401);
    assert.equal(await status(`GET /v1/articles HTTP/1.1\r\n${shop}`), 400);
    assert.equal(await status(`PUT /v1/articles HTTP/1.1\r\nHost: x\r\n${shop}`), 405);
    assert.equal(await status('GET /v1/articles HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer other'), 200);
    assert.equal((await ask('/healthz')).status, 200);
  });

  it('says who may read it in a browser, as every answer does', async (t) => {
    const { ask } = await fullServer(t, { corsOrigins: ['https://shop.example'] });
    const { status, headers } = await ask('/v1/articles', 'Origin: https://shop.example\r\n');
    assert.deepEqual([status, headers['access-control-allow-origin']], [429, 'https://shop.example']);
  });

  it('is counted with the others, and has a line of the log together with those of its second', async (t) => {
    const { port, ask, log, server } = await fullServer(t);
    for (let count = 0; count < 3; count += 1) assert.equal((await ask('/v1/articles')).status, 429);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    assert.match(metrics, /^http_shed_total\{reason="client-waiting"\} 3$/m);
    assert.match(metrics, /^http_problems_total\{problem="quota-exceeded"\} 3$/m);
    assert.match(
      metrics,
      /^http_request_duration_seconds_count\{route="\/v1\/articles",method="GET",status="4xx"\} 3$/m,
    );
    await until(() => log().some(({ refused }) => refused !== undefined));
    const lines = log().filter(({ msg }) => msg !== 'request');
    assert.deepEqual(
      lines.map(({ level, msg, refused, reasons, clients }) => ({ level, msg, refused, reasons, clients })),
      [
        {
          level: 40,
          msg: 'requests were refused for want of room',
          refused: 3,
          reasons: { 'client-waiting': 3 },
          clients: { shop: 3 },
        },
      ],
    );
    assert.equal(log().filter(({ route: path }) => path === '/v1/articles').length, 0);
    assert.equal((await ask('/v1/articles')).status, 429);
    // What is not written yet is written when the server stops.
    void server.close();
    await until(() => log().filter(({ refused }) => refused === 1).length === 1);
  });
});
