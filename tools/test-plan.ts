// Which test files run in one process and which in one of their own.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));

/**
 * Files that share a process, by the name of their entry in `test/together/`. `properties` are those of storage with
 * random values.
 */
export const groups = ['store', 'api', 'properties', 'commands', 'auth', 'demo', 'carriers', 'http', 'pure'] as const;
export type Group = (typeof groups)[number];

/**
 * All; those alone that storage has a part in: on a PostgreSQL server the others would do the same again; or those that
 * the gate runs on SQLite. In the two latter `workerTests` ask a program of several workers, and need not ask one in
 * their own process too.
 */
export type Scope = 'all' | 'of storage' | 'of the gate';

export interface Plan {
  /** Files of each group, in their order, relative to the root of the project. */
  readonly together: Readonly<Record<Group, readonly string[]>>;
  /** Those with rounds that share no process: of all files they take longest. */
  readonly long: readonly string[];
  /** All others but attacks and browsers, each in a process of its own. */
  readonly alone: readonly string[];
  /**
   * They measure, or wait for what has a time limit elsewhere: nothing may run beside them. With `TEST_DATABASE_URL`
   * those that storage has a part in. In one process, one after another, because they share the database that they
   * copy.
   */
  readonly attacks: readonly string[];
}

/**
 * Folders whose tests are functions of values, or talk to servers that they start themselves and end with each test. To
 * load the program takes longer than most files take to run.
 */
const wholeFolders: readonly (readonly [RegExp, Group])[] = [
  [/^test\/commands\//, 'commands'],
  [/^test\/demo\//, 'demo'],
  [/^test\/auth\//, 'auth'],
  [/^test\/(api|platform)\//, 'api'],
  [/^test\/store\//, 'store'],
  [/^test\/(http|documents|feeds|jobs|simulators|backup|workers)\//, 'http'],
  [/^test\/carriers\//, 'carriers'],
  [/^test\/(model|resources|contract|config|tools)\//, 'pure'],
];
/** With them tests start the one PostgreSQL in memory that their process has. */
const importOfAllEngines = /import \{[^}]*\b(allEngines|enginePairs)\b[^}]*\} from '[^']*\/contract\/engines\.ts'/;
/**
 * What one test could leave to the next, or measure of it: then the file runs alone. Changes of the environment, of
 * built-in objects and of signals, memory and processor time of the process, its children, directly or by a helper. The
 * mocks of a test (`t.mock`) end with it.
 */
const needsOwnProcess: readonly RegExp[] = [
  /\bprocess\.(on|once|emit|exit|exitCode|abort|kill|chdir|umask|memoryUsage|cpuUsage|resourceUsage)\b/,
  /\bprocess\.env(\.\w+|\[[^\]]+\]) =[^=]|\bdelete process\.env/,
  /\bglobalThis\.\w+ =[^=]|\.prototype\.\w+ =[^=]|\bsyncBuiltinESMExports\b|\bsetFlagsFromString\b/,
  /import \{[^}]*\bmock\b[^}]*\} from 'node:test'/,
  /\breaderProcesses\b|['"](node:)?(child_process|worker_threads|cluster)['"]/,
  /from '[^']*\/(own-process|server-process|killed-server|load)\.ts'/,
];
/** With the rounds of the gate such a file takes long, and others would wait for it. */
const longInGate = /\b(rounds|seeds)Anywhere\(|\bseedsOf\(\d+_?000\b/;
const hasRounds = /\b(rounds(Anywhere|On)?|seeds(Of|Anywhere)|stridesOf)\(/;
/**
 * Tests for each engine, and those with a server of their own. Who takes one engine of several asks nothing of it.
 */
const usesServer = /\bof (allEngines|engines|enginePairs)\b|\ballEngines\b|\bTEST_DATABASE_URL\b/;
/** Its tests differ from engine to engine, or storage is their subject. */
const forServerAlone = /\b(allEngines|enginePairs|TEST_DATABASE_URL)\b/;
/** Hooks outside of any suite would run for all files of the group. */
const hookOfFile = /^(before|after|beforeEach|afterEach)\(/m;

/** A proxy takes a server that has no processor for a second for one that is away. */
const attack = /^test\/(attack\/|deploy\/rolling-restart\.test\.ts$)/;
const attackOnStorage = /^test\/(attack\/(account|imports|long-reads|walks)|deploy\/rolling-restart)\.test\.ts$/;

/**
 * What takes a minute or half of one, the longest first, whether it works or waits: begun late, it would be left alone
 * at the end.
 */
export const longestFirst: readonly string[] = [
  ...['store', 'commands', 'api'].map((group) => entryOf(group)),
  'test/api/crash.test.ts',
  'test/workers/serve.test.ts',
  ...['demo', 'auth', 'properties'].map((group) => entryOf(group)),
  'test/backup/s3-documents.test.ts',
  'test/deploy/proxies.test.ts',
  'test/workers/agreement.test.ts',
  'test/upgrade/upgrade.test.ts',
  ...['http', 'carriers'].map((group) => entryOf(group)),
];

/** The file that runs a group. */
function entryOf(group: string): string {
  return `test/together/${group}.ts`;
}

/** What is run of a plan, each in a process of its own, in the order in which it begins. */
export function entriesOf({ together, long, alone }: Plan): readonly string[] {
  const grouped = groups.filter((group) => together[group].length > 0).map((group) => entryOf(group));
  const place = (entry: string): number => longestFirst.indexOf(entry) + 1 || longestFirst.length + 1;
  return [...grouped, ...long, ...alone].toSorted((a, b) => place(a) - place(b));
}

/** They ask the application of `running-app.ts` for nothing that only one in their own process can do. */
const overWire: readonly RegExp[] = [
  /^test\/api\/(lists|submit-articles|upload-document|cross-tenant|withdrawal|gtin-lengths)\.test\.ts$/,
  /^test\/api\/look-alike-activities\.test\.ts$/,
  /^test\/platform\/(outbox|consumers|roles)\.test\.ts$/,
];

/** On which engine tests run, and what a run of the gate has in turn. */
export interface TestRun {
  readonly onServer: boolean;
  /** `TEST_SEED`; null: what the gate has in turn is all done. */
  readonly gateSeed: number | null;
}

function thisRun(): TestRun {
  const { TEST_DATABASE_URL: url, TEST_ROUNDS: rounds, TEST_SEED: seed } = process.env;
  return { onServer: url !== undefined, gateSeed: rounds === 'gate' ? Number(seed ?? 0) : null };
}

/**
 * Those that ask over HTTP what every engine must do: with `TEST_WORKERS` they ask a program of so many workers. Each
 * in a process of its own. A run of the gate has each of them on one engine.
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

/** All; in a run of the gate those of storage on one engine, and a third of the rest. */
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
    api: [],
    demo: [],
    store: [],
    properties: [],
    http: [],
    carriers: [],
    pure: [],
  };
  const [long, alone]: [string[], string[]] = [[], []];
  const files = testFiles();
  for (const file of files.filter((each) => !attack.test(each))) {
    const text = readFileSync(root + file, 'utf8');
    if (!isIn(scope, file, text)) continue;
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
  if (isOverWire(file)) return false;
  return scope === 'of the gate' || (usesServer.test(text) && !file.startsWith('test/tools/'));
}

/**
 * What storage itself does is tried on a server each time. What is asked over HTTP is alike on both engines then: a run
 * of the gate asks half of it there, and all of it on SQLite.
 */
function hasServerNow(file: string, text: string, index: number, { gateSeed }: TestRun): boolean {
  const isAlike = /^test\/(api|auth|platform)\//.test(file) && !forServerAlone.test(text);
  return !isAlike || gateSeed === null || (index + gateSeed) % 2 === 0;
}

/** @param text of the file @param inGate see test/contract/rounds.ts */
export function groupOf(file: string, text: string, inGate = process.env.TEST_ROUNDS !== undefined): Group | null {
  if ([...needsOwnProcess, hookOfFile].some((pattern) => pattern.test(text))) return null;
  if (inGate && longInGate.test(text)) return null;
  if (importOfAllEngines.test(text)) return hasRounds.test(text) ? 'properties' : 'store';
  return wholeFolders.find(([folder]) => folder.test(file))?.[1] ?? null;
}

function testFiles(): readonly string[] {
  return globSync('test/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => !path.startsWith('test/browser/'))
    .toSorted();
}
