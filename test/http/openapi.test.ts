// The description of a route table: what becomes of routes, parameters, answers and schemas.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Description, type Json, openApiDocument } from '../../src/http/openapi.ts';
import type { Parameter, Route } from '../../src/http/route.ts';

const limit: Parameter = { name: 'limit', in: 'query', meaning: 'At most so many.', schema: { type: 'integer' }, example: 5 };
const colour: Parameter = { name: 'colour', in: 'query', meaning: 'Colour.', schema: { type: 'string' } };
const name: Parameter = { name: 'name', in: 'path', meaning: 'Name.', schema: { type: 'string' }, required: true };

const list: Route = {
  method: 'GET', path: '/parts', operationId: 'listParts', summary: 'List parts', description: 'All parts.', access: 'token', rate: 'read',
  produces: ['application/json', 'text/plain'], parameters: [limit, colour], listOf: 'Part',
  handle: async () => ({ status: 200, headers: {}, body: '[]', type: null }),
};
const named: Route = { ...list, path: '/parts/{name}', operationId: 'listNamed', parameters: [name, limit, { ...colour, meaning: 'Another colour.' }], silent500: true };
const about: Route = { ...list, path: '/about', operationId: 'getAbout', access: 'public', rate: 'none', produces: ['text/html'], parameters: [], listOf: null };

const description: Description = {
  routes: [list, named, about],
  tags: [{ name: 'Parts', description: 'Parts.', paths: ['/parts'] }, { name: 'Rest', description: 'The rest.', paths: ['/about'] }],
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
  return path.reduce<unknown>((value, step) => (typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined), document);
}
const keysAt = (document: Json, ...path: readonly string[]): readonly string[] => Object.keys(Object(at(document, ...path)));

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
    assert.equal(at(document, 'components', 'securitySchemes', 'oauth2', 'flows', 'authorizationCode', 'tokenUrl'), 'https://login.test/connect/token');
    assert.match(String(at(document, 'components', 'securitySchemes', 'bearer', 'description')), /RFC 8725/);
  });

  it('lists the answers that a route can give', () => {
    assert.deepEqual(keysAt(document, 'paths', '/parts', 'get', 'responses'), ['200', '304', '400', '401', '403', '406', '410', '429', '500', '503', 'default']);
    assert.ok(keysAt(document, 'paths', '/parts/{name}', 'get', 'responses').includes('404'));
    assert.deepEqual(keysAt(document, 'paths', '/about', 'get', 'responses'), ['200', '400', '406', '500', '503', 'default']);
  });

  it('has no body for the failure of a route that answers without one', () => {
    assert.equal(at(document, 'paths', '/parts/{name}', 'get', 'responses', '500', '$ref'), '#/components/responses/SilentServerError');
    assert.equal(at(document, 'components', 'responses', 'SilentServerError', 'content'), undefined);
    assert.deepEqual(keysAt(document, 'components', 'responses', 'ServerError', 'content'), ['application/json', 'text/json', 'text/plain', 'application/problem+json']);
  });

  it('describes a list under each of its media types', () => {
    const content = ['paths', '/parts', 'get', 'responses', '200', 'content'];
    assert.deepEqual(keysAt(document, ...content), ['application/json', 'text/plain']);
    assert.deepEqual(at(document, ...content, 'text/plain', 'schema'), { type: 'array', maxItems: 100, items: { $ref: '#/components/schemas/Part' } });
    assert.deepEqual(at(document, 'components', 'examples', 'Part', 'value'), [{ made: {} }]);
  });

  it('writes a parameter once where it is the same for all', () => {
    assert.deepEqual(at(document, 'paths', '/parts', 'get', 'parameters', '0'), { $ref: '#/components/parameters/limit' });
    assert.equal(at(document, 'paths', '/parts', 'get', 'parameters', '1', 'description'), 'Colour.');
    assert.equal(at(document, 'paths', '/parts/{name}', 'get', 'parameters', '2', 'description'), 'Another colour.');
    assert.deepEqual(at(document, 'components', 'parameters', 'limit', 'schema'), { type: 'integer', examples: [5] });
    assert.ok(keysAt(document, 'components', 'parameters').includes('X-Request-Id'));
  });

  it('leaves out what nothing refers to', () => {
    assert.deepEqual(keysAt(document, 'components', 'schemas'), ['Part', 'Maker', 'ProblemDetails']);
    assert.deepEqual(keysAt(document, 'components', 'examples'), ['Part']);
    const lone = openApiDocument({ ...description, routes: [about] });
    assert.deepEqual(keysAt(lone, 'components', 'schemas'), ['ProblemDetails']);
    assert.ok(!keysAt(lone, 'components', 'responses').includes('Unauthorized'));
  });

  it('refers only to what is there', () => {
    const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, reference = '']) => reference);
    assert.ok(references.length > 20);
    for (const reference of references) assert.notEqual(at(document, ...reference.split('/')), undefined, reference);
  });
});
