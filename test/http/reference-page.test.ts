// The API reference page: nothing of it comes from another host, and its parts are kept by browsers until they change.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { runInNewContext } from 'node:vm';
import { referencePage } from '../../src/http/reference-page.ts';
import { sample } from './sample-server.ts';

const routes = referencePage({ title: 'Parts', baseUrl: 'https://parts.test/v1', authUrl: 'https://login.test' });

/** Hosts that the viewer's script speaks of without loading anything from them: names of standards, links, messages. */
const mentioned = [
  'base',
  'datatracker.ietf.org',
  'example.com',
  'fb.me',
  'github.com',
  'instagram.com',
  'json-schema.org',
  'reactjs.org',
  'redux.js.org',
  'soundcloud.com',
  'spdx.org',
  'spec.openapis.org',
  'swagger.io',
  'twitter.com',
  'vladimirgorej.com',
  'www.facebook.com',
  'www.rfc-editor.org',
  'www.tiktok.com',
  'www.w3.org',
];

/** What the viewer calls for the part that it shows; the answer as JSON, since it is of the script's own realm. */
function resolver(): (description: unknown, path: readonly string[]) => Promise<unknown> {
  const script = readFileSync(new URL('../../src/http/reference-page/local-references.js', import.meta.url), 'utf8');
  const { fn } = runInNewContext(`${script}; localReferences()`);
  return async (description, path) => {
    const { spec, errors } = await fn.resolveSubtree(description, path);
    assert.equal(errors.length, 0);
    return spec === undefined ? undefined : JSON.parse(JSON.stringify(spec));
  };
}

describe('the reference page', () => {
  it('has no part of another name', async (t) => {
    const { server } = sample(t, {}, routes);
    for (const name of ['nothing', 'index.html', '..%2Fpackage.json', 'constructor'])
      assert.equal((await server.inject(`/v1/docs/${name}`)).statusCode, 404, name);
  });

  it('loads nothing but its own parts', async (t) => {
    const { server } = sample(t, {}, routes);
    const { payload, headers } = await server.inject('/v1/docs');
    assert.equal(headers['content-type'], 'text/html; charset=utf-8');
    const addresses = [...payload.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
    assert.ok(addresses.length >= 5);
    for (const address of addresses) assert.match(address, /^(docs\/[\w.-]+\?v=[\w-]+|openapi\.json|data:,)$/);
    for (const address of addresses.filter((one) => one.startsWith('docs/')))
      assert.equal((await server.inject(`/v1/${address}`)).statusCode, 200, address);
  });

  it('resolves the references of an operation, and keeps one that leads to itself', async () => {
    const partOf = resolver();
    const description = {
      paths: { '/trees': { get: { schema: { $ref: '#/components/schemas/A~1Tree', description: 'The oldest.' } } } },
      components: {
        schemas: {
          'A/Tree': {
            properties: { leaf: { $ref: '#/components/schemas/Leaf' }, next: { $ref: '#/components/schemas/A~1Tree' } },
          },
          Leaf: { type: 'string', examples: [{ $ref: 7 }, null] },
        },
      },
    };
    assert.deepEqual(await partOf(description, ['paths', '/trees', 'get']), {
      schema: {
        properties: {
          leaf: { type: 'string', examples: [{ $ref: 7 }, null], $$ref: '#/components/schemas/Leaf' },
          next: { $ref: '#/components/schemas/A~1Tree' },
        },
        description: 'The oldest.',
        $$ref: '#/components/schemas/A~1Tree',
      },
    });
    assert.equal(await partOf(description, ['paths', '/bushes', 'get']), undefined);
  });

  it('resolves every reference of both descriptions, each of which leads to something', async () => {
    for (const name of ['openapi', 'platform-openapi']) {
      const file = new URL(`../../docs/reference/${name}.json`, import.meta.url);
      const description: unknown = JSON.parse(readFileSync(file, 'utf8'));
      const paths = await resolver()(description, ['paths']);
      const text = JSON.stringify(paths);
      assert.match(text, /"\$\$ref":"#\/components\//);
      assert.doesNotMatch(text, /"\$ref":/);
      assert.doesNotMatch(text, /\{"\$\$ref":"[^"]*"\}/, 'a reference to nothing');
    }
  });

  it('is held to that by its policy, the page as well as each part', async (t) => {
    const { server } = sample(t, {}, routes);
    for (const url of ['/v1/docs', '/v1/docs/start.js', '/v1/docs/oauth2-redirect.html']) {
      const policy = String((await server.inject(url)).headers['content-security-policy']);
      const sources = new Map(
        policy
          .split('; ')
          .map((directive) => directive.split(' '))
          .map(([name = '', ...allowed]) => [name, allowed]),
      );
      assert.deepEqual(sources.get('default-src'), ["'none'"]);
      assert.deepEqual(sources.get('script-src'), ["'self'"]);
      assert.deepEqual(sources.get('style-src'), ["'self'"]);
      assert.deepEqual(sources.get('connect-src'), ["'self'", 'https://parts.test', 'https://login.test']);
      const elsewhere = [...sources]
        .filter(([name]) => name !== 'connect-src')
        .flatMap(([, allowed]) => allowed)
        .filter((source) => !["'none'", "'self'", 'data:'].includes(source));
      assert.deepEqual(elsewhere, []);
    }
  });

  it('may be mounted a second time, where nobody signs in', async (t) => {
    const platform = referencePage({ title: 'Platform', baseUrl: 'https://parts.test/platform' }).map((route) => ({
      ...route,
      path: `/platform${route.path}`,
    }));
    const { server } = sample(t, {}, [...routes, ...platform]);
    const { payload, headers } = await server.inject('/v1/platform/docs');
    assert.match(String(headers['content-security-policy']), /connect-src 'self' https:\/\/parts\.test;/);
    for (const [, address = ''] of payload.matchAll(/src="([^"]+)"/g))
      assert.equal((await server.inject(`/v1/platform/${address}`)).statusCode, 200, address);
  });

  it('has a script and style sheets that name no host to load from', async (t) => {
    const { server } = sample(t, {}, routes);
    const script = (await server.inject('/v1/docs/swagger-ui-bundle.js')).payload;
    const hosts = new Set([...script.matchAll(/https?:\/\/([\w.-]+)/g)].map(([, host = '']) => host));
    // The one host that it would send something to, unless it is told not to.
    assert.ok(hosts.delete('validator.swagger.io'));
    assert.match((await server.inject('/v1/docs/start.js')).payload, /validatorUrl: null/);
    assert.deepEqual(
      [...hosts].filter((host) => !mentioned.includes(host)),
      [],
    );
    for (const name of ['swagger-ui.css', 'page.css']) {
      const style = (await server.inject(`/v1/docs/${name}`)).payload;
      assert.doesNotMatch(style, /@import/);
      for (const [, address = ''] of style.matchAll(/url\(["']?([^"')]{0,40})/g)) assert.match(address, /^(data:|#)/);
    }
  });

  it('lets a browser keep a part for good under the address that names its version, and ask elsewhere', async (t) => {
    const { server } = sample(t, {}, routes);
    const { payload } = await server.inject('/v1/docs');
    const address = /docs\/start\.js\?v=[\w-]+/.exec(payload)?.[0] ?? '';
    assert.equal(
      (await server.inject(`/v1/${address}`)).headers['cache-control'],
      'public, max-age=31536000, immutable',
    );
    const { headers } = await server.inject('/v1/docs/start.js?v=other');
    assert.equal(headers['cache-control'], 'no-cache');
    assert.equal(
      (await server.inject({ url: '/v1/docs/start.js', headers: { 'if-none-match': String(headers.etag) } }))
        .statusCode,
      304,
    );
  });

  it('is compressed when asked', async (t) => {
    const { server } = sample(t, {}, routes);
    const { headers } = await server.inject({
      url: '/v1/docs/swagger-ui-bundle.js',
      headers: { 'accept-encoding': 'br' },
    });
    assert.equal(headers['content-encoding'], 'br');
    assert.ok(Number(headers['content-length']) < 600_000);
  });
});
