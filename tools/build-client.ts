// Compiles packages/client to JavaScript with type declarations.
//   [--out FOLDER]   instead of packages/client/dist
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('../', import.meta.url));
const { values } = parseArgs({ options: { out: { type: 'string', default: `${root}packages/client/dist` } } });
rmSync(values.out, { recursive: true, force: true });
const compiler = ['node_modules/typescript/bin/tsc', '-p', 'packages/client', '--outDir', values.out];
process.exitCode = spawnSync(process.execPath, compiler, { cwd: root, stdio: 'inherit' }).status ?? 1;
