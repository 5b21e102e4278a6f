// Runs the files of a group in this process, one after another.
import assert from 'node:assert/strict';
import { flushCompileCache } from 'node:module';
import { after } from 'node:test';
import { type Group, type Scope, testPlan } from '../../tools/test-plan.ts';

/** Registers the tests of all files of the group that are in the scope of the run. */
export async function runTogether(group: Group): Promise<void> {
  await runFiles(testPlan(scope()).together[group]);
}

function scope(): Scope {
  if (process.argv.includes('--server')) return 'of storage';
  if (process.argv.includes('--gate')) return 'of the gate';
  return process.env.TEST_QUICK === undefined ? 'all' : 'of npm test';
}

/** Registers the tests of all these files. */
export async function runFiles(files: readonly string[]): Promise<void> {
  assert.ok(files.length > 0, 'there are no such files');
  let over = false;
  after(() => {
    over = true;
  });
  // Who ends the process early must not make the tests behind look passed.
  process.once('exit', () => {
    if (!over) process.exitCode = 1;
  });
  const environment = JSON.stringify(process.env);
  after(() => assert.equal(JSON.stringify(process.env), environment, 'a test changed the environment of the others'));
  for (const file of files) await import(`../../${file}`);
  // What was compiled here others need not compile: they start long before this process ends, which would keep it too.
  flushCompileCache();
}
