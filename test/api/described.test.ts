// What the interface says of itself: the document describes every route and every answer, and other tools find no fault in it.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { InjectOptions } from 'fastify';
import { listEndpoints } from '../../src/api/list-endpoints.ts';
import type { App } from '../../src/app.ts';
import type { Json } from '../../src/http/openapi.ts';
import { assertDescribed } from '../contract/openapi-validator.ts';
import { openApp } from './fixture.ts';

describe('the description of the client interface', () => {
  let app: App;
  let document: Json;
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  const file = join(folder, 'openapi.json');

  before(async () => {
    app = await openApp();
    const { payload } = await app.server.inject('/v1/openapi.json');
    document = JSON.parse(payload);
    writeFileSync(file, payload);
  });
  after(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  /** Sends a request and holds the answer against the document. */
  const ask = async (options: InjectOptions & { readonly url: string }) => {
    const answer = await app.server.inject(options);
    assertDescribed(document, { method: options.method ?? 'GET', path: options.url, status: answer.statusCode, headers: answer.headers, body: answer.payload });
    return answer;
  };

  it('has an operation for each of the nine lists', () => {
    const paths = Object.keys(Object(document.paths));
    for (const { path } of listEndpoints) assert.ok(paths.includes(path), path);
  });

  it('names the addresses of the service and of its authorization server', () => {
    assert.deepEqual(document.servers, [{ url: 'https://logistics.test/v1', description: 'This service.' }]);
    assert.match(JSON.stringify(document), /"authorizationUrl":"https:\/\/login\.logistics\.test\/connect\/authorize"/);
  });

  it('describes its own pages truly, without a token', async () => {
    const pages = ['/v1/openapi.json', '/v1/changelog', '/v1/docs', '/v1/docs/start.js', '/v1/docs/oauth2-redirect.html', '/v1/problems', '/v1/problems/invalid-filter'];
    for (const url of pages) assert.equal((await ask({ url })).statusCode, 200, url);
    const { headers } = await ask({ url: '/v1/openapi.json' });
    const again = await ask({ url: '/v1/openapi.json', headers: { 'if-none-match': String(headers.etag) } });
    assert.equal(again.statusCode, 304);
    assert.equal((await ask({ url: '/v1/changelog', headers: { accept: 'text/plain' } })).headers['content-type'], 'text/plain; charset=utf-8');
  });

  it('describes what refuses a request', async () => {
    const cases: readonly (readonly [options: InjectOptions & { readonly url: string }, status: number])[] = [
      [{ url: '/v1/orders' }, 401],
      [{ url: '/v1/orders', method: 'HEAD' }, 401],
      [{ url: '/v1/orders', method: 'DELETE' }, 405],
      [{ url: '/v1/orders', method: 'OPTIONS' }, 204],
      [{ url: '/v1/nothing' }, 404],
      [{ url: '/v1/problems/nothing' }, 404],
      [{ url: '/v1/docs/nothing' }, 404],
      [{ url: '/v1/openapi.json', headers: { accept: 'image/png' } }, 406],
      [{ url: `/v1/orders?filter=${'x'.repeat(9000)}` }, 414],
    ];
    for (const [options, status] of cases) assert.equal((await ask(options)).statusCode, status, options.url.slice(0, 40));
  });

  it('has no finding under the rules of Spectral', { timeout: 120_000 }, async () => {
    const rules = join(folder, 'spectral.json');
    writeFileSync(rules, '{"extends":["spectral:oas"]}');
    const findings = await run('@stoplight/spectral-cli/dist/index.js', ['lint', file, '--ruleset', rules, '--format', 'json', '--fail-severity', 'hint', '--quiet']);
    assert.deepEqual(JSON.parse(findings), []);
  });

  it('has no finding under the recommended rules of Redocly', { timeout: 120_000 }, async () => {
    const { totals, problems }: { totals: Json; problems: readonly Json[] } = JSON.parse(await run('@redocly/cli/bin/cli.js', ['lint', file, '--extends', 'recommended', '--format', 'json']));
    assert.deepEqual(problems.map(({ ruleId, message }) => `${String(ruleId)}: ${String(message)}`), []);
    assert.deepEqual(totals, { errors: 0, warnings: 0, ignored: 0 });
  });

  /** Output of a checker, which exits 1 when it finds something. */
  const run = async (program: string, parameters: readonly string[]): Promise<string> => {
    const script = fileURLToPath(new URL(`../../node_modules/${program}`, import.meta.url));
    const offline = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NODE_OPTIONS: '' };
    try {
      return (await promisify(execFile)(process.execPath, [script, ...parameters], { env: offline, maxBuffer: 64 << 20, cwd: folder })).stdout;
    } catch (error) {
      const output: unknown = Reflect.get(Object(error), 'stdout');
      if (typeof output === 'string' && output !== '') return output;
      throw error;
    }
  };
});

it('the changelog is the file of that name', async () => {
  const app = await openApp();
  try {
    const { payload } = await app.server.inject('/v1/changelog');
    assert.equal(payload, readFileSync(new URL('../../CHANGELOG.md', import.meta.url), 'utf8'));
  } finally {
    await app.close();
  }
});
