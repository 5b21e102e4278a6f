// Which test files share a process: none that could leave something to the others, and each file runs once.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { filesEverySecondRun, filesLeftToGate, filesOnOneEngine } from '../../tools/files-left-to-gate.ts';
import {
  entriesOf,
  groupOf,
  longestFirst,
  type Scope,
  type TestRun,
  testPlan,
  workerTests,
} from '../../tools/test-plan.ts';

const whole: TestRun = { onServer: false, gateSeed: null };

describe('the plan of the tests', () => {
  it('has each file once', () => {
    const { together, long, alone, attacks } = testPlan('all', whole);
    const planned = [...Object.values(together).flat(), ...long, ...alone, ...attacks];
    const all = globSync('test/**/*.test.ts', { cwd: new URL('../../', import.meta.url) });
    assert.deepEqual(planned.toSorted(), all.filter((path) => !path.startsWith('test/browser/')).toSorted());
    for (const files of Object.values(together)) assert.ok(files.length > 5);
  });

  it('begins with what takes longest, and has the rest behind', () => {
    const plan = testPlan();
    const entries = entriesOf(plan);
    assert.deepEqual(entries.slice(0, longestFirst.length), longestFirst);
    const grouped = entries.filter((entry) => entry.startsWith('test/together/'));
    const others = entries.filter((entry) => !grouped.includes(entry));
    assert.equal(grouped.length, Object.keys(plan.together).length);
    assert.deepEqual(others.toSorted(), [...plan.long, ...plan.alone].toSorted());
  });

  it('lets files of a folder share a process, and those that need every engine', () => {
    assert.equal(groupOf('test/model/sort.test.ts', "it('sorts', () => undefined);\n"), 'pure');
    assert.equal(groupOf('test/carriers/dpd/dpd.test.ts', ''), 'carriers');
    const imported = "import { type EngineUnderTest, allEngines } from '../contract/engines.ts';\n";
    assert.equal(groupOf('test/auth/any.test.ts', imported), 'engines');
    assert.equal(groupOf('test/store/any.test.ts', imported), 'store');
    assert.equal(groupOf('test/auth/any.test.ts', imported.replace('allEngines', 'engines')), 'auth');
    assert.equal(groupOf('test/api/any.test.ts', "t.mock.method(store, 'read');\n"), 'api');
    assert.equal(groupOf('test/growth/any.test.ts', ''), null);
  });

  it('has on a server those that storage has a part in, in the same groups', () => {
    const [all, some] = [testPlan(), testPlan('of storage', whole)];
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
    const once = workerTests(whole);
    assert.ok(once.includes('test/api/lists.test.ts'));
    const filesOf = (scope: Scope): readonly string[] => {
      const { together, long, alone } = testPlan(scope, whole);
      return [...Object.values(together).flat(), ...long, ...alone];
    };
    assert.deepEqual([...filesOf('of the gate'), ...once].toSorted(), filesOf('all').toSorted());
    assert.deepEqual(
      filesOf('of storage').filter((file) => once.includes(file)),
      [],
    );
  });

  it('leaves to the gate what is named, which runs all of it, and no whole group', () => {
    const filesOf = (scope: Scope): readonly string[] => {
      const { together, long, alone } = testPlan(scope, whole);
      for (const files of Object.values(together)) assert.ok(files.length > 5);
      return [...Object.values(together).flat(), ...long, ...alone];
    };
    const all = filesOf('all');
    assert.deepEqual([...filesOf('of npm test'), ...filesLeftToGate].toSorted(), all.toSorted());
    const ofGate = filesOf('of the gate');
    for (const file of filesLeftToGate) assert.ok(ofGate.includes(file), file);
  });

  it('has in turn in the gate what is alike on both engines, and a third of the other attacks', () => {
    const runs = (seed: number): readonly TestRun[] => [false, true].map((onServer) => ({ onServer, gateSeed: seed }));
    const attacks = testPlan('all', whole).attacks;
    const onServer = testPlan('all', { ...whole, onServer: true }).attacks;
    assert.ok(onServer.length >= 5 && attacks.length > 2 * onServer.length);
    const tried = new Set<string>();
    for (const seed of [0, 1, 2, 3, 4, 5]) {
      const [here, there] = runs(seed).map((run) => workerTests(run));
      assert.deepEqual([...(here ?? []), ...(there ?? [])].toSorted(), workerTests(whole).toSorted());
      const found = runs(seed).map((run) => testPlan('all', run).attacks);
      for (const [index, files] of found.entries()) for (const file of files) tried.add(`${index} ${file}`);
      assert.ok(found.flat().length < attacks.length, `${found.flat().length} of ${attacks.length}`);
    }
    const all = [...attacks.map((file) => `0 ${file}`), ...onServer.map((file) => `1 ${file}`)];
    assert.deepEqual([...tried].toSorted(), all.toSorted());
  });

  it('has on a server in the gate what storage does each time, and half of what is asked over HTTP', () => {
    const filesOf = (run: TestRun): readonly string[] => {
      const { together, long, alone } = testPlan('of storage', run);
      return [...Object.values(together).flat(), ...long, ...alone];
    };
    const all = filesOf({ onServer: true, gateSeed: null });
    const [one = [], other = []] = [4, 7].map((gateSeed) => filesOf({ onServer: true, gateSeed }));
    assert.deepEqual([...new Set([...one, ...other])].toSorted(), all.toSorted());
    const always = all.filter((file) => one.includes(file) && other.includes(file));
    const inTurn = (file: string): boolean =>
      /^test\/(api|auth|platform)\//.test(file) || filesOnOneEngine.includes(file);
    for (const file of all.filter((each) => !inTurn(each))) assert.ok(always.includes(file), file);
    assert.ok(always.includes('test/api/crash.test.ts') && always.length < all.length - 10, `${always.length}`);
  });

  it('has in turn in the gate what takes longest: on one engine of two, or every second time', () => {
    const filesOf = (onServer: boolean, gateSeed: number | null): readonly string[] => {
      const { together, long, alone } = testPlan(onServer ? 'of storage' : 'of the gate', { onServer, gateSeed });
      return [...Object.values(together).flat(), ...long, ...alone];
    };
    for (const seed of [6, 7]) {
      const [here, there] = [filesOf(false, seed), filesOf(true, seed)];
      for (const file of filesOnOneEngine) assert.notEqual(here.includes(file), there.includes(file), file);
    }
    const [one, other] = [filesOf(false, 6), filesOf(false, 7)];
    for (const file of [...filesOnOneEngine, ...filesEverySecondRun])
      assert.notEqual(one.includes(file), other.includes(file), file);
    assert.deepEqual([...new Set([...one, ...other])].toSorted(), filesOf(false, null).toSorted());
    const turns = /\b(onOtherEngine|isInTurn|notInTurn|notInThisRun)\(/;
    for (const file of [...filesOnOneEngine, ...filesEverySecondRun]) {
      assert.ok(filesLeftToGate.includes(file), file);
      // Two turns could exclude each other for ever.
      assert.doesNotMatch(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'), turns, file);
    }
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
