// Problems as pages: for a person's browser, where no token is wanted; programs get JSON byte for byte as ever.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Problem } from '../../src/model/problem.ts';
import type { Route } from '../../src/http/route.ts';
import { baseUrl, sample } from './sample-server.ts';

const chromium = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const firefox = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** What programs ask for. */
const programs: readonly (string | undefined)[] = [
  undefined,
  '*/*',
  'application/json',
  'application/problem+json',
  'application/json, text/plain, */*',
  'text/plain',
  // The HTTP client of Java, where nobody says anything else.
  'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
  'text/html',
  'application/xhtml+xml;q=0.1, text/html;q=0.1, application/json',
];

const link: Route = {
  method: 'GET',
  path: '/link/{token}',
  operationId: 'getLink',
  access: 'public',
  rate: 'read',
  listOf: null,
  parameters: [],
  summary: 'A link',
  description: 'A link that has expired.',
  produces: ['application/pdf', 'text/plain', 'application/json', 'application/problem+json', 'text/html'],
  handle: async () => {
    throw new Problem('resource-not-found', `This link has <expired>. See ${baseUrl}/problems, or ${baseUrl}/orders.`);
  },
};

describe('a problem as a page', () => {
  for (const accept of [chromium, firefox])
    for (const path of ['/v1/nothing', '/nothing', '/v1/link/abc', '/v1/problems/nothing', '/v1/docs/nothing'])
      it(`is what a person's browser gets at ${path}`, async (t) => {
        const { server } = sample(t, {}, [link]);
        const { statusCode, headers, body } = await server.inject({ url: path, headers: { accept } });
        assert.equal(statusCode, 404);
        assert.equal(headers['content-type'], 'text/html; charset=utf-8');
        assert.equal(headers['cache-control'], 'no-store');
        assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/);
        assert.match(body, /^<!doctype html>\n<html lang="en">/);
        assert.ok(body.includes(`<a href="${baseUrl}/docs">`) && body.includes('Trace id'));
      });

  it('has a detail whose pages are links, and nothing of it is markup', async (t) => {
    const { server } = sample(t, {}, [link]);
    const { body } = await server.inject({ url: '/v1/link/abc', headers: { accept: chromium } });
    assert.ok(body.includes(`This link has &lt;expired&gt;. See <a href="${baseUrl}/problems">`), body);
    assert.ok(body.includes(`<code>${baseUrl}/orders</code>.`), body);
  });

  it('never shows what was asked for as markup', async (t) => {
    const { server } = sample(t);
    const { body } = await server.inject({ url: '/v1/%3Cscript%3E"<i>', headers: { accept: chromium } });
    assert.doesNotMatch(body, /<script|<i>/);
  });

  it('has the headers of HEAD too', async (t) => {
    const { server } = sample(t, {}, [link]);
    const { headers, body } = await server.inject({ method: 'HEAD', url: '/v1/link/a', headers: { accept: chromium } });
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    assert.equal(body, '');
  });

  it('is not what a program gets', async (t) => {
    const { server } = sample(t, {}, [link]);
    for (const accept of programs) {
      const { headers, body } = await server.inject({
        url: '/v1/link/abc',
        headers: accept === undefined ? {} : { accept },
      });
      assert.match(String(headers['content-type']), /^(application\/(problem\+)?json|text\/plain)/, accept);
      assert.equal(
        body,
        JSON.stringify({
          type: `${baseUrl}/problems/resource-not-found`,
          title: 'The record does not exist.',
          status: 404,
          detail: `This link has <expired>. See ${baseUrl}/problems, or ${baseUrl}/orders.`,
          instance: '/v1/link/abc',
          traceId: JSON.parse(body).traceId,
        }),
        accept,
      );
    }
  });

  it('is not what a write gets, nor what wants a token', async (t) => {
    const { server } = sample(t, {}, [{ ...link, path: '/records', access: 'token' }]);
    const write = await server.inject({ method: 'POST', url: '/v1/nothing', headers: { accept: chromium } });
    assert.match(String(write.headers['content-type']), /json/);
    const list = await server.inject({ url: '/v1/records', headers: { accept: chromium } });
    assert.equal(list.statusCode, 401);
    assert.match(String(list.headers['content-type']), /json/);
  });
});
