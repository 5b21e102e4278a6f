// The description of a route table: what becomes of routes, parameters, answers and schemas.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Description, type Json, openApiDocument } from '../../src/http/openapi.ts';
import type { Parameter, Route } from '../../src/http/route.ts';
import { problems } from '../../src/model/problem.ts';

const limit: Parameter = {
  name: 'limit',
  in: 'query',
  meaning: 'At most so many.',
  schema: { type: 'integer' },
  example: 5,
};
const colour: Parameter = { name: 'colour', in: 'query', meaning: 'Colour.', schema: { type: 'string' } };
const name: Parameter = { name: 'name', in: 'path', meaning: 'Name.', schema: { type: 'string' }, required: true };

const list: Route = {
  method: 'GET',
  path: '/parts',
  operationId: 'listParts',
  summary: 'List parts',
  description: 'All parts.',
  access: 'token',
  rate: 'read',
  produces: ['application/json', 'text/plain'],
  parameters: [limit, colour],
  listOf: 'Part',
  handle: async () => ({ status: 200, headers: {}, body: '[]', type: null }),
};
const named: Route = {
  ...list,
  path: '/parts/{name}',
  operationId: 'listNamed',
  parameters: [name, limit, { ...colour, meaning: 'Another colour.' }],
  silent500: true,
};
const about: Route = {
  ...list,
  path: '/about',
  operationId: 'getAbout',
  access: 'public',
  rate: 'probe',
  produces: ['text/html'],
  parameters: [],
  listOf: null,
};

const description: Description = {
  routes: [list, named, about],
  tags: [
    { name: 'Parts', description: 'Parts.', paths: ['/parts'] },
    { name: 'Rest', description: 'The rest.', paths: ['/about'] },
  ],
  schemas: {
    Part: { type: 'object', properties: { made: { $ref: '#/components/schemas/Maker' } } },
    Maker: { type: 'object' },
    PartOfNothing: { type: 'object' },
  },
  examples: { Part: { made: {} }, PartOfNothing: {} },
  info: { title: 'Parts', version: '1' },
  baseUrl: 'https://parts.test/v1',
  authUrl: 'https://login.test',
};

/** What is at the end of a path of property names. */
function at(document: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined),
    document,
  );
}
const keysAt = (document: Json, ...path: readonly string[]): readonly string[] =>
  Object.keys(Object(at(document, ...path)));

describe('the description of a route table', () => {
  const document = openApiDocument(description);

  it('refuses a route that belongs to no group', () => {
    assert.throws(() => openApiDocument({ ...description, tags: [] }), /belongs to no tag/);
  });

  it('gives each route its operation', () => {
    assert.deepEqual(keysAt(document, 'paths'), ['/parts', '/parts/{name}', '/about']);
    assert.equal(at(document, 'paths', '/parts/{name}', 'get', 'operationId'), 'listNamed');
    assert.deepEqual(at(document, 'paths', '/about', 'get', 'tags'), ['Rest']);
  });

  it('asks for a token except where there is none', () => {
    assert.deepEqual(document.security, [{ oauth2: ['svc_connect'] }, { bearer: [] }]);
    assert.equal(at(document, 'paths', '/parts', 'get', 'security'), undefined);
    assert.deepEqual(at(document, 'paths', '/about', 'get', 'security'), []);
    assert.equal(
      at(document, 'components', 'securitySchemes', 'oauth2', 'flows', 'authorizationCode', 'tokenUrl'),
      'https://login.test/connect/token',
    );
    assert.match(String(at(document, 'components', 'securitySchemes', 'bearer', 'description')), /RFC 8725/);
  });

  it('lists the answers that a route can give', () => {
    assert.deepEqual(keysAt(document, 'paths', '/parts', 'get', 'responses'), [
      '200',
      '304',
      '400',
      '401',
      '403',
      '406',
      '410',
      '429',
      '500',
      '503',
      'default',
    ]);
    assert.ok(keysAt(document, 'paths', '/parts/{name}', 'get', 'responses').includes('404'));
    assert.deepEqual(keysAt(document, 'paths', '/about', 'get', 'responses'), [
      '200',
      '400',
      '406',
      '429',
      '500',
      '503',
      'default',
    ]);
  });

  it('has no body for the failure of a route that answers without one', () => {
    assert.equal(
      at(document, 'paths', '/parts/{name}', 'get', 'responses', '500', '$ref'),
      '#/components/responses/SilentServerError',
    );
    assert.equal(at(document, 'components', 'responses', 'SilentServerError', 'content'), undefined);
    assert.deepEqual(keysAt(document, 'components', 'responses', 'ServerError', 'content'), [
      'application/json',
      'text/json',
      'text/plain',
      'application/problem+json',
    ]);
  });

  it('describes a list under each of its media types', () => {
    const content = ['paths', '/parts', 'get', 'responses', '200', 'content'];
    assert.deepEqual(keysAt(document, ...content), ['application/json', 'text/plain']);
    assert.deepEqual(at(document, ...content, 'text/plain', 'schema'), {
      type: 'array',
      maxItems: 100,
      items: { $ref: '#/components/schemas/Part' },
    });
    assert.deepEqual(at(document, 'components', 'examples', 'Part', 'value'), [{ made: {} }]);
  });

  it('writes a parameter once where it is the same for all', () => {
    assert.deepEqual(at(document, 'paths', '/parts', 'get', 'parameters', '0'), {
      $ref: '#/components/parameters/limit',
    });
    assert.equal(at(document, 'paths', '/parts', 'get', 'parameters', '1', 'description'), 'Colour.');
    assert.equal(at(document, 'paths', '/parts/{name}', 'get', 'parameters', '2', 'description'), 'Another colour.');
    assert.deepEqual(at(document, 'components', 'parameters', 'limit', 'schema'), { type: 'integer', examples: [5] });
    assert.ok(keysAt(document, 'components', 'parameters').includes('X-Request-Id'));
  });

  it('refuses a reference to what is not there', () => {
    assert.throws(
      () => openApiDocument({ ...description, routes: [{ ...about, answers: { schema: 'Nothing', example: {} } }] }),
      /no component schemas\/Nothing/,
    );
  });

  it('leaves out what nothing refers to', () => {
    assert.deepEqual(keysAt(document, 'components', 'schemas'), ['Part', 'Maker', 'ProblemDetails']);
    assert.deepEqual(keysAt(document, 'components', 'examples'), ['Part']);
    const lone = openApiDocument({ ...description, routes: [about] });
    assert.deepEqual(keysAt(lone, 'components', 'schemas'), ['ProblemDetails']);
    assert.ok(!keysAt(lone, 'components', 'responses').includes('Unauthorized'));
  });

  it('refers only to what is there', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
      ([, reference = '']) => reference,
    );
    assert.ok(references.length > 20);
    for (const reference of references) assert.notEqual(at(document, ...reference.split('/')), undefined, reference);
  });
});

describe('the description of a route that writes', () => {
  const schema = { type: 'array', items: { $ref: '#/components/schemas/Maker' } };
  const write: Route = {
    ...list,
    method: 'POST',
    operationId: 'createParts',
    rate: 'write',
    listOf: null,
    repeatable: true,
    body: {
      types: ['application/json', 'text/json', 'application/*+json'],
      limit: 10_485_760,
      encodings: ['gzip', 'zstd'],
      schema,
      example: [{}],
    },
    answers: { schema: 'Part', example: { made: {} } },
    refusals: {
      400: ['ambiguous-reference', 'invalid-request'],
      409: ['not-delivered'],
      502: ['carrier-unavailable'],
      504: ['carrier-timeout'],
    },
    answerHeaders: { 'Repr-Digest': { meaning: 'Hash.', example: 'sha-256=:x:' } },
  };
  const form: Route = {
    ...named,
    method: 'POST',
    operationId: 'attach',
    silent500: true,
    rate: 'label',
    listOf: null,
    produces: ['application/json'],
    body: {
      types: ['multipart/form-data'],
      limit: 65_536,
      encodings: [],
      example: undefined,
      schema: {
        type: 'object',
        required: ['file'],
        properties: { file: { type: 'string', contentMediaType: 'application/pdf, image/png' } },
      },
    },
  };
  const document = openApiDocument({ ...description, routes: [list, write, form, about] });
  const operation = ['paths', '/parts', 'post'];
  const slugsAt = (status: string) =>
    keysAt(document, ...operation, 'responses', status, 'content', 'application/json', 'examples');

  it('has the body under each of its types, with one example', () => {
    const body = [...operation, 'requestBody'];
    assert.deepEqual(keysAt(document, ...body, 'content'), ['application/json', 'text/json']);
    assert.deepEqual(at(document, ...body, 'content', 'application/json'), { schema, example: [{}] });
    assert.deepEqual(at(document, ...body, 'content', 'text/json'), { schema });
    assert.equal(at(document, ...body, 'required'), true);
    assert.match(String(at(document, ...body, 'description')), /10 MiB.*application\/\*\+json.*gzip.*zstd/);
    assert.ok(keysAt(document, 'components', 'schemas').includes('Maker'));
    assert.equal(at(document, 'paths', '/parts', 'get', 'requestBody'), undefined);
  });

  it('says of a form of what types its file may be', () => {
    const body = ['paths', '/parts/{name}', 'post', 'requestBody'];
    assert.deepEqual(at(document, ...body, 'content', 'multipart/form-data', 'encoding'), {
      file: { contentType: 'application/pdf, image/png' },
    });
    assert.deepEqual(keysAt(document, ...body, 'content', 'multipart/form-data'), ['schema', 'encoding']);
    assert.equal(at(document, ...body, 'description'), 'At most 64 KiB.');
  });

  it('takes an Idempotency-Key where it is repeatable', () => {
    const parameters = at(document, ...operation, 'parameters');
    assert.ok(JSON.stringify(parameters).includes('"name":"Idempotency-Key","in":"header"'));
    assert.ok(!JSON.stringify(at(document, 'paths', '/parts/{name}')).includes('Idempotency-Key'));
  });

  it('has the result under each media type, with an example', () => {
    const content = [...operation, 'responses', '200', 'content'];
    assert.deepEqual(keysAt(document, ...content), ['application/json', 'text/plain']);
    assert.deepEqual(at(document, ...content, 'text/plain', 'schema'), { $ref: '#/components/schemas/Part' });
    assert.deepEqual(at(document, ...content, 'text/plain', 'examples', 'Part', 'value'), { made: {} });
    assert.deepEqual(keysAt(document, ...operation, 'responses', '200', 'headers'), [
      'X-Request-Id',
      'Vary',
      'Cache-Control',
      'RateLimit-Policy',
      'RateLimit',
      'Preference-Applied',
      'Server-Timing',
      'Idempotency-Replayed',
      'Repr-Digest',
    ]);
  });

  it('lists the answers that follow from what it has', () => {
    assert.deepEqual(keysAt(document, ...operation, 'responses'), [
      '200',
      '400',
      '401',
      '403',
      '406',
      '409',
      '413',
      '415',
      '422',
      '429',
      '500',
      '502',
      '503',
      '504',
      'default',
    ]);
    assert.deepEqual(keysAt(document, 'paths', '/parts/{name}', 'post', 'responses'), [
      '200',
      '400',
      '401',
      '403',
      '404',
      '406',
      '413',
      '415',
      '429',
      '500',
      '503',
      'default',
    ]);
    assert.equal(
      at(document, 'paths', '/parts/{name}', 'post', 'responses', '500', '$ref'),
      '#/components/responses/SilentServerError',
    );
  });

  it('names its own problems beside those of all', () => {
    assert.deepEqual(slugsAt('400'), [
      'invalid-parameter',
      'unknown-parameter',
      'invalid-request',
      'validation-failed',
      'malformed-json',
      'ambiguous-reference',
    ]);
    assert.deepEqual(slugsAt('403'), ['insufficient-scope', 'activity-forbidden', 'read-only-client']);
    assert.deepEqual(slugsAt('409'), ['idempotency-in-progress', 'not-delivered']);
    assert.deepEqual(slugsAt('502'), ['carrier-unavailable']);
    assert.equal(at(document, ...operation, 'responses', '504', 'description'), 'The carrier did not answer in time.');
    assert.equal(
      at(document, 'paths', '/parts', 'get', 'responses', '400', '$ref'),
      '#/components/responses/BadRequest',
    );
  });

  it('says which refusals can be those of an earlier request', () => {
    const replayed = keysAt(document, ...operation, 'responses').filter((status) =>
      keysAt(document, ...operation, 'responses', status, 'headers').includes('Idempotency-Replayed'),
    );
    // A 409 of the route's own is stored like any refusal; that another request still runs is not.
    assert.deepEqual(replayed, ['200', '403', '409', '413', '415', '422']);
    assert.ok(keysAt(document, ...operation, 'responses', '415', 'headers').includes('Accept-Encoding'));
  });
});

describe('the description of another interface', () => {
  const keyed: Route = {
    ...list,
    access: 'platform-key',
    rate: 'platform',
    listOf: null,
    answers: { schema: 'Part', example: { made: {} } },
    refusals: { 410: ['position-gone'] },
  };
  const { authUrl: _, ...noTokens } = description;
  const document = openApiDocument({
    ...noTokens,
    baseUrl: 'https://parts.test/platform',
    problemsUrl: 'https://parts.test/v1',
    routes: [keyed, about],
  });

  it('asks for a platform key, and speaks of no authorization server', () => {
    assert.deepEqual(document.security, [{ platformKey: [] }]);
    assert.deepEqual(keysAt(document, 'components', 'securitySchemes'), ['platformKey']);
    assert.deepEqual(at(document, 'paths', '/about', 'get', 'security'), []);
    assert.equal(at(document, 'paths', '/parts', 'get', 'security'), undefined);
    assert.equal(
      at(document, 'paths', '/parts', 'get', 'responses', '401', '$ref'),
      '#/components/responses/KeyUnauthorized',
    );
    assert.ok(!JSON.stringify(document).includes('oauth2'));
  });

  it('leads to the problem pages wherever they are', () => {
    const example = at(
      document,
      'components',
      'responses',
      'KeyUnauthorized',
      'content',
      'application/json',
      'examples',
      'missing-token',
      'value',
    );
    assert.equal(at(example, 'type'), 'https://parts.test/v1/problems/missing-token');
    assert.equal(at(example, 'instance'), '/platform/parts');
    assert.deepEqual(document.servers, [{ url: 'https://parts.test/platform', description: 'This service.' }]);
  });

  it('has what a route alone refuses', () => {
    assert.equal(
      at(document, 'paths', '/parts', 'get', 'responses', '410', 'description'),
      problems['position-gone'].title,
    );
  });

  it('may have routes of both kinds, each with what it wants', () => {
    const both = openApiDocument({ ...description, routes: [{ ...keyed, path: '/parts/{name}' }, list] });
    assert.deepEqual(both.security, [{ platformKey: [] }]);
    assert.deepEqual(at(both, 'paths', '/parts', 'get', 'security'), [{ oauth2: ['svc_connect'] }, { bearer: [] }]);
    assert.deepEqual(keysAt(both, 'components', 'securitySchemes'), ['oauth2', 'bearer', 'platformKey']);
  });

  it('names the role that a route needs', () => {
    const withRole = openApiDocument({ ...noTokens, routes: [{ ...keyed, role: 'audit' }, about] });
    assert.equal(at(withRole, 'paths', '/parts', 'get', 'x-required-role'), 'audit');
    const description = String(at(withRole, 'paths', '/parts', 'get', 'description'));
    assert.match(description, /Needs a key or an operator with the role `audit`\.$/);
  });

  it('cannot want tokens without saying where they are issued', () => {
    assert.throws(() => openApiDocument({ ...noTokens, routes: [list] }), /authorization server/);
  });
});
