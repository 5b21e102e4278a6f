// Leaves the result of a processed file: it is moved, with an acknowledgement or a reason next to it.
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../../model/error-code.ts';
import { FileChanged } from './dropped-file.ts';
import { identityOf, pathOf, type ReadyFile } from './inbox.ts';

/** The senders of files read the results as members of the folder's group. */
const modes = { file: 0o640, folder: 0o770 } as const;

/** Where a file goes, and the names of its companions there. */
export interface Destination {
  readonly folder: string;
  readonly name: string;
}

/**
 * Where to move a file: under its own name if that is free, else with a number in front. After a crash the result is
 * the same, because nothing is moved before all of its companions are written.
 * @throws the file system's error when the folder cannot be created
 */
export async function destinationOf(folder: string, name: string, number: number): Promise<Destination> {
  await makeFolder(folder);
  for (let place = name, attempt = 0; ; attempt += 1) {
    if (!(await exists(join(folder, place)))) return { folder, name: place };
    place = attempt === 0 ? `${number}-${name}` : `${number}.${attempt}-${name}`;
  }
}

/** Writes a file atomically and durably: nobody sees part of it, and a failed write leaves nothing behind. */
export async function writeWhole(path: string, write: (handle: FileHandle) => Promise<void>): Promise<void> {
  const part = join(dirname(path), `.${basename(path)}.part`);
  await rm(part, { force: true });
  const handle = await open(
    part,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    modes.file,
  );
  try {
    await write(handle).then(() => handle.sync());
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
  await rename(part, path);
}

export function writeJsonFile(path: string, value: unknown): Promise<void> {
  return writeWhole(path, (handle) => handle.writeFile(`${JSON.stringify(value, null, 2)}\n`));
}

/**
 * Moves a file out of its inbox, after its results have become durable. Its companion goes last, so that a file that is
 * still there after a crash still counts as complete.
 * @throws FileChanged when the file is gone, or replaced: what is there stays in the inbox
 */
export async function moveFile(
  inbox: string,
  { name, identity, okName }: Pick<ReadyFile, 'name' | 'identity' | 'okName'>,
  to: Destination,
): Promise<void> {
  await syncFolder(to.folder);
  const [from, path] = [pathOf(inbox, name), join(to.folder, to.name)];
  if ((await identityAt(from)) !== identity) throw new FileChanged();
  await rename(from, path);
  if ((await identityAt(path)) !== identity) {
    // It was replaced at the last moment. A link never overwrites a file that has arrived meanwhile.
    await link(path, from);
    await unlink(path);
    throw new FileChanged();
  }
  await syncFolder(to.folder);
  await syncFolder(inbox);
  if (okName !== null) await unlink(pathOf(inbox, Buffer.from(okName, 'latin1'))).catch(() => undefined);
}

async function identityAt(path: string | Buffer): Promise<string | null> {
  try {
    return identityOf(await lstat(path, { bigint: true }));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}

/** Creates a folder and its missing ancestors. */
export async function makeFolder(path: string): Promise<void> {
  if (await exists(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path, { mode: modes.folder }).catch((error: unknown) => {
    if (!hasCode(error, 'EEXIST')) throw error;
  });
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
