// The files of one inbox folder: which of them are complete, in the order of their names.
import { isUtf8 } from 'node:buffer';
import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** How a file shows that it is complete. */
export interface Completeness {
  /**
   * `quiet`: nobody has changed it for a time; `ok`: a companion FILE.ok lies beside it; `rename`: it has its name. A
   * companion counts in any case.
   */
  readonly sign: 'quiet' | 'ok' | 'rename';
  readonly quietMs: number;
}

/** A file that is complete. */
export interface ReadyFile {
  /** As the folder has it; bytes, because it may be no UTF-8. */
  readonly name: Buffer;
  /** What it is known by until it is changed. */
  readonly identity: string;
  /** Of its companion; null: it has none. */
  readonly okName: string | null;
  /** Why it cannot be taken: it is to be put aside. */
  readonly oddity: 'symbolic-link' | 'no-file' | 'odd-name' | null;
}

/** When files were first seen as they are, by path. */
export type SeenFiles = Map<string, { readonly identity: string; readonly sinceMs: number }>;

/** Files that are looked at in one folder at a time: the first ones by name. */
const maxFiles = 1000;
/** Bytes of a name, so that it can have an ending more. */
const maxNameBytes = 200;
/** What programs call a file that they have not written to its end. */
const temporary = /^\.|~$|\.(?:tmp|temp|part|partial|filepart|crdownload|swp|upload(?:ing)?)$/i;

/**
 * The files of a folder that can be taken now, in the order of their names' bytes.
 * @param seen is kept from one look to the next
 * @param nowMs a clock that is never set
 * @throws what the file system says where the folder cannot be read
 */
export async function readyFiles(
  folder: string,
  { sign, quietMs }: Completeness,
  seen: SeenFiles,
  nowMs: number,
): Promise<readonly ReadyFile[]> {
  const all = (await readdir(folder, { encoding: 'buffer' })).toSorted((one, other) => Buffer.compare(one, other));
  const texts = new Set(all.map((name) => name.toString('latin1')));
  const candidates = all
    .filter((name) => isCandidate(name) && (sign !== 'ok' || companionNames(name).some((each) => texts.has(each))))
    .slice(0, maxFiles);
  forget(folder, seen, new Set(candidates.map((name) => name.toString('latin1'))));
  const ready: ReadyFile[] = [];
  for (const name of candidates) {
    const found = await lstat(pathOf(folder, name), { bigint: true }).catch(() => null);
    // Folders are the WMS's own affair.
    if (found === null || found.isDirectory()) continue;
    const identity = identityOf(found);
    const ok = await companionOf(folder, name, texts, found);
    const key = join(folder, name.toString('latin1'));
    const before = seen.get(key);
    const sinceMs = before?.identity === identity ? before.sinceMs : nowMs;
    seen.set(key, { identity, sinceMs });
    const isQuiet = sign === 'rename' || (sign === 'quiet' && nowMs - sinceMs >= quietMs);
    if (ok !== null || isQuiet) ready.push({ name, identity, okName: ok, oddity: oddityOf(name, found) });
  }
  return ready;
}

/** What a file is known by: another one of the same name has another identity. */
export function identityOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}

/** The path of a file whose name may be no UTF-8. */
export function pathOf(folder: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), name]);
}

/** Whether a name is that of a file to be taken: not a temporary one, and no companion of another. */
function isCandidate(name: Buffer): boolean {
  const text = name.toString('latin1');
  return !temporary.test(text) && !/\.ok$/i.test(text);
}

function oddityOf(name: Buffer, found: BigIntStats): ReadyFile['oddity'] {
  if (found.isSymbolicLink()) return 'symbolic-link';
  if (!found.isFile()) return 'no-file';
  if (name.length > maxNameBytes || !isUtf8(name) || /\p{C}/u.test(name.toString('utf8'))) return 'odd-name';
  return null;
}

/**
 * The companion of a file: `orders.csv.ok` or `orders.ok`. One that is older than the file was left over from another
 * of the same name.
 */
async function companionOf(
  folder: string,
  name: Buffer,
  all: ReadonlySet<string>,
  { mtimeNs }: BigIntStats,
): Promise<string | null> {
  for (const companion of companionNames(name)) {
    if (!all.has(companion)) continue;
    const found = await lstat(pathOf(folder, Buffer.from(companion, 'latin1')), { bigint: true }).catch(() => null);
    if (found?.isFile() === true && found.mtimeNs >= mtimeNs) return companion;
  }
  return null;
}

function companionNames(name: Buffer): readonly string[] {
  const text = name.toString('latin1');
  return [`${text}.ok`, `${text.replace(/\.[^.]*$/, '')}.ok`];
}

/** Forgets the files of a folder that are not there any more. */
function forget(folder: string, seen: SeenFiles, names: ReadonlySet<string>): void {
  const start = join(folder, '/');
  for (const path of seen.keys()) if (path.startsWith(start) && !names.has(path.slice(start.length))) seen.delete(path);
}
