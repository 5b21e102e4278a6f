// What the platform interface says of itself: true, complete, and open to everybody.
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { after, before, describe, it } from 'node:test';
import { readConfig } from '../../src/config.ts';
import type { Json } from '../../src/http/openapi.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';

describe('the address of the platform interface', () => {
  const wrong: readonly Readonly<Record<string, string>>[] = [
    { PLATFORM_URL: 'http://localhost:8080/v1' },
    { PLATFORM_URL: 'https://wms.example/v1/' },
    { BASE_URL: 'https://api.example/platform' },
    { BASE_URL: 'https://api.example', PLATFORM_URL: 'https://wms.example' },
  ];
  for (const variables of wrong) {
    it(`cannot have the path of the client interface: ${Object.values(variables).join(' and ')}`, () => {
      assert.throws(() => readConfig(variables, tmpdir()), /PLATFORM_URL and BASE_URL must have different paths/);
    });
  }

  it('may have any other', () => {
    for (const PLATFORM_URL of ['https://wms.example', 'https://api.example/v1/platform'])
      assert.equal(
        readConfig({ BASE_URL: 'https://api.example/v1', PLATFORM_URL }, tmpdir()).platformUrl,
        PLATFORM_URL,
      );
  });
});

describe('the description of the platform interface', () => {
  let app: RunningApp;
  let document: Json;

  before(async () => {
    const [engine] = engines;
    assert.ok(engine !== undefined);
    app = await startApp(engine, { PLATFORM_URL: 'https://wms.logistics.example/platform' });
    const { body } = await app.get('/platform/openapi.json', { token: null });
    document = JSON.parse(body);
  });
  after(() => app.close());

  it('needs no key, and stays the same', async () => {
    const answer = await app.get('/platform/openapi.json', { token: null });
    assert.match(answer.headers.etag ?? '', /^(?:W\/)?"[\w-]+"$/);
    const again = await app.get('/platform/openapi.json', {
      token: null,
      headers: { 'if-none-match': answer.headers.etag ?? '' },
    });
    assert.deepEqual([again.status, again.body], [304, '']);
    assert.equal(
      (await app.get('/platform/openapi.json', { token: null, headers: { 'if-none-match': '"other"' } })).status,
      200,
    );
    assert.equal((await app.get('/platform/openapi.json', { token: null, method: 'HEAD' })).body, '');
    assert.equal(
      (await app.get('/platform/openapi.json', { token: null, headers: { accept: 'text/html' } })).status,
      406,
    );
    for (const page of ['/platform/docs', '/platform/docs/start.js'])
      assert.equal((await app.get(page, { token: null })).status, 200, page);
  });

  it('names its own address, its key, and nothing of the client interface but its problems', () => {
    assert.deepEqual(document.servers, [
      { url: 'https://wms.logistics.example/platform', description: 'This service.' },
    ]);
    const text = JSON.stringify(document);
    assert.ok(!text.includes('svc_connect') && !text.includes('authorizationUrl'));
    assert.ok(text.includes('https://api.logistics.example/v1/problems/not-delivered'));
  });

  it('has every path that answers, with every refusal of its own', () => {
    const paths: Record<string, Json> = Object(document.paths);
    assert.deepEqual(Object.keys(paths).toSorted(), [
      '/activities',
      '/activities/{activityCode}/change',
      '/audit',
      '/clients',
      '/clients/{clientId}',
      '/clients/{clientId}/change',
      '/clients/{clientId}/disable',
      '/clients/{clientId}/enable',
      '/clients/{clientId}/remove',
      '/clients/{clientId}/rotate-secret',
      '/demonstration',
      '/demonstration/advance',
      '/demonstration/faults',
      '/docs',
      '/docs/{file}',
      '/documents/{documentId}',
      '/documents/{documentId}/content',
      '/feeds',
      '/feeds/lines',
      '/feeds/lines.ndjson',
      '/feeds/lines/{lineId}',
      '/feeds/lines/{lineId}/drop',
      '/feeds/lines/{lineId}/edit',
      '/feeds/lines/{lineId}/replay',
      '/feeds/messages',
      '/feeds/messages/{messageId}',
      '/feeds/messages/{messageId}/drop',
      '/feeds/messages/{messageId}/end',
      '/feeds/messages/{messageId}/replay',
      '/feeds/{resource}',
      '/health',
      '/keys',
      '/keys/{keyId}/revoke',
      '/lineage',
      '/me',
      '/openapi.json',
      '/outbox',
      '/outbox/ack',
      '/outbox/consumers',
      '/outbox/waiting',
      '/reconciliation',
      '/requests',
      '/shippings/accounts',
      '/shippings/accounts/{context}/{carrier}',
      '/shippings/accounts/{context}/{carrier}/change',
      '/shippings/accounts/{context}/{carrier}/remove',
      '/shippings/accounts/{context}/{carrier}/test',
      '/shippings/carriers',
      '/shippings/dry-runs/{context}/{carrier}',
      '/shippings/handovers/{context}/{carrier}',
      '/shippings/handovers/{context}/{carrier}/{handoverId}/document',
      '/shippings/labels/{context}/{carrier}/{id}',
      '/shippings/labels/{context}/{carrier}/{id}/void',
      '/shippings/points/{context}/{carrier}',
      '/users',
      '/users/{userId}',
      '/users/{userId}/change',
      '/users/{userId}/disable',
      '/users/{userId}/enable',
      '/users/{userId}/invite',
      '/users/{userId}/programs/{clientId}/end',
      '/users/{userId}/remove',
      '/users/{userId}/reset-second-factor',
      '/users/{userId}/sessions',
      '/users/{userId}/sessions/{sessionId}/end',
      '/users/{userId}/sign-out',
    ]);
    const statuses = (path: string, method: string): readonly string[] =>
      Object.keys(Object(Object(Object(paths[path])[method]).responses));
    for (const status of ['200', '400', '401', '403', '406', '409', '410', '429', '500', '503'])
      assert.ok(statuses('/outbox', 'get').includes(status), status);
    for (const status of ['400', '401', '409', '413', '415'])
      assert.ok(statuses('/outbox/ack', 'post').includes(status), status);
    // What is asked for and is going to be done.
    assert.deepEqual(statuses('/demonstration/advance', 'post').slice(0, 2), ['202', '400']);
    for (const path of ['/documents/{documentId}', '/documents/{documentId}/content'])
      assert.ok(statuses(path, 'get').includes('404'), path);
  });
});
