// The check of answers against the OpenAPI document: what it lets pass, and everything that it must not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openApiDocument } from '../../src/http/openapi.ts';
import type { Route } from '../../src/http/route.ts';
import { type ActualAnswer, assertDescribed } from './openapi-validator.ts';

const route: Route = {
  method: 'GET',
  path: '/parts',
  operationId: 'listParts',
  summary: 'List parts',
  description: 'All parts.',
  access: 'token',
  rate: 'read',
  produces: ['application/json', 'text/plain'],
  parameters: [],
  listOf: 'Part',
  handle: async () => ({ status: 200, headers: {}, body: '[]', type: null }),
};

const document = openApiDocument({
  routes: [
    {
      ...route,
      path: '/parts/{name}',
      operationId: 'listNamed',
      parameters: [{ name: 'name', in: 'path', meaning: 'Name.', schema: { type: 'string' }, required: true }],
      silent500: true,
    },
    route,
    {
      ...route,
      path: '/parts/list',
      operationId: 'getText',
      listOf: null,
      produces: ['text/plain'],
      access: 'public',
      rate: 'probe',
    },
  ],
  tags: [{ name: 'Parts', description: 'Parts.', paths: ['/parts'] }],
  schemas: {
    Part: { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'], additionalProperties: false },
  },
  examples: { Part: { id: 1 } },
  info: { title: 'Parts', version: '1' },
  baseUrl: 'https://parts.test/v1',
  authUrl: 'https://parts.test',
});

const common = { 'x-request-id': '1', vary: 'Accept', 'cache-control': 'no-cache' };
const page: ActualAnswer = {
  method: 'GET',
  path: '/v1/parts?limit=1',
  status: 200,
  headers: { ...common, etag: 'W/"1"', 'content-type': 'application/json; charset=utf-8' },
  body: '[{"id":1}]',
};
const problem: ActualAnswer = {
  ...page,
  status: 400,
  headers: { ...common, 'content-type': 'application/problem+json' },
  body: '{"type":"https://parts.test/v1/problems/invalid-filter","status":400,"other":true}',
};

describe('an answer that the document describes', () => {
  const cases: readonly (readonly [name: string, answer: ActualAnswer])[] = [
    ['a page', page],
    [
      'a page with what it may have besides',
      {
        ...page,
        headers: {
          ...page.headers,
          link: '<https://parts.test/v1/parts?cursor=x>; rel="next"',
          'sync-cursor': 'x',
          date: 'today',
        },
      },
    ],
    ['a page as text', { ...page, headers: { ...page.headers, 'content-type': 'text/plain' } }],
    ['a HEAD answer', { ...page, method: 'HEAD', body: '' }],
    ['an unchanged page', { ...page, status: 304, headers: { ...common, etag: 'W/"1"' }, body: '' }],
    ['a problem with members of its own', problem],
    ['a problem with a status that is not listed', { ...problem, status: 418 }],
    ['a problem at an unknown path', { ...problem, path: '/v1/nothing', status: 404 }],
    [
      'a failure without a body where there is none',
      { ...page, path: '/v1/parts/x', status: 500, headers: common, body: '' },
    ],
    [
      'a text at a path that also fits a parameter',
      { ...page, path: '/v1/parts/list', headers: { ...common, 'content-type': 'text/plain' }, body: 'Hello.' },
    ],
    ['OPTIONS', { ...page, method: 'OPTIONS', status: 204, headers: { allow: 'GET' }, body: '' }],
  ];
  for (const [name, answer] of cases) it(`passes: ${name}`, () => assertDescribed(document, answer));
});

describe('an answer that the document does not describe', () => {
  const without = (name: string): ActualAnswer => ({
    ...page,
    headers: Object.fromEntries(Object.entries(page.headers).filter(([known]) => known !== name)),
  });
  const cases: readonly (readonly [name: string, answer: ActualAnswer, reason: RegExp])[] = [
    ['an unknown path that answers', { ...page, path: '/v1/nothing' }, /no operation/],
    ['a status below 400 that is not listed', { ...page, status: 206 }, /status is not described/],
    ['another media type', { ...page, headers: { ...page.headers, 'content-type': 'text/html' } }, /media type/],
    ['no media type', without('content-type'), /media type/],
    ['a missing header', without('etag'), /header ETag is missing/],
    ['a foreign header', { ...page, headers: { ...page.headers, 'x-powered-by': 'it' } }, /x-powered-by/],
    [
      'a header with a wrong value',
      { ...problem, status: 429, headers: { ...problem.headers, 'retry-after': 'soon' } },
      /Retry-After/,
    ],
    ['a body that is no JSON', { ...page, body: '[{"id":1}' }, /not JSON/],
    ['a record with a wrong type', { ...page, body: '[{"id":"1"}]' }, /must be integer/],
    ['a record with a property too many', { ...page, body: '[{"id":1,"other":1}]' }, /additional properties/],
    ['a record with a property too few', { ...page, body: '[{}]' }, /required property/],
    [
      'a wrong record as text',
      { ...page, headers: { ...page.headers, 'content-type': 'text/plain' }, body: '[{}]' },
      /required property/,
    ],
    [
      'more than 100 records',
      { ...page, body: JSON.stringify(Array.from({ length: 101 }, (_, id) => ({ id }))) },
      /100 items/,
    ],
    ['a problem with a wrong member', { ...problem, body: '{"status":"400"}' }, /\/status/],
    ['a body with 304', { ...page, status: 304, headers: { ...common, etag: 'W/"1"' } }, /no body/],
    ['a body with a silent failure', { ...problem, path: '/v1/parts/x', status: 500 }, /no body/],
  ];
  for (const [name, answer, reason] of cases)
    it(`fails: ${name}`, () => assert.throws(() => assertDescribed(document, answer), reason));
});
