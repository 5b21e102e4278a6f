// Runs all tests but attacks and browsers: some files share a process, the others have one each; prints the slowest.
// With paths: the files that begin with one of them, each in a process of its own. With `--server`: those that storage
// has a part in, on the PostgreSQL of `TEST_DATABASE_URL`.
import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import slowestTests from './slowest-tests.ts';
import { groups, testPlan } from './test-plan.ts';

/** One more than there are processors: many a test waits for a file, a lease or another process. */
const concurrency = Math.min(availableParallelism() + 1, 8);
/** Milliseconds for one file or group; the slowest takes a fifth of it. */
const timeout = 900_000;

const wanted = process.argv.slice(2);
const files = wanted.length === 0 ? everything() : wanted.includes('--server') ? onServer() : beginningWith(wanted);
if (files.length === 0) throw new Error(`no test file begins with ${wanted.join(' or ')}`);
const results = run({ files, concurrency, timeout, cwd: fileURLToPath(new URL('../', import.meta.url)) });
results.on('test:fail', ({ todo }) => {
  if (todo === undefined || todo === false) process.exitCode = 1;
});
results.compose(new spec()).pipe(process.stdout);
results.compose(slowestTests).pipe(process.stdout);

function everything(): readonly string[] {
  return [...groups.map((group) => `test/together/${group}.ts`), ...testPlan().alone];
}

function onServer(): readonly string[] {
  if (process.env.TEST_DATABASE_URL === undefined) throw new Error('--server needs TEST_DATABASE_URL');
  return testPlan().onServer;
}

function beginningWith(starts: readonly string[]): readonly string[] {
  const { together, alone } = testPlan();
  return [...Object.values(together).flat(), ...alone].filter((file) => starts.some((start) => file.startsWith(start)));
}
