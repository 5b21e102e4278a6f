// Bundles the program into few files for tests that start it: they do so hundreds of times, and most of a start is
// spent finding and loading a thousand files. Its behaviour is the same; the launcher is left out.
import { hash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('../', import.meta.url));
const dayMs = 86_400_000;
const folder = join(root, 'node_modules/.cache/logistics-connect-tests');

/** Packages that load files of their own by name, or are loaded only on demand. */
const keptOutside =
  /^(node:|pino|thread-stream|pg\b|@aws-sdk\/|@opentelemetry\/(?!api$)|@fastify\/swagger-ui|@fontsource)/;

/**
 * The file to run, bundled once for each state of the sources.
 * @returns its path, next to the packages, so that those left out of the bundle are found
 */
export async function bundledProgram(): Promise<string> {
  const made = join(folder, `program-${stateOfSources()}`);
  if (!existsSync(made)) {
    removeOld();
    await bundle(made);
  }
  return join(made, 'main.mjs');
}

/** Removes bundles from before today; tests that are running may still use another recent one. */
function removeOld(): void {
  for (const path of globSync('program-*', { cwd: folder }).map((name) => join(folder, name)))
    if (Date.now() - statSync(path).mtimeMs > dayMs) rmSync(path, { recursive: true, force: true });
}

/** Two processes that do this at once produce the same files. */
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

/** Files next to a source file of the program are found in their original place. */
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
