// The list of files whose tests failed, and running them once more.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('tools/test.ts', { timeout: 900_000 }, () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  const file = (name: string, body: string): string => {
    const path = join(folder, `${name}.test.mjs`);
    writeFileSync(
      path,
      `import { describe, it } from 'node:test'; describe('s', () => { it('t', () => { ${body} }); });`,
    );
    return path;
  };
  const runOnly = (
    paths: readonly string[],
  ): { readonly status: number | null; readonly failed: readonly string[] } => {
    const [list, failed] = [join(folder, 'list'), join(folder, 'failed')];
    writeFileSync(list, `${paths.join('\n')}\n`);
    const { NODE_TEST_CONTEXT: _context, ...variables } = process.env;
    const env = { ...variables, TEST_FAILED: failed, TEST_ROUNDS: 'all' };
    const { status } = spawnSync(process.execPath, ['tools/test.ts', '--gate', '--only', list], { cwd: root, env });
    const lines = readFileSync(failed, 'utf8').split('\n');
    return { status, failed: lines.filter((line) => line !== '').map((line) => basename(line)) };
  };

  it('runs the files of a list, and lists those in which a test failed or that ended early', () => {
    const passing = file('passing', '');
    const failing = file('failing', `throw new Error('wrong')`);
    const ending = file('ending', 'process.exit(3)');
    assert.deepEqual(runOnly([failing, passing, ending]), {
      status: 1,
      failed: [failing, ending].map((path) => basename(path)),
    });
  });

  it('lists the file that was started where another one registered the test that failed', () => {
    const helper = join(folder, 'helper.mjs');
    writeFileSync(
      helper,
      `import { it } from 'node:test'; export default () => it('t', () => { throw new Error(); });`,
    );
    const path = join(folder, 'with-helper.test.mjs');
    writeFileSync(path, `import register from './helper.mjs'; register();`);
    assert.deepEqual(runOnly([path]), { status: 1, failed: [basename(path)] });
  });

  it('lists nothing where all passed', () => {
    assert.deepEqual(runOnly([file('passing', '')]), { status: 0, failed: [] });
  });
});
