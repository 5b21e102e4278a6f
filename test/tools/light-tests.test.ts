// Tests that are run by the hundred: promises are not followed, and an error outside of any test still fails the run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';

const light = new URL('../../tools/light-tests.ts', import.meta.url).href;

describe('a file of tests that runs with tools/light-tests.ts', { timeout: 900_000 }, () => {
  it('has promises that are not followed', () => {
    const { status, said } = runs(`
      await null;
      const first = executionAsyncId();
      await null;
      assert.equal(executionAsyncId(), first);`);
    assert.equal(status, 0, said);
  });

  for (const [where, body] of [
    ['in a promise that nobody awaits', `void Promise.reject(new Error('nobody awaits it')); await sleep(50);`],
    ['in a timer', `setTimeout(() => { throw new Error('nobody awaits it'); }, 5); await sleep(50);`],
  ] as const)
    it(`fails with an error ${where}, and says which`, () => {
      const { status, said } = runs(body);
      assert.equal(status, 1, said);
      assert.match(said, /nobody awaits it/);
    });
});

/** @param body of its one test */
function runs(body: string): { readonly status: number | null; readonly said: string } {
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  const file = join(folder, 'one.test.mjs');
  const imports = `import assert from 'node:assert/strict';
    import { executionAsyncId } from 'node:async_hooks';
    import { it } from 'node:test';
    import { setTimeout as sleep } from 'node:timers/promises';`;
  writeFileSync(file, `${imports} it('one', async () => { ${body} });`);
  const { NODE_TEST_CONTEXT: _context, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, [`--import=${light}`, file], { env, encoding: 'utf8' });
  rmSync(folder, { recursive: true });
  return { status, said: stdout };
}
