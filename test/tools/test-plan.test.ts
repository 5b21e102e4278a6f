// Which test files share a process: none that could leave something to the others, and each file runs once.
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { describe, it } from 'node:test';
import { groupOf, type Scope, testPlan, workerTests } from '../../tools/test-plan.ts';

describe('the plan of the tests', () => {
  it('has each file once', () => {
    const { together, long, alone, attacks } = testPlan();
    const planned = [...Object.values(together).flat(), ...long, ...alone, ...attacks];
    const all = globSync('test/**/*.test.ts', { cwd: new URL('../../', import.meta.url) });
    assert.deepEqual(planned.toSorted(), all.filter((path) => !path.startsWith('test/browser/')).toSorted());
    for (const files of Object.values(together)) assert.ok(files.length > 5);
  });

  it('lets files of a folder share a process, and those that need every engine', () => {
    assert.equal(groupOf('test/model/sort.test.ts', "it('sorts', () => undefined);\n"), 'pure');
    assert.equal(groupOf('test/carriers/dpd/dpd.test.ts', ''), 'carriers');
    const imported = "import { type EngineUnderTest, allEngines } from '../contract/engines.ts';\n";
    assert.equal(groupOf('test/auth/any.test.ts', imported), 'store');
    assert.equal(groupOf('test/auth/any.test.ts', imported.replace('allEngines', 'engines')), 'auth');
    assert.equal(groupOf('test/api/any.test.ts', "t.mock.method(store, 'read');\n"), 'api');
    assert.equal(groupOf('test/growth/any.test.ts', ''), null);
  });

  it('has on a server those that storage has a part in, in the same groups', () => {
    const [all, some] = [testPlan(), testPlan('of storage')];
    for (const [group, files] of Object.entries(some.together))
      for (const file of files)
        assert.ok(
          Object.entries(all.together).some(([name, own]) => name === group && own.includes(file)),
          file,
        );
    assert.ok(some.together.store.includes('test/store/store.test.ts'));
    assert.deepEqual([some.together.pure, some.together.carriers], [[], []]);
    assert.ok(some.long.includes('test/api/crash.test.ts') && !some.long.includes('test/feeds/folder/kill.test.ts'));
  });

  it('asks over HTTP in the gate with several workers alone', () => {
    const once = workerTests();
    assert.ok(once.includes('test/api/lists.test.ts'));
    const filesOf = (scope: Scope): readonly string[] => {
      const { together, long, alone } = testPlan(scope);
      return [...Object.values(together).flat(), ...long, ...alone];
    };
    assert.deepEqual([...filesOf('of the gate'), ...once].toSorted(), filesOf('all').toSorted());
    assert.deepEqual(
      filesOf('of storage').filter((file) => once.includes(file)),
      [],
    );
  });

  it('keeps apart what has random values, and in the gate what then takes long', () => {
    const imported = "import { allEngines } from '../contract/engines.ts';\n";
    assert.equal(groupOf('test/store/any.test.ts', `${imported}rounds(200)`), 'properties');
    for (const long of ['roundsAnywhere(9)', 'seedsOf(10_000, 500)', 'seedsAnywhere(10)'])
      assert.deepEqual(
        [false, true].map((inGate) => groupOf('test/demo/any.test.ts', long, inGate)),
        ['demo', null],
      );
    assert.equal(groupOf('test/demo/any.test.ts', 'rounds(1000)', true), 'demo');
  });

  it('gives a process of its own to a file that changes or measures the process', () => {
    for (const line of [
      "process.on('worker', () => undefined);",
      "process.env.TZ = 'UTC';",
      'delete process.env.TZ;',
      'process.exit(0);',
      'const { rss } = process.memoryUsage();',
      "import { describe, it, mock } from 'node:test';",
      "import { ownProcess } from './own-process.ts';",
      "import { spawn } from 'node:child_process';",
      'globalThis.fetch = fake;',
      'before(() => start());',
    ])
      assert.equal(groupOf('test/model/any.test.ts', `${line}\n`), null, line);
    assert.equal(groupOf('test/model/any.test.ts', "const seed = process.env.SEED === '1';\n"), 'pure');
  });
});
