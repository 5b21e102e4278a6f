// The catalogue of problems, and the pages that its types resolve to.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { type ProblemKind, problems } from '../../src/model/problem.ts';
import { baseUrl, sample } from './sample-server.ts';

const kinds: readonly (readonly [string, ProblemKind])[] = Object.entries(problems);

describe('the catalogue', () => {
  it('has an entry for every status of decision D37', () => {
    const statuses = new Set(kinds.map(([, { status }]) => status));
    for (const status of [400, 401, 403, 404, 405, 406, 409, 410, 413, 414, 415, 422, 429, 431, 500, 502, 503, 504])
      assert.ok(statuses.has(status), String(status));
  });

  for (const [slug, { status, title, page }] of kinds) {
    it(`${slug} has a status, a title of its own, and cause and remedy`, () => {
      assert.match(slug, /^[a-z]+(-[a-z]+)*$/);
      assert.ok(status >= 400 && status <= 504);
      assert.match(title, /^[A-Z].{5,80}\.$/);
      assert.equal(kinds.filter(([, other]) => other.title === title).length, 1);
      const sentences = page.split(/[.:;] /).length;
      assert.ok(page.endsWith('.') && page.length > 80 && sentences >= 2, page);
    });
  }
});

describe('problem pages', () => {
  for (const [slug, { status, title }] of kinds) {
    it(`${slug} resolves to a page for people and to JSON for programs, without a token`, async (t) => {
      const { server } = sample(t);
      const html = await server.inject({
        url: `/v1/problems/${slug}`,
        headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      });
      assert.equal(html.statusCode, 200);
      assert.equal(html.headers['content-type'], 'text/html; charset=utf-8');
      assert.match(html.body, /^<!doctype html>\n<html lang="en">/);
      assert.ok(html.body.includes(`<h1>${title}</h1>`) && html.body.includes(`${baseUrl}/problems/${slug}`));
      assert.doesNotMatch(html.body.replaceAll(baseUrl, ''), /https?:|<script|src=|@import|url\(|`/);
      const data = await server.inject({ url: `/v1/problems/${slug}`, headers: { accept: 'application/json' } });
      assert.equal(data.headers['content-type'], 'application/json; charset=utf-8');
      assert.deepEqual(Object.keys(JSON.parse(data.body)), ['type', 'status', 'title', 'description']);
      assert.equal(JSON.parse(data.body).status, status);
    });
  }

  it('has an index that links to every page', async (t) => {
    const { server } = sample(t);
    const { body } = await server.inject({ url: '/v1/problems', headers: { accept: 'text/html' } });
    for (const [slug] of kinds) assert.ok(body.includes(`<a href="${baseUrl}/problems/${slug}">`));
    const data = await server.inject({ url: '/v1/problems', headers: { accept: 'application/json' } });
    assert.equal(JSON.parse(data.body).length, kinds.length);
  });

  it('allows its own style sheet and nothing else', async (t) => {
    const { server } = sample(t);
    const { body, headers } = await server.inject({ url: '/v1/problems/not-found', headers: { accept: 'text/html' } });
    const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? '';
    const hash = createHash('sha256').update(style).digest('base64');
    assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-/);
    assert.ok(String(headers['content-security-policy']).includes(`'sha256-${hash}'`));
    assert.equal(headers['x-content-type-options'], 'nosniff');
  });

  it('escapes what comes from settings', async (t) => {
    const { problemPages } = await import('../../src/http/problem-pages.ts');
    const [index] = problemPages('https://x.test/"><script>');
    const { server } = sample(t, {}, index ? [{ ...index, path: '/other' }] : []);
    assert.doesNotMatch((await server.inject({ url: '/v1/other', headers: { accept: 'text/html' } })).body, /<script>/);
  });
});
