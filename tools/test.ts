// Runs all tests but those with a browser: some files share a process, the others have one each; prints the slowest.
// Of the attacks on a running server some run beside the other tests, the others after them; with `--without-attacks`
// none. With paths: the files that begin with one of them, each in a process of its own. With `--server`: those that
// storage has a part in, on the PostgreSQL of `TEST_DATABASE_URL`.
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import slowestTests from './slowest-tests.ts';
import { groups, testPlan } from './test-plan.ts';

/** One more than there are processors: many a test waits for a file, a lease or another process. */
const usual = Math.min(availableParallelism() + 1, 8);
/** Milliseconds for one file or group; the slowest takes a fifth of it. */
const timeout = 900_000;

const wanted = process.argv.slice(2);
if (wanted.length > 0) await runFiles(chosen(), usual);
else {
  // They wait for two thirds of their time.
  await runFiles(['test/together/attacks.ts', ...everything()], usual + 1);
  await runFiles(['test/together/quiet-attacks.ts'], 1);
}

/** Runs files, so many at a time, and sets the exit code where one fails. */
async function runFiles(files: readonly string[], concurrency: number): Promise<void> {
  if (files.length === 0) throw new Error(`no test file begins with ${wanted.join(' or ')}`);
  const results = run({ files, concurrency, timeout, cwd: fileURLToPath(new URL('../', import.meta.url)) });
  results.on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  });
  results.compose(new spec()).pipe(process.stdout);
  results.compose(slowestTests).pipe(process.stdout);
  await once(results, 'end');
}

function chosen(): readonly string[] {
  if (wanted.includes('--server')) return onServer();
  return wanted.includes('--without-attacks') ? everything() : beginningWith(wanted);
}

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
