// What runs of the gate have in turn: five of them that follow one another try all that there is, and each tries
// enough.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';

interface Tried {
  readonly seeds: readonly number[];
  readonly fewSeeds: readonly number[];
  readonly steps: readonly number[];
  readonly kills: number;
  readonly onSqlite: readonly boolean[];
}

/** What the functions say in a process with these variables; a module reads them once. */
function tried(variables: Readonly<Record<string, string>>): Tried {
  const script = `
    import { onOtherEngine, rounds, seedsOf, stridesOf } from './test/contract/rounds.ts';
    const { first, stride } = stridesOf(2, 5);
    const steps = Array.from({ length: 20 }, (_none, index) => first + index * stride).filter((step) => step <= 20);
    const onSqlite = [onOtherEngine(0) === false, onOtherEngine(1) === false];
    console.log(JSON.stringify(
      { seeds: seedsOf(1000), fewSeeds: seedsOf(4), steps, kills: rounds(10), onSqlite }));`;
  const { TEST_ROUNDS: _rounds, TEST_SEED: _seed, TEST_DATABASE_URL: _url, ...env } = process.env;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module-typescript', '-e', script], {
    cwd: new URL('../../', import.meta.url),
    env: { ...env, ...variables },
    encoding: 'utf8',
  });
  return JSON.parse(stdout || assert.fail(stderr));
}

const upTo = (count: number): readonly number[] => Array.from({ length: count }, (_none, index) => index + 1);

describe('the rounds of tests', () => {
  const ofGate = [0, 1, 2, 3, 4].map((seed) => tried({ TEST_ROUNDS: 'gate', TEST_SEED: String(seed) }));

  it('in the gate are all of them in five runs, none of which has fewer than any other run of the tests', () => {
    const usual = tried({});
    for (const what of ['seeds', 'fewSeeds', 'steps'] as const) {
      const met = new Set(ofGate.flatMap((run) => run[what]));
      assert.deepEqual(
        [...met].toSorted((one, other) => one - other),
        upTo({ seeds: 1000, fewSeeds: 4, steps: 20 }[what]),
      );
      for (const run of ofGate) assert.ok(run[what].length >= usual[what].length, what);
    }
    for (const { seeds, kills } of ofGate) assert.deepEqual([seeds.length, kills], [200, 3]);
  });

  it('on one engine in each run of the gate: one thing here where the other is there', () => {
    for (const [seed, { onSqlite }] of ofGate.entries()) assert.deepEqual(onSqlite, [seed % 2 === 0, seed % 2 === 1]);
    const [server] = [tried({ TEST_ROUNDS: 'gate', TEST_SEED: '0', TEST_DATABASE_URL: 'postgres://any' })];
    assert.deepEqual(server.onSqlite, [false, true]);
  });

  it('are all of them where that is asked for, and nothing that nobody knows', () => {
    const all = tried({ TEST_ROUNDS: 'all', TEST_SEED: '3' });
    assert.deepEqual([all.seeds, all.steps, all.kills, all.onSqlite], [upTo(1000), upTo(20), 10, [true, true]]);
    assert.throws(() => tried({ TEST_ROUNDS: 'some' }), /TEST_ROUNDS is "some": all or gate/);
    assert.throws(() => tried({ TEST_ROUNDS: 'gate', TEST_SEED: 'x' }), /TEST_SEED is "x"/);
  });
});
