// The files of one inbox folder: which of them are complete, in order of name.
import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { cannotRead, type DropFault } from './drop-places.ts';

/** How a file shows that it is complete. */
export interface Completeness {
  /**
   * `quiet`: it has not changed for some time; `ok`: there is a companion FILE.ok; `rename`: it has its final name. A
   * companion counts with any of them.
   */
  readonly sign: 'quiet' | 'ok' | 'rename';
  readonly quietMs: number;
}

/** A complete file. */
export interface ReadyFile {
  /** As stored in the folder; bytes, because it may not be UTF-8. */
  readonly name: Buffer;
  /** Identifies it until it is changed. */
  readonly identity: string;
  /** Name of its companion; null: it has none. */
  readonly okName: string | null;
  /** Why it cannot be taken and has to be put aside. */
  readonly oddity: 'symbolic-link' | 'no-file' | 'odd-name' | null;
}

/** The result of one look into an inbox. */
interface InboxFiles {
  readonly ready: readonly ReadyFile[];
  /** Faults of entries that are not taken and stay in place, by displayed name. */
  readonly faults: ReadonlyMap<string, DropFault>;
}

/** When files were first seen in their current state, by path. */
export type SeenFiles = Map<string, { readonly identity: string; readonly sinceMs: number }>;

/** The most files examined in one folder at a time: the first ones by name. */
const maxFiles = 1000;
/** Bytes of the longest name, leaving room for a further extension. */
const maxNameBytes = 200;
/** Names that programs use for files that are not complete yet. */
const temporary = /^\.|~$|\.(?:tmp|temp|part|partial|filepart|crdownload|swp|upload(?:ing)?)$/i;

/** Extensions that programs use for files, but rarely for folders. */
const fileEnding = /\.[a-z][a-z0-9]{0,7}$/i;

/**
 * The files of a folder that can be taken now, in the byte order of their names.
 * @param seen is kept from one look to the next
 * @param nowMs a monotonic clock
 * @throws the file system's error when the folder cannot be read
 */
export async function readyFiles(
  folder: string,
  { sign, quietMs }: Completeness,
  seen: SeenFiles,
  nowMs: number,
): Promise<InboxFiles> {
  const all = (await readdir(folder, { encoding: 'buffer', withFileTypes: true })).toSorted((one, other) =>
    Buffer.compare(one.name, other.name),
  );
  const companions = companionsOf(all.map(({ name }) => name));
  // Nobody gives a companion to a folder.
  const isAwaited = (entry: Dirent<Buffer>): boolean =>
    sign !== 'ok' || entry.isDirectory() || companionsBeside(entry.name, companions).length > 0;
  const candidates = all
    .filter((entry) => isCandidate(entry.name) && isAwaited(entry))
    .slice(0, maxFiles)
    .map(({ name }) => name);
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
      // Other folders are left to the WMS.
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

/** True when a folder is named like a file: it was created by mistake, and files in it would go unnoticed. */
export function isNamedLikeFile(name: Buffer): boolean {
  const text = name.toString('latin1');
  return isCandidate(name) && fileEnding.test(text);
}

export const namedLikeFile: DropFault = {
  code: 'no-file',
  detail: 'This is a folder with the name of a file; nothing in it is taken.',
  remedy: 'Drop its files beside it, and remove it.',
};

/** The displayed name of a file: its own, or a unique plain one. */
export function shownName(name: Buffer): string {
  if (!isOddName(name)) return name.toString('utf8');
  const plain = name.toString('latin1').replaceAll(/[^A-Za-z0-9._-]/g, '_');
  return `${plain.slice(0, 100)}-${hash('sha256', name, 'hex').slice(0, 8)}`;
}

/** The identity of a file: another one with the same name has another identity. */
export function identityOf({ dev, ino, size, mtimeNs }: BigIntStats): string {
  return `${dev}:${ino}:${size}:${mtimeNs}`;
}

/** The path of a file whose name may not be UTF-8. */
export function pathOf(folder: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), name]);
}

/**
 * The file system's data on a file; null: it is gone.
 * @throws its error when the folder cannot be entered
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

/** Whether a name is that of a file to be taken: neither temporary nor the companion of another file. */
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
 * The companion of a file: one older than the file is left over from an earlier file with the same name.
 * @param names of possible companions
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

/** The companions in a folder, by name without extension. */
type Companions = ReadonlyMap<string, readonly string[]>;

function companionsOf(all: readonly Buffer[]): Companions {
  const texts = all.map((name) => name.toString('latin1')).filter((text) => companionEnding.test(text));
  return Map.groupBy(texts, (text) => text.replace(companionEnding, ''));
}

/** For `orders.csv` they are `orders.csv.ok` and `orders.ok`. */
function companionsBeside(name: Buffer, companions: Companions): readonly string[] {
  const text = name.toString('latin1');
  const starts = new Set([text, text.replace(/\.[^.]*$/, '')]);
  return [...starts].flatMap((start) => companions.get(start) ?? []);
}

/** Forgets the files of a folder that no longer exist. */
function forget(folder: string, seen: SeenFiles, names: ReadonlySet<string>): void {
  const start = join(folder, '/');
  for (const path of seen.keys()) if (path.startsWith(start) && !names.has(path.slice(start.length))) seen.delete(path);
}
