// Makes a release: checks, updates version and changelog, runs the gate, commits, tags, and puts the release's files
// into release/VERSION. Nothing leaves this machine. How releases are made: docs/releasing.md.
//   npm run release -- 0.2.0 [--dry-run] [--gate COMMAND]
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { released, releasedVersions, sectionOf } from './release/changelog.ts';
import { compareVersions, isVersion, namedIn, withVersion } from './release/version.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const usage = 'usage: npm run release -- 0.2.0 [--dry-run] [--gate COMMAND]';

/** The reason why a release cannot be made, on one line. */
class Refusal extends Error {}

try {
  release();
} catch (error) {
  if (!(error instanceof Refusal)) throw error;
  console.error(`No release: ${error.message}`);
  process.exitCode = 1;
}

function release(): void {
  const { version, dryRun, gate } = asked();
  const current: string = JSON.parse(read('package.json')).version;
  requireReleasable(version, current);
  const changes = changedFiles(version, current);
  if (dryRun) {
    console.log(`Would be released as ${version}, after ${gate}: ${[...changes.keys()].join(', ')}`);
    console.log(sectionOf(changes.get('CHANGELOG.md') ?? '', version));
    return;
  }
  for (const [path, text] of changes) writeFileSync(join(root, path), text);
  const paths = [...changes.keys()];
  console.log(`== ${gate}`);
  const env = { TEST_ROUNDS: 'all', ...process.env };
  if (spawnSync(gate, { cwd: root, shell: true, stdio: 'inherit', env }).status !== 0) {
    git('checkout', '--', ...paths);
    throw new Refusal(`${gate} is red; nothing was changed`);
  }
  git('add', ...paths);
  git('commit', '-q', '-m', `Release ${version}`);
  const notes = `Logistics Connect ${version}\n\n${sectionOf(read('CHANGELOG.md'), version) ?? ''}\n`;
  // Headings begin with git's comment character.
  git('tag', '--annotate', '--cleanup=verbatim', `--message=${notes}`, `v${version}`);
  writeFiles(version, notes);
  console.log(`Tagged v${version}; its files are in release/${version}. Next: docs/releasing.md, "After the tag".`);
}

function asked(): { readonly version: string; readonly dryRun: boolean; readonly gate: string } {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: { 'dry-run': { type: 'boolean', default: false }, gate: { type: 'string', default: '.ci/run' } },
    });
    const [version = '', ...more] = positionals;
    if (!isVersion(version) || more.length > 0) throw new Error(`"${positionals.join(' ')}" is no version`);
    return { version, dryRun: values['dry-run'], gate: values.gate };
  } catch (error) {
    throw new Refusal(`${error instanceof Error ? error.message : String(error)}; ${usage}`);
  }
}

/** @throws Refusal when the checkout is not suitable for a release */
function requireReleasable(version: string, current: string): void {
  const changed = git('status', '--porcelain');
  if (changed !== '') throw new Refusal(`the checkout has changes that are not committed:\n${changed}`);
  const tags = git('tag', '--list', 'v*').split('\n').filter(Boolean);
  for (const tag of tags.filter((each) => isVersion(each.slice(1)) && compareVersions(each.slice(1), version) >= 0))
    throw new Refusal(`${tag} is tagged already, and ${version} must come after it`);
  if (compareVersions(version, current) < 0) throw new Refusal(`the program is at ${current} already`);
  const changelog = read('CHANGELOG.md');
  for (const earlier of releasedVersions(changelog).filter((each) => tags.includes(`v${each}`)))
    if (sectionOf(git('show', `v${earlier}:CHANGELOG.md`), earlier) !== sectionOf(changelog, earlier))
      throw new Refusal(
        `the section [${earlier}] of CHANGELOG.md is not as it was released: new lines go to [Unreleased]`,
      );
}

/** The new content of the files that contain the version. @throws Refusal */
function changedFiles(version: string, current: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const text = (path: string): string => files.get(path) ?? read(path);
  try {
    const date = new Date().toISOString().slice(0, 10);
    files.set('CHANGELOG.md', released(read('CHANGELOG.md'), version, date));
    for (const [path, before] of namedIn) files.set(path, withVersion(text(path), before, current, version));
    files.set('package.json', withVersion(text('package.json'), /^ {2}"version": "/, current, version));
    files.set('package-lock.json', lockWithVersion(text('package-lock.json'), version));
  } catch (error) {
    throw new Refusal(error instanceof Error ? error.message : String(error));
  }
  return new Map([...files].filter(([path, changed]) => changed !== read(path)));
}

function lockWithVersion(text: string, version: string): string {
  const lock = JSON.parse(text);
  lock.version = version;
  lock.packages[''].version = version;
  return `${JSON.stringify(lock, null, 2)}\n`;
}

/** Writes the source as tagged, the notes, the bill of materials, and the checksums of all of them. */
function writeFiles(version: string, notes: string): void {
  const folder = join(root, 'release', version);
  mkdirSync(folder, { recursive: true });
  const name = `logistics-connect-${version}`;
  git('archive', `--prefix=${name}/`, '-o', join(folder, `${name}.tar.gz`), `v${version}`);
  writeFileSync(join(folder, `${name}.md`), notes);
  writeFileSync(join(folder, `${name}.cdx.json`), must('npm', 'run', '--silent', 'sbom'));
  const sums = readdirSync(folder)
    .filter((file) => file.startsWith(name))
    .toSorted()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(folder, file)))
          .digest('hex')}  ${file}\n`,
    );
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

function git(...args: readonly string[]): string {
  return must('git', ...args).trim();
}

/** @throws Error with the output of a program that failed */
function must(program: string, ...args: readonly string[]): string {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 64 << 20 } as const;
  const { status, stdout, stderr, error } = spawnSync(program, args, options);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error?.message ?? ''}${stderr}${stdout}`);
  return stdout;
}
