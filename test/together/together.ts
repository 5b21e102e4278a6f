// Runs the files of a group in this process, one after another.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { type Group, testPlan } from '../../tools/test-plan.ts';

/** Registers the tests of all files of the group. */
export async function runTogether(group: Group): Promise<void> {
  const files = testPlan().together[group];
  assert.ok(files.length > 0, `no file is of the group "${group}"`);
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
}
