// What is left of a file that was dealt with: it is moved, with an acknowledgement or a reason beside it.
import { constants } from 'node:fs';
import { type FileHandle, link, lstat, mkdir, open, rename, rm, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FileChanged } from './dropped-file.ts';
import { identityOf, pathOf, type ReadyFile } from './inbox.ts';

/** Whoever drops files reads what became of them as a member of the folder's group. */
const modes = { file: 0o640, folder: 0o770 } as const;

/** Where a file goes, and what its companions are called there. */
export interface Destination {
  readonly folder: string;
  readonly name: string;
}

/**
 * Where a file is to be moved: under its own name where that is free, else with a number in front. Asked again after a
 * crash it is the same, because nothing is moved before all that goes with it is written.
 * @throws what the file system says where the folder cannot be made
 */
export async function destinationOf(folder: string, name: string, number: number): Promise<Destination> {
  await makeFolder(folder);
  for (let place = name, attempt = 0; ; attempt += 1) {
    if (!(await exists(join(folder, place)))) return { folder, name: place };
    place = attempt === 0 ? `${number}-${name}` : `${number}.${attempt}-${name}`;
  }
}

/** Writes a file whole and safely on the disk: nobody sees it half, and what cannot be written takes no room. */
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
 * Moves a file out of its inbox: what goes with it is on the disk before. Its companion goes last, so that a file that
 * is still there after a crash is still complete.
 * @throws FileChanged where the file is gone, or another one now: it is still in the inbox then
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
    // Replaced at the last moment. A link never takes the place of a file that has come meanwhile.
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
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Makes a folder and those on the way to it. */
export async function makeFolder(path: string): Promise<void> {
  if (await exists(path)) return;
  await makeFolder(dirname(path));
  await mkdir(path, { mode: modes.folder }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
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
