// Every refusal comes out as a ProblemDetails body with the right status and headers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { InjectOptions } from 'fastify';
import { defaultLimits } from '../../src/http/server.ts';
import { Problem, problems } from '../../src/model/problem.ts';
import { assertProblem, json, route, sample, token } from './sample-server.ts';

const rows: readonly [
  name: string,
  request: InjectOptions,
  slug: keyof typeof problems,
  headers?: Readonly<Record<string, string>>,
][] = [
  ['an unknown path', { url: '/v1/nope' }, 'not-found'],
  ['an unknown path under no mount', { url: '/' }, 'not-found'],
  ['a slash at the end', { url: '/v1/articles/', headers: token }, 'not-found'],
  ['another case', { url: '/v1/Articles', headers: token }, 'not-found'],
  [
    'a body at an unknown path',
    { method: 'POST', url: '/v1/nope', headers: { 'content-type': 'application/json' }, payload: '{}' },
    'not-found',
  ],
  ['an empty path parameter', { url: '/v1/articles//movements', headers: token }, 'not-found'],
  ['another method', { method: 'DELETE', url: '/v1/articles' }, 'method-not-allowed', { allow: 'GET, HEAD, OPTIONS' }],
  [
    'another method with a body',
    { method: 'PUT', url: '/v1/articles', headers: { 'content-type': 'application/json' }, payload: '{}' },
    'method-not-allowed',
    { allow: 'GET, HEAD, OPTIONS' },
  ],
  [
    'another method on a path with two',
    { method: 'PATCH', url: '/v1/orders' },
    'method-not-allowed',
    { allow: 'GET, HEAD, POST, OPTIONS' },
  ],
  [
    'another method on a path with a parameter',
    { method: 'POST', url: '/v1/articles/A%2F1/movements' },
    'method-not-allowed',
    { allow: 'GET, HEAD, OPTIONS' },
  ],
  ['encoded letters of a path', { url: '/v1/%61rticles', headers: token }, 'not-found'],
  ['another method on them', { method: 'POST', url: '/v1/%61rticles' }, 'not-found'],
  ['a question for the methods on them', { method: 'OPTIONS', url: '/v1/%61rticles' }, 'not-found'],
  ['a broken percent sign in the path', { url: '/v1/articles/%ZZ/movements', headers: token }, 'invalid-request'],
  ['bytes that are not UTF-8 in the path', { url: '/v1/articles/%E9/movements', headers: token }, 'invalid-request'],
  ['a broken percent sign in the query', { url: '/v1/query?filter=%ZZ', headers: token }, 'invalid-parameter'],
  ['bytes that are not UTF-8 in the query', { url: '/v1/query?filter=%E9', headers: token }, 'invalid-parameter'],
  ['no token', { url: '/v1/articles' }, 'missing-token', { 'www-authenticate': 'Bearer realm="logistics"' }],
  [
    'a bad token',
    { url: '/v1/articles', headers: { authorization: 'Bearer bad' } },
    'invalid-token',
    { 'www-authenticate': 'Bearer error="invalid_token"' },
  ],
  [
    'no acceptable type',
    { url: '/v1/articles', headers: { ...token, accept: 'image/png, text/html;q=0.8' } },
    'not-acceptable',
  ],
  ['all types excluded', { url: '/v1/articles', headers: { ...token, accept: '*/*;q=0' } }, 'not-acceptable'],
  [
    'JSON asked from an image',
    { url: '/v1/image', headers: { ...token, accept: 'application/json' } },
    'not-acceptable',
  ],
  ['a URL that is too long', { url: `/v1/articles?a=${'x'.repeat(8192)}`, headers: token }, 'uri-too-long'],
  [
    'a body where none is read',
    { method: 'POST', url: '/v1/orders', headers: { ...token, 'content-type': 'application/xml' }, payload: '<a/>' },
    'unsupported-media-type',
  ],
  [
    'a malformed Content-Type',
    { method: 'POST', url: '/v1/orders', headers: { ...token, 'content-type': 'json' }, payload: '{}' },
    'unsupported-media-type',
  ],
  ['a bug', { url: '/v1/bug', headers: token }, 'internal-error'],
  ['a write to an activity that was just removed', { url: '/v1/gone', headers: token }, 'resource-not-found'],
  ['the caller asked for on a public route', { url: '/v1/open' }, 'missing-token'],
  ['an unknown problem page', { url: '/v1/problems/nope' }, 'resource-not-found'],
  ['the name of an inherited property as a problem page', { url: '/v1/problems/constructor' }, 'resource-not-found'],
];

describe('refusals', () => {
  for (const [name, request, slug, headers = {}] of rows) {
    it(`${name}: ${problems[slug].status} ${slug}`, async (t) => {
      const { server } = sample(t);
      const answer = await server.inject(request);
      assert.equal(answer.statusCode, problems[slug].status);
      const body = assertProblem(answer.body, slug);
      const path = String(request.url).split('?')[0]?.replace('%ZZ', '%25ZZ');
      assert.equal(body.instance, slug === 'uri-too-long' ? '/v1/articles' : path);
      assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8');
      assert.equal(answer.headers['cache-control'], 'no-store');
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
      assert.equal(answer.headers.vary, 'Accept, Accept-Encoding');
      assert.match(String(answer.headers['x-request-id']), /^[0-9a-f-]{36}$/);
      for (const [header, value] of Object.entries(headers)) assert.equal(answer.headers[header], value);
    });
  }

  it('names the parameter that cannot be decoded', async (t) => {
    const { server } = sample(t);
    const { body } = await server.inject({ url: '/v1/query?ok=1&updatedSince=100%', headers: token });
    assert.deepEqual(Object.keys(Object(assertProblem(body, 'invalid-parameter').errors)), ['updatedSince']);
  });

  it('decides 406 before the handler runs', async (t) => {
    const { server, calls } = sample(t);
    await server.inject({ url: '/v1/articles', headers: { ...token, accept: 'image/png' } });
    assert.equal(calls.length, 0);
  });

  it('asks for a token before it looks at Accept', async (t) => {
    const { server } = sample(t);
    assertProblem(
      (await server.inject({ url: '/v1/articles', headers: { accept: 'image/png' } })).body,
      'missing-token',
    );
  });

  it('says nothing of the inside in a 500, but logs it with its stack', async (t) => {
    const { server, log } = sample(t);
    const { body } = await server.inject({ url: '/v1/bug?filter=lastname', headers: token });
    assert.doesNotMatch(body, /secret|Error|at /);
    const line = log().find(({ msg }) => msg === 'internal error');
    assert.match(String(Object(line?.err).stack), /secret of the database[\s\S]+sample-server/);
    assert.equal(line?.traceId, Object(JSON.parse(body)).traceId);
  });

  it('says nothing of why storage is away, but logs it', async (t) => {
    const { server, log } = sample(t);
    const answer = await server.inject({ url: '/v1/away', headers: token });
    assert.equal(answer.headers['retry-after'], '5');
    assertProblem(answer.body, 'unavailable');
    assert.doesNotMatch(answer.body, /secret|Error|at \//);
    assert.match(
      String(Object(log().find(({ msg }) => msg === 'Storage cannot be reached at the moment.')?.err).stack),
      /secret address/,
    );
  });

  it('has no body and no type in a 500 of a silent route (interface 7.2)', async (t) => {
    const { server, log } = sample(t);
    const answer = await server.inject({ url: '/v1/silent-bug', headers: token });
    assert.equal(answer.statusCode, 500);
    assert.equal(answer.rawPayload.length, 0);
    assert.equal(answer.headers['content-type'], undefined);
    assert.equal(answer.headers['content-length'], '0');
    assert.ok(answer.headers['x-request-id']);
    assert.ok(log().some(({ msg }) => msg === 'internal error'));
  });

  it('has a body for every other error of a silent route', async (t) => {
    const { server } = sample(t);
    assertProblem((await server.inject('/v1/articles/A/movements')).body, 'missing-token');
  });

  it('answers HEAD with the headers of the refusal and no body', async (t) => {
    const { server } = sample(t);
    const get = await server.inject({ url: '/v1/nope', headers: { 'x-request-id': '1' } });
    const head = await server.inject({ method: 'HEAD', url: '/v1/nope', headers: { 'x-request-id': '1' } });
    assert.equal(head.statusCode, 404);
    assert.equal(head.rawPayload.length, 0);
    assert.equal(head.headers['content-length'], get.headers['content-length']);
  });

  it('keeps the trace of the caller, and takes a broken one for none', async (t) => {
    const { server } = sample(t);
    const trace = '0af7651916cd43dd8448eb211c80319c';
    const traceOf = async (traceparent: string) => {
      const { body } = await server.inject({ url: '/v1/nope', headers: { traceparent } });
      return String(assertProblem(body, 'not-found').traceId).split('-')[1];
    };
    assert.equal(await traceOf(`00-${trace}-b7ad6b7169203331-01`), trace);
    assert.equal(await traceOf(`cc-${trace}-b7ad6b7169203331-01-what-will-come`), trace);
    for (const broken of [
      `ff-${trace}-b7ad6b7169203331-01`,
      `00-${'0'.repeat(32)}-b7ad6b7169203331-01`,
      `00-${trace}-${'0'.repeat(16)}-01`,
      `00-${trace}-b7ad6b7169203331-01-what-will-come`,
      `00-${trace.toUpperCase()}-b7ad6b7169203331-01`,
      `00-${trace}-b7ad6b7169203331-1`,
      trace,
      '00-x',
      `00-${trace}-b7ad6b7169203331-01, 00-x`,
    ]) {
      assert.notEqual(await traceOf(broken), trace);
    }
  });

  it('has no member of an extra that would replace a standard one', async (t) => {
    const { server } = sample(t, {}, [
      route('/extra', async () => {
        throw new Problem('carrier-rejected', 'No.', { status: 1, type: 'x', carrierCode: 30 });
      }),
    ]);
    const body = assertProblem((await server.inject({ url: '/v1/extra', headers: token })).body, 'carrier-rejected');
    assert.equal(body.carrierCode, 30);
    assert.deepEqual(Object.keys(body).slice(0, 6), ['type', 'title', 'status', 'detail', 'instance', 'traceId']);
  });

  for (const [accept, type] of [
    ['application/problem+json', 'application/problem+json; charset=utf-8'],
    ['application/problem+json, application/json;q=0.9', 'application/problem+json; charset=utf-8'],
    ['text/plain', 'text/plain; charset=utf-8'],
    ['text/json', 'text/json; charset=utf-8'],
    ['image/png', 'application/json; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
  ] as const) {
    it(`is called ${type} for Accept: ${accept}`, async (t) => {
      const { server } = sample(t);
      const answer = await server.inject({ url: '/v1/nope', headers: { accept } });
      assert.equal(answer.headers['content-type'], type);
      assertProblem(answer.body, 'not-found');
    });
  }

  it('does not take an error with a status of its own for a Problem', async (t) => {
    const { server } = sample(t, {}, [
      route('/library', async () => {
        throw Object.assign(new Error('no such table'), { statusCode: 404 });
      }),
    ]);
    assertProblem((await server.inject({ url: '/v1/library', headers: token })).body, 'internal-error');
  });

  it('takes what is thrown without being an Error for a bug', async (t) => {
    const { server } = sample(t, {}, [route('/text', async () => Promise.reject('text'))]);
    assertProblem((await server.inject({ url: '/v1/text', headers: token })).body, 'internal-error');
  });

  it('makes problems of the errors of body parsers that a plugin brings', async (t) => {
    const { server } = sample(t, { limits: { ...defaultLimits, maxBodyBytes: 10 } });
    server.register(async (scope) => {
      scope.addContentTypeParser(
        'application/json',
        { parseAs: 'string' },
        scope.getDefaultJsonParser('error', 'error'),
      );
      scope.post('/plugin', async () => ({}));
    });
    const post = async (payload: string, type = 'application/json') =>
      (await server.inject({ method: 'POST', url: '/plugin', headers: { 'content-type': type }, payload })).body;
    assertProblem(await post('{"a":'), 'malformed-json');
    assertProblem(await post(''), 'malformed-json');
    assertProblem(await post(' '.repeat(11)), 'payload-too-large');
    assertProblem(await post('a', 'text/csv'), 'unsupported-media-type');
  });

  it('survives an answer that cannot be sent', async (t) => {
    const { server } = sample(t, {}, [
      route('/header', async () => json('[]', { 'x-bad': 'line\nbreak', etag: '"1"' })),
    ]);
    const answer = await server.inject({ url: '/v1/header', headers: token });
    assertProblem(answer.body, 'internal-error');
    assert.equal(answer.headers.etag, undefined);
  });
});
