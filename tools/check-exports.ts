// Checks that every export of src is used in another file: of src, or a test, tool, benchmark, simulator.
import { projectFiles } from './check-imports.ts';

/** Names exported in their declaration. */
const declaration =
  /^export (?:declare |abstract |async )*(?:const enum|function\*?|const|let|class|interface|type|enum) (\w+)/gm;
/** What a file imports from another one: names in braces, or everything. */
const taken =
  /\b(?:import|export)\s+(?:type\s+)?(?:\w+\s*,\s*)?(?:\{([^}]*)\}|(\*)(?:\s+as\s+\w+)?)\s*from\s*'(\.[^']+)'/g;
/** Files that are imported dynamically, and types that are named in place: all of their names count as used. */
const loaded = /\bimport\(\s*'(\.[^']+)'/g;
/** Frozen steps export whatever they created. */
const free = [/^src\/store\/migrations\//];

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
    for (const [, target = ''] of text.matchAll(loaded)) used.add(`${from(target)} *`);
  }
  return [...files]
    .filter(([path]) => path.startsWith('src/') && !used.has(`${path} *`) && !free.some((names) => names.test(path)))
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
