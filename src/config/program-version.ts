// The version of the program, and the commit of its source.
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import packageFacts from '../../package.json' with { type: 'json' };

interface ProgramVersion {
  readonly version: string;
  /** The first twelve digits; null: unknown. */
  readonly commit: string | null;
}

/** Bytes of the longest file that is read; the names of all branches and tags may be many. */
const maxBytes = 10_000_000;

/** The version of the running program. Read once. */
export const programVersion: ProgramVersion = {
  version: packageFacts.version,
  commit: commitOf(fileURLToPath(new URL('../../', import.meta.url))),
};

/** As one line for people. */
export function versionText({ version, commit }: ProgramVersion = programVersion): string {
  return commit === null ? version : `${version} (commit ${commit})`;
}

/**
 * The commit that a folder was made from: taken from `commit.txt`, which `git archive` and packagers write, or else
 * from the checkout. Needs no git, and never throws.
 */
export function commitOf(root: string): string | null {
  try {
    return shortened(readShort(join(root, 'commit.txt'))) ?? shortened(checkedOut(root));
  } catch {
    return null;
  }
}

function readShort(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= maxBytes ? readFileSync(path, 'utf8').trim() : null;
}

/** SHA-1 or SHA-256 in hex; anything else is not a commit, such as a placeholder that was not filled in. */
function shortened(text: string | null): string | null {
  return text !== null && /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/.test(text) ? text.slice(0, 12) : null;
}

/** The target of HEAD, as git stores it (gitrepository-layout); in a worktree the branches are elsewhere. */
function checkedOut(root: string): string | null {
  const pointer = /^gitdir: (.+)$/.exec(readShort(join(root, '.git')) ?? '')?.[1];
  const folder = pointer === undefined ? join(root, '.git') : resolve(root, pointer);
  const head = readShort(join(folder, 'HEAD'));
  const name = /^ref: (refs\/.+)$/.exec(head ?? '')?.[1];
  if (name === undefined) return head;
  const common = resolve(folder, readShort(join(folder, 'commondir')) ?? '.');
  if (!resolve(common, name).startsWith(`${common}/`)) return null;
  return readShort(join(common, name)) ?? packed(readShort(join(common, 'packed-refs')) ?? '', name);
}

function packed(text: string, name: string): string | null {
  const line = text.split('\n').find((each) => each.endsWith(` ${name}`));
  return line?.split(' ')[0] ?? null;
}
