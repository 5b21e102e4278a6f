// The files of one inbox folder: which of them are complete, in the order of their names.
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotRead, type DropFault } from './drop-places.ts';

/** How a file shows that it is complete. */
export interface Completeness {
  /**
   * `quiet`: nobody has changed it for a time; `ok`: a companion FILE.ok lies beside it; `rename`: it has its name. A
   * companion counts with each of them.
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

/** What one look into an inbox shows. */
export interface InboxFiles {
  readonly ready: readonly ReadyFile[];
  /** What is not taken and stays where it is, by the name that people are shown. */
  readonly faults: ReadonlyMap<string, DropFault>;
}

/** When files were first seen as they are, by path. */
export type SeenFiles = Map<string, { readonly identity: string; readonly sinceMs: number }>;

/** Files that are looked at in one folder at a time: the first ones by name. */
const maxFiles = 1000;
/** Bytes of a name, so that it can have an ending more. */
const maxNameBytes = 200;
/** What programs call a file that they have not written to its end. */
const temporary = /^\.|~$|\.(?:tmp|temp|part|partial|filepart|crdownload|swp|upload(?:ing)?)$/i;

/** What programs call a file, and seldom a folder. */
const fileEnding = /\.[a-z][a-z0-9]{0,7}$/i;

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
): Promise<InboxFiles> {
  const all = (await readdir(folder, { encoding: 'buffer' })).toSorted((one, other) => Buffer.compare(one, other));
  const companions = companionsOf(all);
  const candidates = all
    .filter((name) => isCandidate(name) && (sign !== 'ok' || companionsBeside(name, companions).length > 0))
    .slice(0, maxFiles);
  forget(folder, seen, new Set(candidates.map((name) => name.toString('latin1'))));
  const ready: ReadyFile[] = [];
  const faults = new Map<string, DropFault>();
  for (const name of candidates) {
    const found = await lookAt(folder, name);
    if (found === null) continue;
    if ('code' in found) {
      faults.set(shownName(name), found);
      continue;
    }
    if (found.isDirectory()) {
      // Other folders are the WMS's own affair.
      if (isNamedLikeFile(name)) faults.set(shownName(name), namedLikeFile);
      continue;
    }
    const identity = identityOf(found);
    const ok = await companionOf(folder, companionsBeside(name, companions), found);
    const key = join(folder, name.toString('latin1'));
    const before = seen.get(key);
    const sinceMs = before?.identity === identity ? before.sinceMs : nowMs;
    seen.set(key, { identity, sinceMs });
    const isQuiet = sign === 'rename' || (sign === 'quiet' && nowMs - sinceMs >= quietMs);
    if (ok !== null || isQuiet) ready.push({ name, identity, okName: ok, oddity: oddityOf(name, found) });
  }
  return { ready, faults };
}

/** True where a folder has the name of a file: it was made by mistake, and nobody would miss what lies in it. */
export function isNamedLikeFile(name: Buffer): boolean {
  const text = name.toString('latin1');
  return isCandidate(name) && fileEnding.test(text);
}

export const namedLikeFile: DropFault = {
  code: 'no-file',
  detail: 'This is a folder with the name of a file; nothing in it is taken.',
  remedy: 'Drop its files beside it, and remove it.',
};

/** The name of a file as people and other systems are shown it: its own, or a plain one that no other file has. */
export function shownName(name: Buffer): string {
  if (!isOddName(name)) return name.toString('utf8');
  const plain = name.toString('latin1').replaceAll(/[^A-Za-z0-9._-]/g, '_');
  return `${plain.slice(0, 100)}-${hash('sha256', name, 'hex').slice(0, 8)}`;
}

/** What a file is known by: another one of the same name has another identity. */
export function identityOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}

/** The path of a file whose name may be no UTF-8. */
export function pathOf(folder: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), name]);
}

/**
 * What the file system says of a file; null: it is gone.
 * @throws what it says where the folder cannot be entered
 */
async function lookAt(folder: string, name: Buffer): Promise<BigIntStats | DropFault | null> {
  try {
    return await lstat(pathOf(folder, name), { bigint: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT') return null;
    if (code === 'EACCES') throw error;
    return cannotRead(error);
  }
}

/** Whether a name is that of a file to be taken: not a temporary one, and no companion of another. */
function isCandidate(name: Buffer): boolean {
  const text = name.toString('latin1');
  return !temporary.test(text) && !companionEnding.test(text);
}

function oddityOf(name: Buffer, found: BigIntStats): ReadyFile['oddity'] {
  if (found.isSymbolicLink()) return 'symbolic-link';
  if (!found.isFile()) return 'no-file';
  return isOddName(name) ? 'odd-name' : null;
}

function isOddName(name: Buffer): boolean {
  return name.length > maxNameBytes || !isUtf8(name) || /\p{C}/u.test(name.toString('utf8'));
}

/**
 * The companion of a file: one that is older than it was left over from another of the same name.
 * @param names of companions that lie beside it
 */
async function companionOf(folder: string, names: readonly string[], { mtimeNs }: BigIntStats): Promise<string | null> {
  for (const companion of names) {
    const found = await lstat(pathOf(folder, Buffer.from(companion, 'latin1')), { bigint: true }).catch(() => null);
    if (found?.isFile() === true && found.mtimeNs >= mtimeNs) return companion;
  }
  return null;
}

/** Some systems write all names in capitals: `ORDERS.CSV` and `ORDERS.OK`. */
const companionEnding = /\.ok$/i;

/** The companions in a folder, by what stands before their ending. */
type Companions = ReadonlyMap<string, readonly string[]>;

function companionsOf(all: readonly Buffer[]): Companions {
  const texts = all.map((name) => name.toString('latin1')).filter((text) => companionEnding.test(text));
  return Map.groupBy(texts, (text) => text.replace(companionEnding, ''));
}

/** Of `orders.csv` they are `orders.csv.ok` and `orders.ok`. */
function companionsBeside(name: Buffer, companions: Companions): readonly string[] {
  const text = name.toString('latin1');
  const starts = new Set([text, text.replace(/\.[^.]*$/, '')]);
  return [...starts].flatMap((start) => companions.get(start) ?? []);
}

/** Forgets the files of a folder that are not there any more. */
function forget(folder: string, seen: SeenFiles, names: ReadonlySet<string>): void {
  const start = join(folder, '/');
  for (const path of seen.keys()) if (path.startsWith(start) && !names.has(path.slice(start.length))) seen.delete(path);
}
