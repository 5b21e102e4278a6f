// What the interface says of itself: the document describes every route and every answer.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { listEndpoint } from '../../src/api/list-endpoints.ts';
import { listPaths } from '../../src/api/routes.ts';
import { listParametersOf } from '../../src/api/descriptions/list-parameters.ts';
import { problemExamples } from '../../src/http/openapi/problem-details.ts';
import type { Json } from '../../src/http/openapi.ts';
import { resources } from '../../src/resources/index.ts';
import { engines } from '../contract/engines.ts';
import { assertDescribed } from '../contract/openapi-validator.ts';
import { authUrl, baseUrl, type RunningApp, startApp } from '../contract/running-app.ts';

describe('the description of the client interface', () => {
  let app: RunningApp;
  let document: Json;

  before(async () => {
    const [engine] = engines;
    assert.ok(engine !== undefined);
    app = await startApp(engine);
    const { body } = await app.get('/v1/openapi.json', { token: null });
    document = JSON.parse(body);
  });
  after(() => app.close());

  /** Sends a request and holds the answer against the document. */
  const ask = async (path: string, options: Parameters<RunningApp['get']>[1] = {}) => {
    const answer = await app.get(path, options);
    assertDescribed(document, { method: options.method ?? 'GET', path, ...answer });
    return answer;
  };

  it('has an operation for each of the nine lists', () => {
    const paths = Object.keys(Object(document.paths));
    for (const { path } of listPaths) assert.ok(paths.includes(path), path);
  });

  it('names the addresses of the service and of its authorization server', () => {
    assert.deepEqual(document.servers, [{ url: baseUrl, description: 'This service.' }]);
    assert.ok(JSON.stringify(document).includes(`"authorizationUrl":"${authUrl}/connect/authorize"`));
  });

  it('leads programs from the bare host to its reference page', async () => {
    for (const accept of ['application/json', '*/*']) {
      const answer = await app.get('/', { token: null, headers: { accept } });
      assert.deepEqual([answer.status, answer.headers.location], [302, `${baseUrl}/docs`], accept);
    }
  });

  it('says nothing in words of this project: no numbers of clauses or decisions', async () => {
    for (const path of ['/v1/openapi.json', '/platform/openapi.json', '/v1/problems', '/v1/changelog']) {
      const { body } = await app.get(path);
      assert.doesNotMatch(body, /\bclauses? \d|\binterface \d|\bpart \d|\bdecisions? D?\d|\bD\d\d?\b/i, path);
    }
  });

  it('says of keys what is true: method and path are part of them', async () => {
    const { body } = await app.get('/v1/problems/idempotency-key-reused', { headers: { accept: 'text/plain' } });
    assert.match(body, /method and path are part of the key/i);
    assert.doesNotMatch(body, /endpoint/);
  });

  it('describes its own pages truly, without a token', async () => {
    const pages = [
      '/v1/openapi.json',
      '/v1/changelog',
      '/v1/docs',
      '/v1/docs/start.js',
      '/v1/docs/oauth2-redirect.html',
      '/v1/problems',
      '/v1/problems/invalid-filter',
    ];
    for (const path of pages) assert.equal((await ask(path, { token: null })).status, 200, path);
    const { headers } = await ask('/v1/openapi.json', { token: null });
    assert.equal(
      (await ask('/v1/openapi.json', { token: null, headers: { 'if-none-match': headers.etag ?? '' } })).status,
      304,
    );
    const changelog = await ask('/v1/changelog', { headers: { accept: 'text/plain' } });
    assert.equal(changelog.headers['content-type'], 'text/plain; charset=utf-8');
    assert.equal(changelog.body, readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'));
  });

  it('describes the lists truly, and gives examples that they accept', async () => {
    for (const resource of resources) {
      const { activityField, activityNameField, unpublished, example } = resource;
      const own = {
        ...(activityField && { [activityField]: 'NOR' }),
        ...(activityNameField && { [activityNameField]: 'North Trading' }),
      };
      const hidden = Object.fromEntries(Object.keys(unpublished).map((name) => [name, 'PO-2026-0091']));
      await app.load(resource, 'NOR', [{ ...example, ...own, ...hidden }]);
    }
    const parents = {
      articleReference: 'TEE-ORG-NVY-M',
      uniqueOrderID: String(resources[3]?.example.orderUniqueID),
      uniqueProcurementID: 'PO-2026-0091',
    };
    for (const { path, operation } of listPaths) {
      const { resource } = listEndpoint(operation);
      const address = `/v1${path.replace(/\{(\w+)\}/, (_text, name: string) => String(Reflect.get(parents, name)))}`;
      const whole = await ask(address);
      assert.equal(whole.list().length, 1, address);
      assert.equal((await ask(address, { headers: { 'if-none-match': whole.headers.etag ?? '' } })).status, 304);
      for (const { name, example } of listParametersOf(resource)) {
        if (example === undefined) continue;
        const query = [example]
          .flat()
          .map((value) => `${name}=${encodeURIComponent(String(value))}`)
          .join('&');
        assert.equal((await ask(`${address}?${query}`)).status, 200, query);
      }
    }
  });

  it('describes what refuses a request', async () => {
    const cases: readonly (readonly [path: string, options: Parameters<RunningApp['get']>[1], status: number])[] = [
      ['/v1/orders', { token: null }, 401],
      ['/v1/orders', { token: null, method: 'HEAD' }, 401],
      ['/v1/orders', { token: 'x.y.z' }, 401],
      ['/v1/orders', { method: 'DELETE' }, 405],
      ['/v1/orders', { method: 'OPTIONS' }, 204],
      ['/v1/nothing', {}, 404],
      ['/v1/articles/nothing/movements', {}, 404],
      ['/v1/problems/nothing', {}, 404],
      ['/v1/docs/nothing', {}, 404],
      ['/v1/openapi.json', { headers: { accept: 'image/png' } }, 406],
      ['/v1/orders', { headers: { accept: 'image/png' } }, 406],
      ['/v1/orders?filter=gradeCode', {}, 400],
      ['/v1/orders?sort=gradeCode', {}, 400],
      ['/v1/orders?fliter=', {}, 400],
      ['/v1/orders?cursor=x', {}, 400],
      ['/v1/orders?limit=0', {}, 400],
      [`/v1/orders?filter=${'x'.repeat(9000)}`, {}, 414],
    ];
    for (const [path, options, status] of cases)
      assert.equal((await ask(path, options)).status, status, path.slice(0, 40));
  });

  it('describes what the preference server-timing gives', async () => {
    const prefer = { prefer: 'server-timing' };
    const { etag = '' } = (await app.get('/v1/articles', { headers: prefer })).headers;
    for (const [path, headers, status] of [
      ['/v1/articles', prefer, 200],
      ['/v1/articles', { ...prefer, 'if-none-match': etag }, 304],
      ['/v1/articles?limit=0', prefer, 400],
      ['/v1/articles/NONE/movements', prefer, 404],
    ] as const) {
      const answer = await app.get(path, { headers });
      assert.equal(answer.status, status);
      assert.match(answer.headers['server-timing'] ?? '', /total;dur=/);
    }
  });

  it('shows problems as they really are', async () => {
    const asked = [
      ['invalid-filter', '?filter=gradeCode%3D%3D'],
      ['invalid-sort', '?sort=,'],
      ['invalid-parameter', '?limit=0'],
    ] as const;
    for (const [slug, query] of asked) {
      const actual = (await ask(`/v1/articles/movements${query}`)).object();
      const shown = problemExamples([slug], baseUrl, '/v1/articles/movements')[slug]?.value;
      assert.deepEqual({ ...actual, traceId: null }, { ...shown, traceId: null });
      assert.ok(JSON.stringify(document).includes(JSON.stringify(String(shown?.detail))), slug);
    }
  });
});
