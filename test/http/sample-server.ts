// A server with routes of each kind, as the application would assemble it, and what it logs.
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import assert from 'node:assert/strict';
import type { FastifyInstance } from 'fastify';
import { createLogger } from '../../src/http/log.ts';
import { createMetrics, metricsRoute } from '../../src/http/metrics.ts';
import { healthRoutes } from '../../src/http/health.ts';
import { jsonTypes } from '../../src/http/negotiate.ts';
import { problemPages } from '../../src/http/problem-pages.ts';
import type { Answer, Call, Principal, Route } from '../../src/http/route.ts';
import { createServer, defaultLimits, type ServerOptions } from '../../src/http/server.ts';
import { NoSuchActivity } from '../../src/model/operator-error.ts';
import { Problem, problems } from '../../src/model/problem.ts';

export const baseUrl = 'https://api.example.test/v1';

/** A JSON array of some 35 kB, as a page of movements. */
export const page = Buffer.from(
  JSON.stringify(
    Array.from({ length: 100 }, (_, id) => ({ id, articleReference: `REF-${id}`, text: 'é'.repeat(150) })),
  ),
);

interface Sample {
  readonly server: FastifyInstance;
  /** Parsed log lines so far. */
  readonly log: () => readonly Record<string, unknown>[];
  /** Calls that reached a handler. */
  readonly calls: Call[];
}

/** Starts nothing: use `inject`, or `listen`. Closed when the test ends. */
export function sample(
  t: Pick<TestContext, 'after'>,
  change: Partial<ServerOptions> = {},
  more: readonly Route[] = [],
): Sample {
  const lines: string[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(...String(chunk).split('\n').filter(Boolean));
      done();
    },
  });
  const logger = createLogger('info', sink);
  const metrics = createMetrics({ process: false });
  const calls: Call[] = [];
  const seen =
    (answer: (call: Call) => Answer | Promise<Answer>) =>
    async (call: Call): Promise<Answer> => {
      calls.push(call);
      return answer(call);
    };
  const server = createServer({
    mounts: [
      {
        prefix: '/v1',
        routes: [
          route(
            '/articles',
            seen(() => json(page, { etag: '"1-2"', 'cache-control': 'private, no-cache' })),
          ),
          route(
            '/articles/{articleReference}/movements',
            seen((call) => json(JSON.stringify(call.params))),
            { silent500: true },
          ),
          route(
            '/query',
            seen((call) => json(JSON.stringify(call.query))),
          ),
          route(
            '/caller',
            seen((call) => json(JSON.stringify(call.principal))),
          ),
          route(
            '/open',
            seen((call) => json(JSON.stringify(call.principal))),
            { access: 'public' },
          ),
          route(
            '/bug',
            seen(() => {
              throw new Error('secret of the database');
            }),
          ),
          route(
            '/gone',
            seen(() => {
              throw new NoSuchActivity('ACM');
            }),
          ),
          route(
            '/away',
            seen(() => {
              throw new Problem(
                'unavailable',
                'Storage cannot be reached at the moment.',
                {},
                { 'Retry-After': '5' },
                new Error('secret address of the database'),
              );
            }),
          ),
          route(
            '/silent-bug',
            seen(() => {
              throw new Error('secret of the database');
            }),
            { silent500: true },
          ),
          route(
            '/unchanged',
            seen(() => ({ status: 304, headers: { etag: 'W/"7"' }, body: null, type: null })),
          ),
          route(
            '/image',
            seen(() => ({ status: 200, headers: {}, body: Buffer.alloc(5000), type: 'image/png' })),
            { produces: ['image/png'] },
          ),
          route(
            '/orders',
            seen(() => json('[]')),
          ),
          {
            ...route(
              '/orders',
              seen(() => json('{}')),
            ),
            method: 'POST',
            rate: 'write',
          },
          ...problemPages(baseUrl),
          ...more,
        ],
      },
      { prefix: '', routes: [...healthRoutes(async () => {}, logger), metricsRoute(metrics)] },
    ],
    authenticate: bearer('client', 'Bearer '),
    authenticatePlatform: bearer('platform-key', 'Bearer lck_'),
    baseUrl,
    limits: defaultLimits,
    rates: { read: 0, write: 0, label: 0, platform: 0 },
    corsOrigins: [],
    logger,
    metrics,
    trustProxy: false,
    ...change,
  });
  t.after(() => server.close());
  return { server, calls, log: () => lines.map((line): Record<string, unknown> => JSON.parse(line)) };
}

/** A route of the sample; a JSON one for token holders unless `change` says otherwise. */
export function route(path: string, handle: Route['handle'], change: Partial<Route> = {}): Route {
  return {
    method: 'GET',
    path,
    operationId: path,
    summary: '',
    description: '',
    access: 'token',
    rate: 'read',
    produces: jsonTypes,
    parameters: [],
    listOf: null,
    handle,
    ...change,
  };
}

export function json(body: Buffer | string, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status: 200, headers, body, type: null };
}

/** `Bearer NAME` is the client NAME, `Bearer lck_NAME` the platform key NAME; names that begin with `bad` are none. */
export const token = { authorization: 'Bearer shop' };
export const platformKey = { authorization: 'Bearer lck_wms' };

/** What an access token stands for in the sample, at once; null for none. */
export function knownPrincipal(authorization: string | undefined): Principal | null {
  try {
    return bearer('client', 'Bearer ')(authorization);
  } catch {
    return null;
  }
}

function bearer(kind: Principal['kind'], prefix: string): (authorization: string | undefined) => Principal {
  return (authorization) => {
    if (authorization === undefined)
      throw new Problem(
        'missing-token',
        'Send a bearer token.',
        {},
        { 'www-authenticate': 'Bearer realm="logistics"' },
      );
    const clientId = authorization.slice(prefix.length);
    if (!authorization.startsWith(prefix) || /^(?:bad|lck_)/.test(clientId)) {
      throw new Problem(
        'invalid-token',
        'The token expired.',
        {},
        { 'www-authenticate': 'Bearer error="invalid_token"' },
      );
    }
    return { kind, clientId, subject: 'ada', activityCodes: ['ABC'], readOnly: false };
  };
}

/** Checks that a body is a ProblemDetails body of that type (interface 2.12, decisions D17 and D37) and gives it. */
export function assertProblem(text: string, slug: keyof typeof problems): Record<string, unknown> {
  const body: Record<string, unknown> = JSON.parse(text);
  const { status, title } = problems[slug];
  assert.equal(body.type, `${baseUrl}/problems/${slug}`);
  assert.equal(body.title, title);
  assert.equal(body.status, status);
  assert.equal(typeof body.detail, 'string');
  assert.ok(body.instance === null || (typeof body.instance === 'string' && !body.instance.includes('?')));
  assert.match(String(body.traceId), /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  if (status === 400) {
    for (const [name, sentences] of Object.entries(body.errors ?? {}))
      assert.ok(name !== '' && Array.isArray(sentences) && sentences.length > 0);
    assert.notDeepEqual(body.errors ?? {}, {});
  } else assert.equal(body.errors, undefined);
  return body;
}

/** What a server sends for these bytes, until it closes the connection. */
export function raw(
  port: number,
  bytes: string | Buffer,
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const text = Buffer.concat(chunks).toString();
      const [head = '', ...rest] = text.split('\r\n\r\n');
      const [first = '', ...fields] = head.split('\r\n');
      resolve({
        status: Number(first.split(' ')[1]),
        headers: Object.fromEntries(
          fields.map((field) => [
            field.slice(0, field.indexOf(':')).toLowerCase(),
            field.slice(field.indexOf(':') + 1).trim(),
          ]),
        ),
        body: rest.join('\r\n\r\n'),
      });
    });
  });
}

/** Listens on a free loopback port. */
export async function listen(server: FastifyInstance): Promise<number> {
  const address = new URL(await server.listen({ port: 0, host: '127.0.0.1' }));
  return Number(address.port);
}
