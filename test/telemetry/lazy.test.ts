// Where nothing is to be sent, nothing of what sends it is loaded: it costs time at the start, and memory.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';

/** Packages of OpenTelemetry, but for its interface, that a server loads from its start to its end. */
function loadedBy(t: TestContext, settings: Readonly<Record<string, string>>): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const source = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
  const program = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({
      resolve: (specifier, context, next) => {
        const found = next(specifier, context);
        const [, name] = /@opentelemetry\\/((?!api\\b)[\\w-]+)/.exec(found.url) ?? [];
        if (name !== undefined) loaded.add(name);
        return found;
      },
    });
    const { createApp } = await import(${source('app.ts')});
    const { readConfig } = await import(${source('config.ts')});
    const app = await createApp(readConfig(${JSON.stringify({ PORT: '0', LOG_LEVEL: 'silent', ...settings })}, '.'));
    await app.close();
    process.stdout.write(JSON.stringify([...loaded]));
  `;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program],
    { cwd: folder, encoding: 'utf8' },
  );
  assert.equal(status, 0, stderr);
  const names: readonly string[] = JSON.parse(stdout);
  return names;
}

describe('the library of OpenTelemetry', () => {
  it('is not loaded where no variable asks for it', (t) => {
    assert.deepEqual(loadedBy(t, {}), []);
    assert.deepEqual(loadedBy(t, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' }), []);
  });

  it('is loaded where one does', (t) => {
    const loaded = loadedBy(t, { OTEL_TRACES_EXPORTER: 'console' });
    assert.ok(loaded.includes('sdk-trace'));
    assert.ok(!loaded.some((name) => name.includes('otlp')), loaded.join());
  });
});
