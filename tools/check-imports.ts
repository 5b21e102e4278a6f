// Checks the layout of the source: which part may import which, who may access the process, names of folders, lengths
// of files and lines.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const records = ['model', 'resources', 'store'];
const parts = [...records, 'http', 'auth', 'feeds', 'carriers', 'documents', 'backup', 'jobs'];
const faces = ['api', 'platform', 'demo'];
/** What both interfaces and the command line share about labels. */
const desk = 'shipping';

/** Part of src → the other parts that it may import. A part is a folder, or a file at the top level. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  model: [],
  resources: ['model'],
  store: ['model'],
  http: ['model'],
  config: ['model', 'resources', 'http', 'auth'],
  auth: ['model', 'store', 'http'],
  feeds: records,
  carriers: ['model', 'resources', 'http'],
  documents: records,
  telemetry: ['model'],
  backup: [...records, 'documents'],
  jobs: [...records, 'feeds', 'carriers', 'documents'],
  shipping: [...records, 'http', 'auth', 'carriers', 'documents'],
  idempotency: ['model', 'store', 'http'],
  api: [...parts, desk, 'idempotency'],
  platform: [...parts, desk, 'idempotency'],
  demo: parts,
  workers: ['model'],
  app: ['config', 'telemetry', ...parts, desk, ...faces],
  commands: ['config', 'app', 'workers', ...parts, desk, ...faces],
  main: ['config', 'app', 'commands', 'workers'],
};

/** Packages that only some parts may use: databases and their language, the HTTP server, the command line. */
const confined: Readonly<Record<string, readonly string[]>> = {
  pg: ['store'],
  'node:sqlite': ['store'],
  fastify: ['http', 'auth', 'app'],
  'oidc-provider': ['auth'],
  commander: ['commands'],
};

/** A file of src → the only file outside src that it may load, dynamically. */
const mayLoad: Readonly<Record<string, string>> = { 'src/commands/carrier-standin.ts': 'simulators/index.ts' };
/** What simulators may use of src: nothing of the adapters that they are meant to test. */
const simulatorsMayImport = /^src\/(model\/.*|carriers\/(json|paris-time|xml\/\w+))\.ts$/;

/** Files for writing statements: the rest of the source accesses storage through named operations only. */
const statementFiles =
  /^src\/store\/(?:statement|table|table-statements|table-creation|sql-dialects|single-statements|tables\/.*)\.ts$/;

const mayReadProcess = ['src/main.ts'];
const namelessNames = /^(utils?|helpers?|common|misc|libs?|shared|managers?|services?|base|impl)(\.ts)?$/;
const maxLines = 300;
/** Definitions and frozen steps are as long as their content requires. */
const mayBeLonger = [/^src\/resources\//, /^src\/store\/migrations\//];
const maxColumns = 120;

/**
 * Finds violations of the rules.
 * @param files text by path from the root of the project, such as `src/api/lists.ts`
 * @returns a line for each finding: the place and the violation
 */
export function layoutFindings(files: ReadonlyMap<string, string>): readonly string[] {
  return [...files].flatMap(([path, text]) => [
    ...nameFindings(path),
    ...lengthFindings(path, text),
    ...columnFindings(path, text),
    ...(path.startsWith('src/') ? sourceFindings(path, text) : []),
    ...(path.startsWith('simulators/') ? simulatorFindings(path, text) : []),
  ]);
}

function nameFindings(path: string): readonly string[] {
  return path
    .split('/')
    .filter((name) => namelessNames.test(name))
    .map((name) => `${path}: "${name}" says nothing of what is in it`);
}

function lengthFindings(path: string, text: string): readonly string[] {
  const lines = text.split('\n').length - 1;
  const free =
    !/^(src|simulators|packages)\//.test(path) ||
    mayBeLonger.some((pattern) => pattern.test(path)) ||
    text.startsWith('// Generated');
  return lines > maxLines && !free ? [`${path}: ${lines} lines, ${maxLines} at most`] : [];
}

function columnFindings(path: string, text: string): readonly string[] {
  return longLines(text).map((line) => `${path}:${line}: longer than ${maxColumns} columns`);
}

/** Numbers of the lines that are too long, not counting addresses. */
function longLines(text: string): readonly number[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      Array.from(line.replaceAll(/https?:\/\/[^\s'"`]+/g, '')).length > maxColumns ? [index + 1] : [],
    );
}

function sourceFindings(path: string, text: string): readonly string[] {
  const part = partOf(path);
  const allowed = mayImport[part];
  const found: string[] =
    allowed === undefined ? [`${path}: tools/check-imports.ts does not know the part "${part}"`] : [];
  for (const [index, line] of text.split('\n').entries()) {
    const place = `${path}:${index + 1}`;
    for (const target of importsIn(line)) {
      if (target.startsWith('.')) found.push(...importFinding(place, part, path, target, line));
      else if (!(confined[packageOf(target)] ?? [part]).includes(part))
        found.push(`${place}: ${part} may not use ${packageOf(target)}`);
    }
    if (!mayReadProcess.includes(path) && readsProcess(line))
      found.push(`${place}: only main.ts reads process.env and process.argv`);
  }
  return found;
}

function importFinding(place: string, part: string, path: string, target: string, line: string): readonly string[] {
  const file = resolved(path, target);
  // Data files such as package.json and CHANGELOG.md belong to no part.
  if (!file.endsWith('.ts')) return [];
  if (!file.startsWith('src/'))
    return file === mayLoad[path] && line.includes('await import(') ? [] : [`${place}: src may not import ${file}`];
  const other = partOf(file);
  if (part !== 'store' && statementFiles.test(file)) return [`${place}: only store writes statements`];
  return other === part || (mayImport[part] ?? []).includes(other) ? [] : [`${place}: ${part} may not import ${other}`];
}

function simulatorFindings(path: string, text: string): readonly string[] {
  return text.split('\n').flatMap((line, index) =>
    importsIn(line)
      .filter((target) => target.startsWith('.'))
      .map((target) => resolved(path, target))
      .filter((file) => !file.startsWith('simulators/') && !simulatorsMayImport.test(file))
      .map((file) => `${path}:${index + 1}: simulators may not import ${file}`),
  );
}

/** The path of an imported file, from the root of the project. */
function resolved(path: string, target: string): string {
  return new URL(target, `file:///${path}`).pathname.slice(1);
}

/** `src/api/lists.ts` → `api`, `src/app.ts` → `app`. */
function partOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.ts$/, '');
}

/** What a line imports or exports from elsewhere; type-only imports count, because they couple parts too. */
function importsIn(line: string): readonly string[] {
  return [...line.matchAll(/(?:^\s*import|\bfrom|\bimport\()\s*['"]([^'"]+)['"]/g)].map(([, target = '']) => target);
}

function packageOf(target: string): string {
  return target.startsWith('node:')
    ? target
    : target
        .split('/')
        .slice(0, target.startsWith('@') ? 2 : 1)
        .join('/');
}

function readsProcess(line: string): boolean {
  return (
    !/^\s*(\/\/|\*|\/\*)/.test(line) && /\bprocess\s*(\.|\[\s*['"])\s*(env|argv)\b|['"](node:)?process['"]/.test(line)
  );
}

/** Every TypeScript file of the project's own folders. */
export function projectFiles(root: string): ReadonlyMap<string, string> {
  const paths = ['src', 'simulators', 'packages', 'test', 'tools', 'bench'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name.replaceAll('\\', '/')}`,
    ),
  );
  return new Map(
    paths
      .filter((path) => /\.tsx?$/.test(path) && !/\/(dist|generated|node_modules)\//.test(path))
      .toSorted()
      .map((path) => [path, readFileSync(new URL(path, root), 'utf8')]),
  );
}

if (import.meta.main) {
  const root = new URL('../', import.meta.url).href;
  const files = projectFiles(root);
  const findings = layoutFindings(files);
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) console.error(`The rules are in ${fileURLToPath(import.meta.url)}.`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
