// Runs tests: some files share a process, the others have one each; prints the slowest. Without an argument: all except
// attacks and browser tests.
//   PATH …      those whose path begins so, each in a process of its own
//   --server    those that involve storage, on the PostgreSQL of `TEST_DATABASE_URL`, except those of --workers
//   --gate      all except those of --workers, when --server runs as well: in-memory PostgreSQL then adds nothing
//   --workers   those over HTTP, against a program of three workers (`TEST_WORKERS` says how many)
//   --attacks   only the attacks; with `TEST_DATABASE_URL` those that involve storage
//   --browser   those in a browser; `TEST_PART=1/2` says which half of them
//   --brief     prints the progress, what fails, and the duration
//   --only LIST after one of the above: of these the files that the file LIST names, one at a time
// `TEST_CONCURRENCY` says how many processes run tests at a time, when something else runs beside them. `TEST_FAILED`
// names a file that is to be written: the files whose tests failed, for --only.
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { relative } from 'node:path';
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
  /** Somebody named them, and wants to know all that can be said of what fails. */
  readonly named?: true;
  /** Their command-line arguments. */
  readonly argv?: readonly string[];
}

/** Milliseconds for one file or group: what hangs is ended, what is slow is not. */
const timeout = 3_600_000;
const processors = availableParallelism();
/**
 * By default V8 collects garbage in as many threads as there are processors; here each processor has tests of its own
 * to run.
 */
const ofTests = ['--single-threaded-gc'];
/**
 * Of the C library of Linux; others ignore it. A page of memory that is touched for the first time costs up to 20 µs of
 * a processor, and a hash of a password or a database in memory touches thousands: pages are to be large, and what is
 * free again is to be used again instead of being given back.
 */
const allocation = [
  'glibc.malloc.hugetlb=1',
  'glibc.malloc.arena_max=1',
  `glibc.malloc.mmap_threshold=${2 ** 25}`,
  `glibc.malloc.trim_threshold=${2 ** 28}`,
].join(':');
/** Where files run by the hundred, to follow each promise for the sake of a name costs too much. */
const light = `--import=${new URL('./light-tests.ts', import.meta.url).href}`;
/** One more than there are processors: many tests wait for a file, a lease or another process. */
const concurrency = Number(process.env.TEST_CONCURRENCY ?? Math.min(processors + 1, 8));

const usualFolder = process.env.TMPDIR;
const fastFolder = usualFolder === undefined ? memoryFolder() : null;

const [wanted, list] = splitAt(process.argv.slice(2), '--only');
const root = fileURLToPath(new URL('../', import.meta.url));
const part = only(list[0], wanted.includes('--brief') ? everything() : partOf(wanted));
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
  if (first === '--browser') return inBrowser();
  return beginningWith([first, ...more]);
}

function everything(): Part {
  if (process.env.TEST_ROUNDS !== undefined) return { files: entriesOf(testPlan()), concurrency };
  process.env.TEST_QUICK = 'yes';
  process.env.GLIBC_TUNABLES ??= allocation;
  return { files: entriesOf(testPlan('of npm test')), concurrency };
}

function attacks(): Part {
  return { files: ['test/together/attacks.ts'], concurrency: 1, measures: true };
}

function inBrowser(): Part {
  return { files: ['test/together/browser.ts'], concurrency: 1 };
}

/** @param list path of a file with one path a line; undefined: all files of the part */
function only(list: string | undefined, all: Part): Part {
  if (list === undefined) return all;
  return { ...all, files: readFileSync(list, 'utf8').trimEnd().split('\n'), concurrency: 1, named: true };
}

function splitAt(words: readonly string[], word: string): readonly [readonly string[], readonly string[]] {
  const place = words.indexOf(word);
  return place < 0 ? [words, []] : [words.slice(0, place), words.slice(place + 1)];
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
  return measuring.some(isWanted) ? { files, concurrency: 1, measures: true } : { files, concurrency, named: true };
}

function start({ files, concurrency, measures, named, argv = [] }: Part): ReturnType<typeof run> {
  if (fastFolder !== null && measures === undefined) process.env.TMPDIR = fastFolder;
  else if (fastFolder !== null) delete process.env.TMPDIR;
  const execArgv = measures !== undefined ? [] : named !== undefined ? ofTests : [...ofTests, light];
  const results = run({ files, concurrency, timeout, argv, execArgv, cwd: root });
  const failed = new Set<string>();
  results.on('test:fail', ({ todo, file, details, ...event }) => {
    if (todo !== undefined && todo !== false) return;
    process.exitCode = 1;
    // A suite fails with its tests, and the process of a group with those of its files.
    const isOfTests = 'failureType' in details.error && details.error.failureType === 'subtestsFailed';
    // A file that registers tests for others runs none by itself: then what was started is run again.
    const entry = 'entryFile' in event ? String(event.entryFile) : file;
    const again = file !== undefined && /\.test\.\w+$/.test(file) ? file : entry;
    if (again !== undefined && !isOfTests) failed.add(relative(root, again));
  });
  const failedList = process.env.TEST_FAILED;
  if (failedList !== undefined) results.once('end', () => writeFileSync(failedList, [...failed, ''].join('\n')));
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
