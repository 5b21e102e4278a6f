// Runs tests: some files share a process, the others have one each; prints the slowest. Without an argument: all except
// attacks and browser tests.
//   PATH …      those whose path begins so, each in a process of its own
//   --server    those that involve storage, on the PostgreSQL of `TEST_DATABASE_URL`, except those of --workers
//   --gate      all except those of --workers, when --server runs as well: in-memory PostgreSQL then adds nothing
//   --workers   those over HTTP, against a program of three workers (`TEST_WORKERS` says how many)
//   --attacks   only the attacks; with `TEST_DATABASE_URL` those that involve storage
//   --brief     prints the progress, what fails, and the duration
// `TEST_CONCURRENCY` says how many processes run tests at a time, when something else runs beside them.
import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { spec, type TestEvent } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';
import { createBriefReport } from './brief-report.ts';
import { memoryFolder } from './memory-folder.ts';
import { bundledProgram } from './program-bundle.ts';
import slowestTests from './slowest-tests.ts';
import { entriesOf, testPlan, workerTests } from './test-plan.ts';

/** Files that run at the same time. */
interface Part {
  readonly files: readonly string[];
  readonly concurrency: number;
  /** They measure the cost of a server, including its disk: their folders are where those of any program are. */
  readonly measures?: true;
  /** Their command-line arguments. */
  readonly argv?: readonly string[];
}

/** Milliseconds for one file or group; the slowest takes a tenth of it. */
const timeout = 1_800_000;
const processors = availableParallelism();
/**
 * By default V8 collects garbage in as many threads as there are processors; here each processor has tests of its own
 * to run.
 */
const ofTests = ['--single-threaded-gc'];
/** One more than there are processors: many tests wait for a file, a lease or another process. */
const concurrency = Number(process.env.TEST_CONCURRENCY ?? Math.min(processors + 1, 8));

const usualFolder = process.env.TMPDIR;
const fastFolder = usualFolder === undefined ? memoryFolder() : null;

const wanted = process.argv.slice(2);
const part = wanted.includes('--brief') ? everything() : partOf(wanted);
// Full rounds, and measurements, use the program as it is delivered.
if (part.measures === undefined && process.env.TEST_ROUNDS !== 'all') process.env.TEST_PROGRAM = await bundledProgram();
if (wanted.includes('--brief')) await runBriefly(part);
else runInFull(part);

function partOf([first, ...more]: readonly string[]): Part {
  if (first === undefined) return everything();
  if (first === '--server') return onServer();
  if (first === '--gate') return besideServer();
  if (first === '--workers') return onWorkers();
  if (first === '--attacks') return attacks();
  return beginningWith([first, ...more]);
}

function everything(): Part {
  process.env.TEST_QUICK = 'yes';
  return { files: entriesOf(testPlan()), concurrency };
}

function attacks(): Part {
  return { files: ['test/together/attacks.ts'], concurrency: 1, measures: true };
}

function onServer(): Part {
  if (process.env.TEST_DATABASE_URL === undefined) throw new Error('--server needs TEST_DATABASE_URL');
  return { files: entriesOf(testPlan('of storage')), concurrency, argv: ['--server'] };
}

function besideServer(): Part {
  process.env.TEST_SERVER_BESIDE = 'yes';
  return { files: entriesOf(testPlan('of the gate')), concurrency, argv: ['--gate'] };
}

/** On the embedded engine; with `TEST_DATABASE_URL` on that server. */
function onWorkers(): Part {
  process.env.TEST_WORKERS ??= '3';
  return { files: workerTests(), concurrency };
}

function beginningWith(starts: readonly string[]): Part {
  const { together, long, alone, attacks: measuring } = testPlan();
  const isWanted = (file: string): boolean => starts.some((start) => file.startsWith(start));
  const files = [...Object.values(together).flat(), ...long, ...alone, ...measuring].filter(isWanted);
  if (files.length === 0) throw new Error(`no test file begins with ${starts.join(' or ')}`);
  return measuring.some(isWanted) ? { files, concurrency: 1, measures: true } : { files, concurrency };
}

function start({ files, concurrency, measures, argv = [] }: Part): ReturnType<typeof run> {
  if (fastFolder !== null && measures === undefined) process.env.TMPDIR = fastFolder;
  else if (fastFolder !== null) delete process.env.TMPDIR;
  const execArgv = measures === undefined ? ofTests : [];
  const cwd = fileURLToPath(new URL('../', import.meta.url));
  const results = run({ files, concurrency, timeout, argv, execArgv, cwd });
  results.on('test:fail', ({ todo }) => {
    if (todo === undefined || todo === false) process.exitCode = 1;
  });
  return results;
}

function runInFull(part: Part): void {
  const results = start(part);
  results.compose(new spec()).pipe(process.stdout);
  results.compose(slowestTests).pipe(process.stdout);
}

async function runBriefly(part: Part): Promise<void> {
  const report = createBriefReport(part.files.length, (text) => process.stdout.write(text));
  const events: AsyncIterable<TestEvent> = start(part);
  for await (const event of events) report.take(event);
  report.end();
}
