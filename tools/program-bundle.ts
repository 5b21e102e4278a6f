// Puts the program into few files, for tests that start it: they start hundreds, and most of what a start takes is to
// find and load a thousand files. What it does is the same; the launcher is left out.
import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const dayMs = 86_400_000;
const folder = join(root, 'node_modules/.cache/logistics-connect-tests');

/** They load files of their own by name, or are loaded only where they are wanted. */
const keptOutside =
  /^(node:|pino|thread-stream|pg\b|@aws-sdk\/|@opentelemetry\/(?!api$)|@fastify\/swagger-ui|@fontsource)/;

/**
 * The file to be run, made once for each state of the sources.
 * @returns its path, beside the packages, where those that stay outside are found
 */
export async function bundledProgram(): Promise<string> {
  const made = join(folder, `program-${stateOfSources()}`);
  if (!existsSync(made)) {
    removeOld();
    await bundle(made);
  }
  return join(made, 'main.mjs');
}

/** Those of yesterday: tests of today may still run one of another state. */
function removeOld(): void {
  for (const path of globSync('program-*', { cwd: folder }).map((name) => join(folder, name)))
    if (Date.now() - statSync(path).mtimeMs > dayMs) rmSync(path, { recursive: true, force: true });
}

/** Two that do so at once make the same. */
async function bundle(made: string): Promise<void> {
  const { build } = await import('vite');
  const own = `${made}.${process.pid}`;
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    plugins: [{ name: 'places of files', enforce: 'pre', transform: (code, id) => withPlace(code, id) }],
    ssr: { noExternal: true },
    build: {
      ssr: true,
      outDir: own,
      target: 'node24',
      minify: false,
      rolldownOptions: {
        input: join(root, 'src/main.ts'),
        external: (id) => keptOutside.test(id),
        treeshake: false,
        output: { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs', keepNames: true },
      },
    },
  });
  try {
    renameSync(own, made);
  } catch (error) {
    rmSync(own, { recursive: true });
    if (!existsSync(made)) throw error;
  }
}

/** What lies beside a file of the program is found where it is. */
function withPlace(code: string, id: string): string | null {
  if (!id.startsWith(root) || id.includes('/node_modules/') || !code.includes('import.meta')) return null;
  return code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)));
}

function stateOfSources(): string {
  const files = [
    'package.json',
    'package-lock.json',
    ...globSync('{src,simulators}/**/*.ts', { cwd: root }).toSorted(),
  ];
  const texts = files.map((file) => `${file}\0${readFileSync(join(root, file), 'utf8')}`);
  return hash('sha256', texts.join('\0'), 'hex').slice(0, 16);
}
