// Checks that every export is used in another file.
import { projectFiles } from './check-imports.ts';

/** Names exported in their declaration. */
const declaration =
  /^export (?:declare |abstract |async )*(?:const enum|function\*?|const|let|class|interface|type|enum) (\w+)/gm;
/** What a file imports from another one: names in braces, or everything. */
const taken =
  /\b(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?(?:\{([^}]*)\}|(\*)(?:\s+as\s+\w+)?)\s*from\s*'(\.[^']+)'/g;
/** A file that is imported dynamically, or whose type is named in place: the importing file names what it uses. */
const loaded = /\bimport\(\s*'(\.[^']+)'/g;
/**
 * Frozen steps export whatever they created; the programs are copied beside a generated client and started there; the
 * exports in the build of the console are those of files that it writes.
 */
const free = [/^src\/store\/migrations\//, /^test\/generated-clients\/programs\//, /^tools\/build-console\.ts$/];

/**
 * Finds exports that nothing outside their own file uses.
 * @param files text by path from the root of the project, such as `src/api/lists.ts`
 * @returns a line for each
 */
export function unusedExports(files: ReadonlyMap<string, string>): readonly string[] {
  const used = new Set<string>();
  for (const [path, text] of files) {
    const from = (target: string): string => new URL(target, `file:///${path}`).pathname.slice(1);
    for (const [, names, , target = ''] of text.matchAll(taken))
      for (const name of names === undefined ? ['*'] : namesIn(names)) used.add(`${from(target)} ${name}`);
    const targets = [...text.matchAll(loaded)].map(([, target = '']) => from(target));
    const words = targets.length === 0 ? [] : (text.match(/\w+/g) ?? []);
    for (const target of targets) for (const word of words) used.add(`${target} ${word}`);
  }
  return [...files]
    .filter(([path]) => !used.has(`${path} *`) && !free.some((names) => names.test(path)))
    .flatMap(([path, text]) =>
      [...text.matchAll(declaration)]
        .map(([, name = '']) => name)
        .filter((name) => !used.has(`${path} ${name}`))
        .map((name) => `${path}: nothing outside uses "${name}": do not export it`),
    );
}

/** `type A, b as c` → A and b. */
function namesIn(list: string): readonly string[] {
  return list
    .split(',')
    .map(
      (item) =>
        item
          .trim()
          .replace(/^type\s+/, '')
          .split(/\s/, 1)[0] ?? '',
    )
    .filter((name) => name !== '');
}

if (import.meta.main) {
  const findings = unusedExports(projectFiles(new URL('../', import.meta.url).href));
  for (const finding of findings) console.error(finding);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
