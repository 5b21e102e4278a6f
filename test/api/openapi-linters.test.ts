// What other tools say of the descriptions of both interfaces: they find no fault in them.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines } from '../contract/engines.ts';
import { lintFindings } from '../contract/openapi-linters.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';

describe('the descriptions of both interfaces', () => {
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  const files = ['v1', 'platform'].map((name) => join(folder, `${name}.json`));
  let app: RunningApp;

  before(async () => {
    const [engine] = engines;
    assert.ok(engine !== undefined);
    app = await startApp(engine, { PLATFORM_URL: 'https://wms.logistics.example/platform' });
    for (const [index, path] of ['/v1/openapi.json', '/platform/openapi.json'].entries())
      writeFileSync(files[index] ?? '', (await app.get(path, { token: null })).body);
  });
  after(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });

  for (const tool of ['Spectral', 'Redocly'] as const)
    it(`have no finding under the recommended rules of ${tool}`, { timeout: 900_000 }, async () => {
      assert.deepEqual(await lintFindings(tool, files), []);
    });

  it('are all looked at: what is missing in each of them is found', { timeout: 900_000 }, async () => {
    for (const file of files) writeFileSync(file, '{"openapi":"3.1.0","info":{"title":"T","version":"1"},"paths":{}}');
    const found = await lintFindings('Spectral', files);
    for (const name of ['v1.json', 'platform.json'])
      assert.ok(
        found.some((line) => line.startsWith(`${name}: oas3-api-servers: `)),
        found.join(),
      );
  });
});
