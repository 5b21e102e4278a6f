// Determines which test files share a process and which get one of their own.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { filesEverySecondRun, filesLeftToGate, filesOnOneEngine } from './files-left-to-gate.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * Files that share a process, by the name of their entry in `test/together/`. `properties` are those of storage with
 * random values, `engines` the others outside of `test/store/` that run on each engine. Node keeps what tests hold
 * until their process ends, and looks through it time and again: no group is larger than it need be.
 */
const groups = [
  'store',
  'engines',
  'api',
  'platform',
  'properties',
  'commands',
  'auth',
  'clients',
  'demo',
  'carriers',
  'http',
  'pure',
] as const;
export type Group = (typeof groups)[number];

/**
 * All files; all but those that `npm test` leaves to the gate; only those that involve storage, because the others
 * would do the same again on a PostgreSQL server; or those that the gate runs on SQLite. In the two latter cases
 * `workerTests` run against a program of several workers, and need not run against one in their own process too.
 */
export type Scope = 'all' | 'of npm test' | 'of storage' | 'of the gate';

interface Plan {
  /** Files of each group in order, relative to the root of the project. */
  readonly together: Readonly<Record<Group, readonly string[]>>;
  /** Files with repeated rounds that share no process: they take longest of all. */
  readonly long: readonly string[];
  /** All others except attacks and browser tests, each in a process of its own. */
  readonly alone: readonly string[];
  /**
   * They measure, or wait for something with a time limit: nothing may run beside them. With `TEST_DATABASE_URL` only
   * those that involve storage. They run in one process, one after another, because they share the database that they
   * copy.
   */
  readonly attacks: readonly string[];
}

/**
 * Folders whose tests are functions of values, or talk to servers that they start and stop in each test. Loading the
 * program takes longer than running most of these files.
 */
const wholeFolders: readonly (readonly [RegExp, Group])[] = [
  [/^test\/commands\//, 'commands'],
  [/^test\/demo\//, 'demo'],
  [/^test\/(auth\/clients|client)\//, 'clients'],
  [/^test\/auth\//, 'auth'],
  [/^test\/api\//, 'api'],
  [/^test\/platform\//, 'platform'],
  [/^test\/store\//, 'store'],
  [/^test\/(http|documents|feeds|jobs|simulators|backup|workers)\//, 'http'],
  [/^test\/(carriers|shipping)\//, 'carriers'],
  [/^test\/(model|resources|contract|config|console|tools)\//, 'pure'],
];
/** With these, tests start the one in-memory PostgreSQL of their process. */
const importOfAllEngines =
  /import \{[^}]*\b(allEngines|enginesAboveStorage|enginePairs)\b[^}]*\} from '[^']*\/contract\/engines\.ts'/;
/**
 * Anything that one test could leave to the next, or measure of it, requires a process of its own: changes of the
 * environment, of built-in objects and of signals, memory and processor time of the process, its children, directly or
 * through a helper, and what the process remembers of requests. The mocks of a test (`t.mock`) end with it.
 */
const needsOwnProcess: readonly RegExp[] = [
  /\bprocess\.(on|once|emit|exit|exitCode|abort|kill|chdir|umask|memoryUsage|cpuUsage|resourceUsage)\b/,
  /\bprocess\.env(\.\w+|\[[^\]]+\]) =[^=]|\bdelete process\.env/,
  /\bglobalThis\.\w+ =[^=]|\.prototype\.\w+ =[^=]|\bsyncBuiltinESMExports\b|\bsetFlagsFromString\b/,
  /import \{[^}]*\bmock\b[^}]*\} from 'node:test'/,
  /\breaderProcesses\b|['"](node:)?(child_process|worker_threads|cluster)['"]/,
  /from '[^']*\/(own-process|server-process|killed-server|load)\.ts'/,
  /import \{[^}]*\bareShortWritesExpected\b/,
];
/** With the rounds of the gate, such a file takes long, and others would wait for it. */
const longInGate = /\b(rounds|seeds)Anywhere\(|\bseedsOf\(\d+_?000\b/;
const hasRounds = /\b(rounds(Anywhere|On)?|seeds(Of|Anywhere)|stridesOf)\(/;
/**
 * Tests for each engine, and tests with a server of their own. A test that uses one engine of several does not need the
 * server.
 */
const usesServer = /\bof (engines|enginePairs)\b|\b(allEngines|enginesAboveStorage|TEST_DATABASE_URL)\b/;
/** Its tests differ between engines, or are about storage. */
const forServerAlone = /\b(allEngines|enginesAboveStorage|enginePairs|TEST_DATABASE_URL)\b/;
/** Hooks outside of any suite would run for all files of the group. */
const hookOfFile = /^(before|after|beforeEach|afterEach)\(/m;

/**
 * A proxy takes a server that gets no processor time for a second for an unavailable one; a write is undone after half
 * a minute.
 */
const attack = /^test\/(attack\/|(deploy\/rolling-restart|api\/largest-articles)\.test\.ts$)/;
const attackOnStorage =
  /^test\/(attack\/(account|imports|long-reads|neighbours|walks)|deploy\/rolling-restart|api\/largest-articles)\./;

/**
 * Files that take a quarter of a minute or more, working or waiting, longest first: started late, they would be left
 * alone at the end.
 */
export const longestFirst: readonly string[] = [
  ...['commands', 'demo', 'store', 'auth', 'api', 'platform'].map((group) => entryOf(group)),
  'test/api/crash.test.ts',
  'test/workers/serve.test.ts',
  ...['engines', 'properties'].map((group) => entryOf(group)),
  'test/backup/s3-documents.test.ts',
  'test/deploy/proxies.test.ts',
  'test/workers/agreement.test.ts',
  'test/upgrade/upgrade.test.ts',
  ...['http', 'carriers'].map((group) => entryOf(group)),
  'test/telemetry/telemetry.test.ts',
  ...['full-output', 'backup'].map((name) => `test/commands/${name}.test.ts`),
  ...['folder/folder', 'import'].map((name) => `test/feeds/${name}.test.ts`),
];

/** The file that runs a group. */
function entryOf(group: string): string {
  return `test/together/${group}.ts`;
}

/** What is run for a plan, each in a process of its own, in starting order. */
export function entriesOf({ together, long, alone }: Plan): readonly string[] {
  const grouped = groups.filter((group) => together[group].length > 0).map((group) => entryOf(group));
  const place = (entry: string): number => longestFirst.indexOf(entry) + 1 || longestFirst.length + 1;
  return [...grouped, ...long, ...alone].toSorted((a, b) => place(a) - place(b));
}

/** These use the application of `running-app.ts` only in ways that do not need it in their own process. */
const overWire: readonly RegExp[] = [
  /^test\/api\/(lists|submit-articles|upload-document|cross-tenant|withdrawal|gtin-lengths)\.test\.ts$/,
  /^test\/api\/look-alike-activities\.test\.ts$/,
  /^test\/platform\/(outbox|consumers|roles)\.test\.ts$/,
];

/** The engine that tests run on, and the selection of a gate run. */
export interface TestRun {
  readonly onServer: boolean;
  /** `TEST_SEED`; null: everything that the gate runs in rotation is run. */
  readonly gateSeed: number | null;
}

function thisRun(): TestRun {
  const { TEST_DATABASE_URL: url, TEST_ROUNDS: rounds, TEST_SEED: seed } = process.env;
  return { onServer: url !== undefined, gateSeed: rounds === 'gate' ? Number(seed ?? 0) : null };
}

/**
 * Tests over HTTP of what every engine must do: with `TEST_WORKERS` they use a program with that number of workers.
 * Each gets a process of its own. A gate run runs each of them on one engine.
 */
export function workerTests(run: TestRun = thisRun()): readonly string[] {
  return testFiles().filter(isOverWire).filter(onThisEngine(run));
}

function isOverWire(file: string): boolean {
  return overWire.some((pattern) => pattern.test(file));
}

function onThisEngine({ onServer, gateSeed }: TestRun): (file: string, index: number) => boolean {
  return (_file, index) => gateSeed === null || (index + gateSeed) % 2 === Number(onServer);
}

/** All; in a gate run, those of storage on one engine, and a third of the rest. */
function attacksOf(files: readonly string[], run: TestRun): readonly string[] {
  const { onServer, gateSeed } = run;
  const byItself = files.filter((file) => file.startsWith('test/deploy/'));
  const ofStorage = files.filter((file) => attackOnStorage.test(file) && !byItself.includes(file));
  const others = onServer ? [] : files.filter((file) => !attackOnStorage.test(file));
  const inTurn = others.filter((_file, index) => gateSeed === null || (index + gateSeed) % 3 === 0);
  return [...ofStorage.filter(onThisEngine(run)), ...inTurn, ...byItself];
}

/** Divides the test files; a new file needs no entry anywhere. */
export function testPlan(scope: Scope = 'all', run: TestRun = thisRun()): Plan {
  const together: Record<Group, string[]> = {
    commands: [],
    auth: [],
    clients: [],
    api: [],
    platform: [],
    demo: [],
    store: [],
    engines: [],
    properties: [],
    http: [],
    carriers: [],
    pure: [],
  };
  const [long, alone]: [string[], string[]] = [[], []];
  const files = testFiles();
  for (const file of files.filter((each) => !attack.test(each))) {
    const text = readFileSync(root + file, 'utf8');
    if (!isIn(scope, file, text) || !isInRun(scope, file, run)) continue;
    if (scope === 'of storage' && !hasServerNow(file, text, files.indexOf(file), run)) continue;
    const group = groupOf(file, text);
    if (group !== null) together[group].push(file);
    else if (hasRounds.test(text)) long.push(file);
    else alone.push(file);
  }
  return {
    together,
    long,
    alone,
    attacks: attacksOf(
      files.filter((file) => attack.test(file)),
      run,
    ),
  };
}

function isIn(scope: Scope, file: string, text: string): boolean {
  if (scope === 'all') return true;
  if (scope === 'of npm test') return !filesLeftToGate.includes(file);
  if (isOverWire(file)) return false;
  return scope === 'of the gate' || (usesServer.test(text) && !file.startsWith('test/tools/'));
}

/** What the gate has in turn, beside what `hasServerNow` says. */
function isInRun(scope: Scope, file: string, { onServer, gateSeed }: TestRun): boolean {
  if (gateSeed === null || (scope !== 'of the gate' && scope !== 'of storage')) return true;
  const oneEngine = filesOnOneEngine.indexOf(file);
  if (oneEngine >= 0) return (oneEngine + gateSeed) % 2 === Number(onServer);
  const second = filesEverySecondRun.indexOf(file);
  return second < 0 || (second + gateSeed) % 2 === 0;
}

/**
 * The tests of storage itself run on a server each time, but for those of `isInRun`. Tests over HTTP then behave alike
 * on both engines: a gate run runs half of them there, and all of them on SQLite.
 */
function hasServerNow(file: string, text: string, index: number, { gateSeed }: TestRun): boolean {
  const isAlike =
    /^test\/(api|auth|platform)\//.test(file) && !forServerAlone.test(text) && !filesOnOneEngine.includes(file);
  return !isAlike || gateSeed === null || (index + gateSeed) % 2 === 0;
}

/** @param text of the file @param inGate see test/contract/rounds.ts */
export function groupOf(file: string, text: string, inGate = process.env.TEST_ROUNDS !== undefined): Group | null {
  if ([...needsOwnProcess, hookOfFile].some((pattern) => pattern.test(text))) return null;
  if (inGate && longInGate.test(text)) return null;
  if (importOfAllEngines.test(text))
    return hasRounds.test(text) ? 'properties' : file.startsWith('test/store/') ? 'store' : 'engines';
  return wholeFolders.find(([folder]) => folder.test(file))?.[1] ?? null;
}

function testFiles(): readonly string[] {
  return globSync('test/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('test/browser/'))
    .toSorted();
}
