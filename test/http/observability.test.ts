// What operators see: log, metrics, health; and what browsers of other origins may do.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import { healthRoutes } from '../../src/http/health.ts';
import { createLogger, logRequest } from '../../src/http/log.ts';
import { assertProblem, json, listen, page, route, sample, token } from './sample-server.ts';

describe('the log', () => {
  it('has one line per request, with the route pattern in place of the path', async (t) => {
    const { server, log } = sample(t);
    await server.inject({
      url: '/v1/articles/SECRET-REF/movements?filter=lastname==Doe',
      headers: { ...token, cookie: 'session=1', 'x-request-id': 'r1' },
    });
    const [line, ...more] = log();
    assert.deepEqual(more, []);
    const { time, ms, ...rest } = line ?? {};
    assert.deepEqual(rest, {
      level: 30,
      msg: 'request',
      requestId: 'r1',
      method: 'GET',
      route: '/v1/articles/{articleReference}/movements',
      status: 200,
      bytes: 33,
      client: 'shop',
    });
    assert.match(String(time), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(typeof ms, 'number');
  });

  it('holds nothing of tokens, queries, path values or headers, whatever goes wrong', async (t) => {
    const { server, log } = sample(t);
    for (const url of [
      '/v1/bug',
      '/v1/nope/PRIVATE',
      '/v1/%ZZPRIVATE',
      '/v1/query?a=%PRIVATE',
      `/v1/articles/PRIVATE/movements?x=${'PRIVATE'.repeat(2000)}`,
      '/v1/articles/PRIVATE/movements',
    ]) {
      for (const method of ['GET', 'PUT', 'OPTIONS', 'HEAD'] as const) {
        await server.inject({
          url: `${url}`,
          method,
          headers: { authorization: 'Bearer PRIVATE'.toLowerCase(), cookie: 'PRIVATE', 'user-agent': 'PRIVATE' },
        });
      }
    }
    const text = JSON.stringify(log());
    assert.equal(log().filter(({ msg }) => msg === 'request').length, 24);
    assert.ok(!text.includes('PRIVATE'), text);
  });

  it('names the problem and the trace of a refusal', async (t) => {
    const { server, log } = sample(t);
    const { body } = await server.inject('/v1/articles');
    assert.equal(log()[0]?.problem, 'missing-token');
    assert.equal(log()[0]?.traceId, JSON.parse(body).traceId);
    assert.equal(log()[0]?.client, null);
  });

  it('has a line for a request whose client went away before the answer', async (t) => {
    const entered = Promise.withResolvers<void>();
    const never = Promise.withResolvers<never>();
    const { server, log } = sample(t, {}, [
      route('/slow', async () => {
        entered.resolve();
        return never.promise;
      }),
    ]);
    const port = await listen(server);
    const socket = connect(port, '127.0.0.1');
    socket.write('GET /v1/slow HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer shop\r\n\r\n');
    await entered.promise;
    socket.destroy();
    while (log().length === 0)
      await new Promise((done) => {
        setTimeout(done, 5);
      });
    assert.equal(log()[0]?.status, 499);
    assert.equal(log()[0]?.client, 'shop');
  });

  it('has a line with the pattern for the route of a plugin, and its refusals are problems', async (t) => {
    const { server, log } = sample(t);
    server.register(async (scope) => {
      scope.get('/plugin/:name', async (_request, reply) => {
        reply.hijack();
        reply.raw.end('own');
      });
      scope.get('/plugin/bug', async () => {
        throw new Error('secret');
      });
    });
    assert.equal((await server.inject('/plugin/PRIVATE')).body, 'own');
    assertProblem((await server.inject('/plugin/bug')).body, 'internal-error');
    assert.deepEqual(
      log()
        .filter(({ msg }) => msg === 'request')
        .map(({ route, status }) => [route, status]),
      [
        ['/plugin/:name', 200],
        ['/plugin/bug', 500],
      ],
    );
  });

  it('leaves good answers to probes to the level debug, and tells bad ones', async (t) => {
    const { server, log } = sample(t);
    for (const url of ['/healthz', '/readyz', '/metrics']) assert.equal((await server.inject(url)).statusCode, 200);
    await server.inject({ url: '/healthz', method: 'POST' });
    assert.deepEqual(
      log()
        .filter(({ msg }) => msg === 'request')
        .map(({ status }) => status),
      [405],
    );
    const request = { id: '1', method: 'GET', note: null };
    const lines: string[] = [];
    const logger = createLogger('debug', { write: (line: string) => lines.push(line) });
    logRequest(logger, request, '/readyz', 503, 1, 1);
    logRequest(logger, request, '/readyz', 200, 1, 1);
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).level),
      [30, 20],
    );
  });

  it('counts the bytes that were sent', async (t) => {
    const { server, log } = sample(t);
    await server.inject({ url: '/v1/articles', headers: token });
    await server.inject({ method: 'HEAD', url: '/v1/articles', headers: token });
    assert.deepEqual(
      log().map(({ bytes }) => bytes),
      [page.length, 0],
    );
  });

  it('blacks out tokens and cookies that code logs by mistake, and keeps to its level', () => {
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line: string) => lines.push(line) });
    logger.info('not this');
    logger.warn(
      {
        headers: { authorization: 'Bearer x1', cookie: 'x2' },
        req: { headers: { authorization: 'x3' } },
        authorization: 'x4',
      },
      'careless',
    );
    assert.equal(lines.length, 1);
    assert.doesNotMatch(String(lines[0]), /x\d/);
  });

  it('is on standard error soon, not only when there is much of it', async (t) => {
    const code =
      "import { createLogger } from './src/http/log.ts'; createLogger('info').info('one line'); " +
      'setInterval(() => {}, 1000);';
    const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: new URL('../..', import.meta.url),
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    t.after(() => child.kill());
    const [line] = await once(child.stderr, 'data');
    assert.equal(JSON.parse(String(line)).msg, 'one line');
  });

  it('is on standard error to the last line when the process ends', () => {
    const code =
      "import { createLogger } from './src/http/log.ts'; const log = createLogger('info'); " +
      "for (let n = 1; n <= 500; n++) log.info({ n }, 'line'); process.exit(3);";
    const { stderr, status, signal } = spawnSync(process.execPath, ['--input-type=module', '--eval', code], {
      cwd: new URL('../..', import.meta.url),
      encoding: 'utf8',
    });
    assert.deepEqual([status, signal], [3, null]);
    const lines = stderr.trim().split('\n');
    assert.equal(lines.length, 500);
    assert.equal(JSON.parse(lines.at(-1) ?? '').n, 500);
  });
});

describe('metrics', () => {
  it('count durations by route pattern, method and class of status', async (t) => {
    const { server } = sample(t);
    await server.inject({ url: '/v1/articles/A/movements', headers: token });
    await server.inject('/v1/articles/B/movements');
    await server.inject('/v1/nope');
    const { body, headers } = await server.inject('/metrics');
    assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/);
    for (const labels of [
      'route="/v1/articles/{articleReference}/movements",method="GET",status="2xx"',
      'route="/v1/articles/{articleReference}/movements",method="GET",status="4xx"',
      'route="none",method="GET",status="4xx"',
    ])
      assert.ok(body.includes(`http_request_duration_seconds_count{${labels}} 1`), body);
    assert.doesNotMatch(body, /nope/);
  });

  it('count problems by their kind: a class of status does not tell a wrong token from a full quota', async (t) => {
    const { server } = sample(t);
    await server.inject('/v1/articles/B/movements');
    await server.inject('/v1/nope');
    await server.inject('/v1/nope-either');
    const { body } = await server.inject('/metrics');
    assert.ok(body.includes('http_problems_total{problem="missing-token"} 1'), body);
    assert.ok(body.includes('http_problems_total{problem="not-found"} 2'), body);
  });

  it('are read by the header that Prometheus sends', async (t) => {
    const { server } = sample(t);
    const accept =
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,text/plain;version=1.0.0;q=0.4,*/*;q=0.1';
    assert.equal((await server.inject({ url: '/metrics', headers: { accept } })).statusCode, 200);
  });
});

describe('health', () => {
  it('is ready when what serving needs is there', async (t) => {
    const { server } = sample(t);
    for (const url of ['/healthz', '/readyz']) {
      const answer = await server.inject(url);
      assert.equal(answer.statusCode, 200);
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.deepEqual(answer.json(), { status: 'ok' });
    }
  });

  it('is not ready when it is away, and says why in the log alone', async (t) => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line: string) => lines.push(line) });
    const routes = healthRoutes(async () => {
      throw new Error('password wrong');
    }, logger);
    const { server } = sample(t, {}, routes);
    const answer = await server.inject('/v1/readyz');
    assertProblem(answer.body, 'unavailable');
    assert.equal(answer.headers['retry-after'], '5');
    assert.doesNotMatch(answer.body, /password/);
    assert.match(lines.join(), /password wrong/);
    assert.equal((await server.inject('/v1/healthz')).statusCode, 200);
  });
});

describe('other origins', () => {
  const origin = 'https://shop.example';
  const preflight = {
    method: 'OPTIONS',
    url: '/v1/articles',
    headers: { origin, 'access-control-request-method': 'GET', 'access-control-request-headers': 'authorization' },
  } as const;

  it('get nothing by default', async (t) => {
    const { server } = sample(t);
    for (const request of [preflight, { url: '/v1/articles', headers: { ...token, origin } }] as const) {
      const { headers } = await server.inject(request);
      assert.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith('access-control')),
        [],
      );
    }
  });

  it('get nothing unless they are listed, letter by letter', async (t) => {
    const { server } = sample(t, { corsOrigins: [origin] });
    for (const other of [
      'https://shop.example.evil.test',
      'http://shop.example',
      'https://shop.example:8443',
      'null',
      '*',
    ]) {
      const { headers } = await server.inject({ url: '/v1/articles', headers: { ...token, origin: other } });
      assert.equal(headers['access-control-allow-origin'], undefined);
      assert.match(String(headers.vary), /Origin/);
    }
  });

  it('may use the interface when they are listed, without credentials', async (t) => {
    const { server } = sample(t, { corsOrigins: [origin] });
    const asked = await server.inject(preflight);
    assert.equal(asked.statusCode, 204);
    assert.equal(asked.headers['access-control-allow-origin'], origin);
    assert.match(String(asked.headers['access-control-allow-headers']), /\bAuthorization\b.*\bIf-None-Match\b/);
    assert.equal(asked.headers['access-control-allow-credentials'], undefined);
    const { headers } = await server.inject({ url: '/v1/articles', headers: { ...token, origin } });
    assert.equal(headers['access-control-allow-origin'], origin);
    assert.match(String(headers['access-control-expose-headers']), /\bSync-Cursor\b/);
    assert.equal(headers.vary, 'Accept, Accept-Encoding, Origin');
  });

  it('may use on each path the methods and headers that it has', async (t) => {
    const { server } = sample(t, { corsOrigins: [origin] }, [
      {
        ...route('/labels', async () => json('{}')),
        method: 'POST',
        repeatable: true,
        body: { types: ['application/json'], limit: 10, encodings: [], schema: {}, example: null },
      },
    ]);
    const asked = async (url: string) => (await server.inject({ ...preflight, url })).headers;
    const labels = await asked('/v1/labels');
    assert.equal(labels['access-control-allow-methods'], 'POST');
    assert.match(String(labels['access-control-allow-headers']), /\bContent-Type, Idempotency-Key\b/);
    const articles = await asked('/v1/articles');
    assert.equal(articles['access-control-allow-methods'], 'GET, HEAD');
    assert.doesNotMatch(String(articles['access-control-allow-headers']), /Content-Type|Idempotency-Key/);
    assert.equal((await asked('/v1/orders'))['access-control-allow-methods'], 'GET, HEAD, POST');
    const answer = await server.inject({ method: 'POST', url: '/v1/labels', headers: { ...token, origin } });
    assert.match(String(answer.headers['access-control-expose-headers']), /\bIdempotency-Replayed\b/);
  });

  it('may read refusals too', async (t) => {
    const { server } = sample(t, { corsOrigins: [origin] });
    const { headers, statusCode } = await server.inject({ url: '/v1/articles', headers: { origin } });
    assert.equal(statusCode, 401);
    assert.equal(headers['access-control-allow-origin'], origin);
  });
});
