// The folder that exported files are dropped into: whose it is, and files that appear in it whole and survive a power
// cut.
import { type Hash, createHash } from 'node:crypto';
import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OperatorError } from '../model/operator-error.ts';
import { makePrivateFolder, openPrivate } from '../store/private-files.ts';
import type { OutboxEntry } from '../store/outbox-contract.ts';

/** Who drops files into a folder. */
export interface FolderIdentity {
  readonly consumer: string;
  /** `Store.epoch`: change numbers of different databases mean different entries. */
  readonly database: string;
}

/** Says in the folder whose it is; whoever takes files away leaves it, as everything that begins with a dot. */
const mark = '.outbox-export.json';

/**
 * Takes a folder for a consumer, so that no other one's files are replaced by files of the same name.
 * @throws OperatorError when there is no such folder, it is another's, or it cannot be written to
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

/** True when the folder is there and is this one's: not the empty place where it should have been mounted. */
export async function isFolderOf(folder: string, { consumer, database }: FolderIdentity): Promise<boolean> {
  const text = await readFile(join(folder, mark), 'utf8').catch(() => '');
  return text.trim() === JSON.stringify({ consumer, database });
}

/** Name of the file with the entries of one activity from the first to the last. */
export function exportName(first: OutboxEntry, last: OutboxEntry): string {
  return `${first.activity}-${padded(first.changeNumber)}-${padded(last.changeNumber)}.ndjson`;
}

/**
 * The file of an activity while it is not complete, or not shown yet: one at a time, so that an abandoned one is
 * written over.
 */
export function partName(activity: string): string {
  return `.${activity}.part`;
}

/** @throws OperatorError when there is a file of this name already */
export async function mustBeFree(file: string): Promise<void> {
  if (await exists(file))
    throw new OperatorError(
      `${file} is there already, and is not from this export.`,
      'Move it away, then run the export again.',
    );
}

/**
 * Shows a complete file under its name.
 * @throws OperatorError when there is a file of this name already
 */
export async function show(part: string, file: string): Promise<void> {
  await mustBeFree(file);
  await writing(dirname(file), async () => {
    await rename(part, file);
    await syncFolder(dirname(file));
  });
}

/** What a document must be. */
interface ExpectedBytes {
  readonly size: number /** Hex. */;
  readonly sha256: string;
}

/**
 * Copies a document into the folder, where it appears whole. One that is there already is left alone.
 * @param bytes are read only where it is not
 * @throws OperatorError when they are not those that were uploaded, or cannot be written
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

/** Writes a file anew, readable by its owner alone, and waits until the disk has it. */
export async function writeSynced(path: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await openPrivate(path, 'w');
  try {
    await write(handle);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Waits until the disk has the names of a folder. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Only what is certainly not there is said not to be: a folder that cannot be read at the moment must not pass for an
 * empty one.
 */
export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return false;
    throw error;
  }
}

/** @throws OperatorError for what the file system refuses */
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
