// Installs a peer outside the checkout: its packages according to its lock file, its sources afresh each time.
import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { peerTables } from './tables.ts';

/**
 * Makes a peer ready to start.
 * @param name a folder next to this file
 * @param scripts of its package.json, which are run after the installation
 * @returns the folder to start it in
 */
export function installPeer(name: string, scripts: readonly string[] = []): string {
  const source = join(import.meta.dirname, name);
  const folder = join(cacheFolder, `${name}-${hashOf(source)}`);
  if (!existsSync(folder)) {
    process.stderr.write(`installing ${name} …\n`);
    const partial = `${folder}.partial`;
    rmSync(partial, { recursive: true, force: true });
    mkdirSync(partial, { recursive: true });
    cpSync(source, partial, { recursive: true });
    if (existsSync(join(source, 'package-lock.json')))
      npm(partial, 'ci', '--no-audit', '--no-fund', '--ignore-scripts');
    renameSync(partial, folder);
  }
  cpSync(source, folder, { recursive: true });
  writeFileSync(join(folder, 'tables.json'), JSON.stringify(peerTables));
  for (const script of scripts) npm(folder, 'run', script);
  return folder;
}

/** The installed version of a peer's package. */
export function versionIn(folder: string, name: string): string {
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'),
  );
  return version;
}

/** The environment of a peer: its own settings, and the Node that this program runs with. */
export function peerEnvironment(settings: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const { PATH = '', HOME } = process.env;
  return { PATH: `${dirname(process.execPath)}${delimiter}${PATH}`, HOME, NODE_ENV: 'production', ...settings };
}

const cacheFolder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'logistics-connect-peers');

function npm(folder: string, ...words: readonly string[]): void {
  // Includes local network settings: a proxy, its certificate, another registry.
  const env = { ...process.env, ...peerEnvironment() };
  execFileSync('npm', words, { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] });
}

function hashOf(source: string): string {
  const lock = join(source, 'package-lock.json');
  if (!existsSync(lock)) return 'system';
  return createHash('sha256').update(readFileSync(lock)).digest('hex').slice(0, 12);
}
