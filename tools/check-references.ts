// Checks that everything that comments, tests and pages refer to exists: decisions, clauses of the interface, pages,
// files, names of the code.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** The page of the interface's clauses, each under a heading that begins with its number. */
const interfacePage = 'docs/interface.md';
/** The page of the decisions that settle what the interface leaves open: headings begin with D and a number. */
const openPointsPage = 'docs/decisions/interface.md';
/** Its references are invented. */
const ownTest = 'test/tools/check-references.test.ts';

/** One reference: its position in the text of its file, and why it does not resolve. */
interface Finding {
  readonly at: number;
  readonly reason: string;
}

/** The possible targets of references. */
interface Known {
  /** `17` for a page of its own, `D13` for a heading. */
  readonly decisions: ReadonlySet<string>;
  /** `4` or `4.8`. */
  readonly clauses: ReadonlySet<string>;
  /** Anchors of a Markdown file, by path. */
  readonly anchors: ReadonlyMap<string, ReadonlySet<string>>;
  /** Whether a file or folder exists, by path from the root. */
  readonly exists: (path: string) => boolean;
  /** Every word of the code. */
  readonly words: ReadonlySet<string>;
}

/**
 * Finds references that do not resolve.
 * @param files text by path from the root of the project, such as `src/api/lists.ts`; including all Markdown files
 * @param exists whether a file or folder exists, by path from the root
 * @returns a line for each finding: the place and the fault
 */
export function referenceFindings(
  files: ReadonlyMap<string, string>,
  exists: (path: string) => boolean,
): readonly string[] {
  const known = knownIn(files, exists);
  return [...files].flatMap(([path, text]) => {
    const found = [
      ...decisionFindings(text, known),
      ...clauseFindings(text, known),
      ...pageFindings(text, known),
      ...sourceFindings(text, known),
      ...nameFindings(path, text, known),
    ];
    if (path.endsWith('.md')) found.push(...linkFindings(path, text, known));
    return found
      .toSorted((one, other) => one.at - other.at)
      .map(({ at, reason }) => `${path}:${lineOf(text, at)}: ${reason}`);
  });
}

function knownIn(files: ReadonlyMap<string, string>, exists: Known['exists']): Known {
  const pages = [...files.keys()].flatMap((path) => /^docs\/decisions\/(\d{4})-[^/]+\.md$/.exec(path)?.[1] ?? []);
  const headed = headingsOf(files.get(openPointsPage) ?? '').flatMap((heading) => /^D\d+\b/.exec(heading)?.[0] ?? []);
  const clauses = headingsOf(files.get(interfacePage) ?? '').flatMap(
    (heading) => /^\d+(?:\.\d+)?/.exec(heading)?.[0] ?? [],
  );
  const markdown = [...files].filter(([path]) => path.endsWith('.md'));
  return {
    decisions: new Set([...pages.map((number) => String(Number(number))), ...headed]),
    clauses: new Set(clauses),
    anchors: new Map(markdown.map(([path, text]) => [path, anchorsOf(text)])),
    exists,
    words: new Set([...files].flatMap(([path, text]) => (isCode(path) ? (codeOf(text).match(/\w+/g) ?? []) : []))),
  };
}

/** White space, including the break between two lines of a comment. */
const gap = String.raw`\s+(?:(?://|\*)\s+)?`;
const between = String.raw`(?:,${gap}and${gap}|,${gap}|${gap}and${gap}|${gap}to${gap})`;
const openPoint = String.raw`D\d{1,2}`;
const clause = String.raw`[1-9]\d*(?:\.\d+)?`;
const openPoints = `${openPoint}(?:${between}${openPoint})*`;
const clauses = `${clause}(?:${between}${clause}(?!\\w))*`;

const decisionReferences: readonly RegExp[] = [
  new RegExp(String.raw`\bdecisions?${gap}(${openPoints})\b`, 'gi'),
  new RegExp(String.raw`\bdecisions${gap}(\d+(?:${between}\d+)*)\b`, 'gi'),
  new RegExp(String.raw`\bdecision${gap}(\d+)\b`, 'gi'),
  new RegExp(String.raw`\((${openPoints})\)`, 'g'),
];
const clauseReferences: readonly RegExp[] = [
  new RegExp(String.raw`\bclauses?${gap}(${clauses})`, 'gi'),
  new RegExp(String.raw`\binterface,?${gap}\(?(?:parts?${gap})?(${clauses})`, 'gi'),
  new RegExp(String.raw`\bparts?${gap}(${clauses})${gap}of${gap}the${gap}interface`, 'gi'),
];

function decisionFindings(text: string, { decisions }: Known): readonly Finding[] {
  return decisionReferences.flatMap((pattern) =>
    missing(text, pattern, decisions).map(({ at, name }) => {
      const place = name.startsWith('D')
        ? `a heading "${name}" in ${openPointsPage}`
        : `a page docs/decisions/${name.padStart(4, '0')}-….md`;
      return { at, reason: `decision ${name} is not there: it wants ${place}` };
    }),
  );
}

function clauseFindings(text: string, { clauses: known }: Known): readonly Finding[] {
  return clauseReferences.flatMap((pattern) =>
    missing(text, pattern, known).map(({ at, name }) => ({
      at,
      reason: `clause ${name} is not there: it wants a heading "${name}" in ${interfacePage}`,
    })),
  );
}

function missing(
  text: string,
  pattern: RegExp,
  known: ReadonlySet<string>,
): readonly { readonly at: number; readonly name: string }[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const names = new Set(namesIn(match[1] ?? ''));
    return [...names].filter((name) => !known.has(name)).map((name) => ({ at: match.index, name }));
  });
}

/** `D10 to D12, D43` → D10, D11, D12, D43; `2.3 to 2.5` gives all three, `1 to 4.2` only its ends. */
function namesIn(list: string): readonly string[] {
  const parts = list.split(new RegExp(`(${between})`));
  return parts.flatMap((part, index) => {
    if (index % 2 === 0) return [part];
    return /\bto\b/.test(part) ? rangeBetween(parts[index - 1] ?? '', parts[index + 1] ?? '') : [];
  });
}

/** The elements between the ends of a range; none if the ends are of different kinds. */
function rangeBetween(first: string, last: string): readonly string[] {
  const [, stem = '', from = ''] = /^(D|\d+\.|)(\d+)$/.exec(first) ?? [];
  const [, sameStem, to = ''] = /^(D|\d+\.|)(\d+)$/.exec(last) ?? [];
  if (stem !== sameStem) return [];
  return Array.from(
    { length: Math.max(0, Number(to) - Number(from) - 1) },
    (_, index) => `${stem}${Number(from) + 1 + index}`,
  );
}

/** Pages named by their path in any file: `docs/operation.md`, or a decision by its number only. */
function pageFindings(text: string, { decisions, exists }: Known): readonly Finding[] {
  return [...text.matchAll(/(?<![\w/.-])docs\/[\w/-]+(?:\.(?:md|json)\b)?/g)].flatMap(({ 0: path, index }) => {
    const number = /^docs\/decisions\/(\d{4})(?![\w-]*\.md$)/.exec(path)?.[1];
    const isThere = number === undefined ? !/\.\w+$/.test(path) || exists(path) : decisions.has(String(Number(number)));
    return isThere ? [] : [{ at: index, reason: `there is no ${path}` }];
  });
}

/** Relative links of a Markdown file, and the anchors that they name. */
function linkFindings(path: string, text: string, { anchors, exists }: Known): readonly Finding[] {
  return [...proseOf(text).matchAll(/\]\(([^()\s]+)\)/g)].flatMap(({ 1: target = '', index }) => {
    // An address, a path of the server, or an address that is inserted when the text is published.
    if (/^(?:[a-z][a-z+.-]*:|\/|\$\{)/i.test(target)) return [];
    const [file = '', anchor] = target.split('#');
    const aim = file === '' ? path : posix.normalize(posix.join(posix.dirname(path), file));
    if (!exists(aim)) return [{ at: index, reason: `the link leads to ${aim}, which is not there` }];
    const isThere = anchor === undefined || (anchors.get(aim)?.has(anchor) ?? true);
    return isThere ? [] : [{ at: index, reason: `the link leads to a heading #${anchor} that ${aim} does not have` }];
  });
}

/** Files and folders named between backticks: relative to the root, or to `src` as in ARCHITECTURE.md. */
function sourceFindings(text: string, { exists }: Known): readonly Finding[] {
  const named = /`((?:[\w-]+\/)+[\w.-]+\.ts|(?:src|simulators|test|tools|docs)\/(?:[\w-]+\/)*)`/g;
  return [...text.matchAll(named)].flatMap(({ 1: path = '', index }) =>
    exists(path) || exists(`src/${path}`)
      ? []
      : [{ at: index, reason: `there is no ${path}, neither here nor under src` }],
  );
}

/** Names of other programs: Kubernetes, npm, the fetch interface, GLS. */
const otherNames = ['preStop', 'optionalDependencies', 'formData', 'linkedDocuments'];

/** Names of code between backticks in comments and pages: those with a capital inside, as `nameFindings` has one. */
function nameFindings(path: string, text: string, { words }: Known): readonly Finding[] {
  if (path === 'CHANGELOG.md') return [];
  const searched = isCode(path) ? commentsOf(text) : path.endsWith('.md') ? proseOf(text) : '';
  return [...searched.matchAll(/`(?:[A-Za-z]\w*\.)?([a-z]+(?:[A-Z][a-z0-9]*)+)(?:\(\))?`/g)].flatMap(
    ({ 1: name = '', index }) =>
      words.has(name) || otherNames.includes(name) ? [] : [{ at: index, reason: `no code has the name ${name}` }],
  );
}

function isCode(path: string): boolean {
  return /\.tsx?$/.test(path);
}

const comment = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm;

/** A text without its comments. */
function codeOf(text: string): string {
  return text.replaceAll(comment, '');
}

/** Comments where they stand, everything else blanked out. */
function commentsOf(text: string): string {
  let end = 0;
  const parts = [...text.matchAll(comment)].flatMap(({ 0: found, index }) => {
    const before = ' '.repeat(index - end);
    end = index + found.length;
    return [before, found];
  });
  return parts.join('');
}

function headingsOf(text: string): readonly string[] {
  return [...proseOf(text).matchAll(/^#{1,6} +(.+?) *$/gm)].map(([, heading = '']) => heading);
}

/** The anchors that Markdown renderers give to headings: lower case, hyphens between words, repeated ones numbered. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const heading of headingsOf(text)) {
    const stem = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    let anchor = stem;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${stem}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Markdown with its code blocks blanked out, so that positions stay the same. */
function proseOf(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, (code) => code.replaceAll(/[^\n]/g, ' '));
}

function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

/** The texts of the project: source, tests, tools and pages. */
function projectTexts(root: URL): ReadonlyMap<string, string> {
  const folders = ['src', 'simulators', 'packages', 'test', 'tools', 'bench', 'deploy', 'docs', '.ci'].filter(
    (folder) => existsSync(new URL(folder, root)),
  );
  const inside = folders.flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, withFileTypes: true })
      .filter((entry) => !/\/(?:node_modules|dist)(?:\/|$)/.test(entry.parentPath))
      .filter((entry) => entry.isFile() && (/\.(tsx?|md|sh|py)$/.test(entry.name) || folder === '.ci'))
      .map(({ parentPath, name }) => posix.relative(root.pathname, posix.join(parentPath, name))),
  );
  const outside = readdirSync(root).filter((name) => name.endsWith('.md'));
  const paths = [...inside, ...outside].filter((path) => path !== ownTest).toSorted();
  return new Map(paths.map((path) => [path, readFileSync(new URL(path, root), 'utf8')]));
}

if (import.meta.main) {
  const root = new URL('../', import.meta.url);
  const findings = referenceFindings(projectTexts(root), (path) => existsSync(new URL(path, root)));
  for (const finding of findings) console.error(finding);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
