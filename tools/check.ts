// Runs every check other than tests, one after another, and stops at the first failure.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Name → script and its arguments, from the root of the project. */
const checks: readonly (readonly [name: string, script: string, ...parameters: readonly string[]])[] = [
  ['types', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', '.'],
  ['types of the client', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'packages/client'],
  ['types of the console', 'node_modules/typescript/bin/tsc', '--noEmit', '-p', 'packages/console'],
  [
    'lint and format',
    'node_modules/@biomejs/biome/bin/biome',
    'check',
    '--diagnostic-level=warn',
    '--error-on-warnings',
    '--colors=off',
  ],
  ['layout', 'tools/check-imports.ts'],
  ['exports have users', 'tools/check-exports.ts'],
  ['one name for one thing', 'tools/check-names.ts'],
  ['SQL in storage alone', 'tools/check-sql.ts'],
  ['references', 'tools/check-references.ts'],
  ['generated files', 'tools/gen.ts', '--check'],
  ['generated types of the client', 'tools/gen-client.ts', '--check'],
  ['built console', 'tools/build-console.ts', '--check'],
  ['migrations', 'tools/migration.ts', '--check'],
];

const root = fileURLToPath(new URL('../', import.meta.url));

for (const [name, script, ...parameters] of checks) {
  const start = performance.now();
  const { status, stdout, stderr, error } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, ...parameters],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 },
  );
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  console.log(`${status === 0 ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
  if (status !== 0) {
    console.error([stdout, stderr, error?.message].filter(Boolean).join('\n'));
    process.exit(1);
  }
}
