// Checks that no two files of src, and no two exports, use one name for different things.
import { projectFiles } from './check-imports.ts';

/** Names exported in their declaration. */
const declaration =
  /^export (?:declare |abstract |async )*(?:const enum|function\*?|const|let|class|interface|type|enum) (\w+)/gm;

/**
 * Files whose folder completes their name: `commands/feed/list.ts` is the command `feed list`. Adapters of carriers
 * have the same structure on purpose; a description is named after what it describes, the page of a sign-in after its
 * step.
 */
const namedByFolder = [
  /^src\/carriers\/\w+\//,
  /^src\/commands\//,
  /\/descriptions\//,
  /^src\/store\/(tables|migrations)\//,
  /^src\/auth\/(pages|account)\//,
  /\/index\.ts$/,
];

/** File names that two parts share because each describes the same of its own part. */
const sharedFiles: Readonly<Record<string, string>> = {
  'access-token.ts': 'tokens of OAuth: those that are given here, and those that carriers give',
  'dictionary.ts': 'the dictionary of codes: its format, and that of the demonstration',
  'metrics.ts': 'the numbers of each part',
  'open.ts': 'opens storage: of records, of documents',
  'openapi-routes.ts': 'the routes by which an interface describes itself',
  'routes.ts': 'the route table of an interface',
};

/**
 * The vocabularies in which tables of columns, fields, settings, rules and schemas are written: each belongs to its own
 * table.
 */
const vocabularies = [
  'src/config/setting-kinds.ts',
  'src/feeds/mapping/shape.ts',
  'src/platform/schema-parts.ts',
  'src/resources/fields.ts',
  'src/store/table.ts',
];

/**
 * Finds names that are used for two things.
 * @param files text by path from the root of the project, such as `src/api/lists.ts`
 * @returns a line for each name
 */
export function doubleNames(files: ReadonlyMap<string, string>): readonly string[] {
  const source = [...files].filter(([path]) => path.startsWith('src/'));
  const paths = source.map(([path]) => path).filter((path) => !namedByFolder.some((folder) => folder.test(path)));
  const exported = source
    .filter(([path]) => !namedByFolder.slice(0, 1).some((folder) => folder.test(path)))
    .filter(([path]) => !/\/(descriptions|migrations)\//.test(path) && !vocabularies.includes(path))
    .flatMap(([path, text]) => [...text.matchAll(declaration)].map(([, name = '']) => ({ name, path })));
  return [
    ...several(paths.map((path) => ({ name: path.replace(/^.*\//, ''), path })))
      // The storage of a subject is in a file with the same name as the subject above it.
      .filter(({ name, places }) => !(name in sharedFiles) && !isOneSubject(places))
      .map(({ name, places }) => `${places.join(', ')}: two files are called ${name}`),
    ...several(exported).map(({ name, places }) => `${places.join(', ')}: two things are called ${name}`),
  ];
}

function several(
  found: readonly { readonly name: string; readonly path: string }[],
): readonly { readonly name: string; readonly places: readonly string[] }[] {
  return [...Map.groupBy(found, ({ name }) => name)]
    .filter(([, places]) => places.length > 1)
    .map(([name, places]) => ({ name, places: places.map(({ path }) => path) }));
}

function isOneSubject(places: readonly string[]): boolean {
  return places.length === 2 && places.some((path) => /^src\/store\/[^/]+$/.test(path));
}

if (import.meta.main) {
  const findings = doubleNames(projectFiles(new URL('../', import.meta.url).href));
  for (const finding of findings) console.error(finding);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
