// Runs all tests but attacks and browsers: some files share a process, the others have one each; prints the slowest.
// With paths: the files that begin with one of them, each in a process of its own. With `--server`: those that storage
// has a part in, on the PostgreSQL of `TEST_DATABASE_URL`.
import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import slowestTests from './slowest-tests.ts';
import { groups, testPlan } from './test-plan.ts';

/** Milliseconds for one file or group; the slowest takes a fifth of it. */
const timeout = 900_000;

const wanted = process.argv.slice(2);
const server = wanted.includes('--server');
/** More than there are processors: many a test waits for a file, a lease or another process, and most for a server. */
const concurrency = Math.min(availableParallelism() + (server ? 2 : 1), 8);
const files = wanted.length === 0 ? everything() : server ? onServer() : beginningWith(wanted);
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
  // Those of storage first: the longest are among them.
  return testPlan().onServer.toSorted((one, other) => Number(isOfStorage(other)) - Number(isOfStorage(one)));
}

function isOfStorage(file: string): boolean {
  return file.startsWith('test/store/');
}

function beginningWith(starts: readonly string[]): readonly string[] {
  const { together, alone } = testPlan();
  return [...Object.values(together).flat(), ...alone].filter((file) => starts.some((start) => file.startsWith(start)));
}
