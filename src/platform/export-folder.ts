// The folder of exported files: who owns it, and how files appear in it atomically and durably.
import { type Hash, createHash } from 'node:crypto';
import { readFile, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../model/error-code.ts';
import { syncFolder } from '../documents/sync-folder.ts';
import { OperatorError } from '../model/operator-error.ts';
import { makePrivateFolder, openPrivate } from '../store/private-files.ts';
import type { OutboxEntry } from '../store/outbox-contract.ts';

/** Who writes exported files to a folder. */
export interface FolderIdentity {
  readonly consumer: string;
  /** `Store.epoch`: equal change numbers of different databases name different entries. */
  readonly database: string;
}

/**
 * Records in the folder who owns it; consumers that collect files must leave it alone, like everything that begins with
 * a dot.
 */
const mark = '.outbox-export.json';

/**
 * Claims a folder for a consumer, so that files of other consumers are not replaced by files with the same name.
 * @throws OperatorError when there is no such folder, it belongs to another consumer, or it cannot be written to
 */
export async function claimFolder(folder: string, identity: FolderIdentity): Promise<void> {
  const found = await stat(folder).catch(() => null);
  // A mistyped folder must not swallow what the warehouse waits for.
  if (found?.isDirectory() !== true)
    throw new OperatorError(`There is no folder ${folder}.`, 'Make it first, or mount it.');
  if (await isFolderOf(folder, identity)) return;
  if (await exists(join(folder, mark))) {
    throw new OperatorError(
      `Another consumer or another database exports to ${folder}; files of the same name would replace each other.`,
      `Choose another folder. If nobody else uses this one, remove ${join(folder, mark)}.`,
    );
  }
  await writing(folder, async () => {
    const part = join(folder, `${mark}.part`);
    await writeSynced(part, async (handle) => handle.writeFile(`${JSON.stringify(identity)}\n`));
    await rename(part, join(folder, mark));
    await syncFolder(folder);
  });
}

/** True when the folder exists and belongs to this consumer: false for the empty mount point of an unmounted one. */
export async function isFolderOf(folder: string, { consumer, database }: FolderIdentity): Promise<boolean> {
  const text = await readFile(join(folder, mark), 'utf8').catch(() => '');
  return text.trim() === JSON.stringify({ consumer, database });
}

/** File name for the entries of one activity from the first to the last. */
export function exportName(first: OutboxEntry, last: OutboxEntry): string {
  return `${first.activity}-${padded(first.changeNumber)}-${padded(last.changeNumber)}.ndjson`;
}

/**
 * Name of an activity's file while it is incomplete or not yet visible: only one at a time, so that an abandoned one is
 * overwritten.
 */
export function partName(activity: string): string {
  return `.${activity}.part`;
}

/** @throws OperatorError when a file with this name already exists */
export async function mustBeFree(file: string): Promise<void> {
  if (await exists(file))
    throw new OperatorError(
      `${file} is there already, and is not from this export.`,
      'Move it away, then run the export again.',
    );
}

/**
 * Gives a complete file its final name.
 * @throws OperatorError when a file with this name already exists
 */
export async function show(part: string, file: string): Promise<void> {
  await mustBeFree(file);
  await writing(dirname(file), async () => {
    await rename(part, file);
    await syncFolder(dirname(file));
  });
}

/** The expected size and hash of a document. */
interface ExpectedBytes {
  readonly size: number /** Hex. */;
  readonly sha256: string;
}

/**
 * Copies a document into the folder, where it appears atomically. An existing one is left alone.
 * @param bytes read only when it does not exist
 * @throws OperatorError when they differ from those that were uploaded, or cannot be written
 */
export async function copyDocument(
  path: string,
  expected: ExpectedBytes,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.size === expected.size) return;
  const part = join(dirname(path), `.${basename(path)}.part`);
  const hash = createHash('sha256');
  await writing(dirname(path), async () => makePrivateFolder(dirname(path)));
  await writing(dirname(path), () => writeSynced(part, (handle) => copy(bytes, handle, hash)));
  if (hash.digest('hex') !== expected.sha256) {
    await rm(part, { force: true });
    throw new OperatorError(
      `The document ${basename(path)} is not what was uploaded: its stored bytes are damaged.`,
      'Restore the document storage from a backup.',
    );
  }
  await writing(dirname(path), () => rename(part, path));
}

async function copy(bytes: AsyncIterable<Uint8Array>, handle: FileHandle, hash: Hash): Promise<void> {
  for await (const chunk of bytes) {
    hash.update(chunk);
    await handle.writeFile(chunk);
  }
}

/** Writes a new file that only its owner can read, and waits until it is durable. */
export async function writeSynced(path: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await openPrivate(path, 'w');
  try {
    await write(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * False only when it certainly does not exist: a folder that cannot be read at the moment must not pass for an empty
 * one.
 */
export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return false;
    throw error;
  }
}

/** @throws OperatorError for errors of the file system */
export async function writing<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new OperatorError(
      `The export cannot be written to ${folder}: ${error.message}.`,
      'Check that the disk has room and that this user may write there, then run the export again.',
      { cause: error },
    );
  }
}

function padded(changeNumber: number): string {
  return String(changeNumber).padStart(12, '0');
}
