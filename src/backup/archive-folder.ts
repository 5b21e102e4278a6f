// The folder of an archive: written under a temporary name until it is complete on disk, and never over an existing
// one.
import { randomBytes } from 'node:crypto';
import { type FileHandle, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { hasCode } from '../model/error-code.ts';
import { syncFolder } from '../documents/sync-folder.ts';
import { OperatorError } from '../model/operator-error.ts';
import { makePrivateFolder, openPrivate } from '../store/private-files.ts';
import { type Manifest, manifestName } from './manifest.ts';

/** An archive that is being made dates its temporary folder this often. */
const datedEveryMs = 20_000;
/** A temporary folder that has not been dated for this long belongs to a run that was killed. */
const abandonedAfterMs = 600_000;

/**
 * Makes an archive: in a temporary folder of its own, `FOLDER.xxxxxxxx.part`, which is renamed once everything is
 * safely on disk. A failure leaves nothing behind; what a killed attempt left is removed by a later one.
 * @param folder absolute
 * @param write writes the files into the given folder, and returns what the manifest says of them
 * @throws OperatorError when the folder exists and is not empty, or cannot be written
 */
export async function makeArchive(folder: string, write: (part: string) => Promise<Manifest>): Promise<Manifest> {
  await requireFree(folder);
  const part = temporaryName(folder);
  try {
    await removeAbandoned(folder);
    makePrivateFolder(part);
    const manifest = await writeInto(part, write);
    await requireFree(folder);
    await rename(part, folder);
    await syncFolder(dirname(folder));
    return manifest;
  } catch (error) {
    await rm(part, { recursive: true, force: true }).catch(() => undefined);
    if (!(error instanceof Error) || !('syscall' in error)) throw error;
    throw new OperatorError(
      `The archive cannot be written to ${folder}: ${error.message}.`,
      'Check that the disk has room and that this user may write there.',
      { cause: error },
    );
  }
}

/** Temporary folders of archives that were to become `folder`: each is being written, or its run was killed. */
export async function unfinishedArchives(folder: string): Promise<readonly string[]> {
  const beginning = `${basename(folder)}.`;
  const names = await readdir(dirname(folder)).catch(() => []);
  return names
    .filter((name) => name.startsWith(beginning) && temporaryEnd.test(name.slice(beginning.length)))
    .map((name) => join(dirname(folder), name));
}

function temporaryName(folder: string): string {
  return `${folder}.${randomBytes(4).toString('hex')}.part`;
}

/** Earlier versions wrote every archive to `FOLDER.part`. */
const temporaryEnd = /^(?:[0-9a-f]{8}\.)?part$/;

/** @throws OperatorError when the folder, or something in it, was removed meanwhile */
async function writeInto(part: string, write: (part: string) => Promise<Manifest>): Promise<Manifest> {
  // While it is open, no other folder can have its number.
  const opened = await open(part, 'r');
  const dating = setInterval(() => void date(part).catch(() => undefined), datedEveryMs).unref();
  try {
    const manifest = await write(part);
    const handle = await openPrivate(join(part, manifestName), 'wx');
    try {
      await handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncFolders(part);
    await requireSame(opened, part);
    return manifest;
  } finally {
    clearInterval(dating);
    await opened.close();
  }
}

function date(path: string): Promise<void> {
  const now = new Date();
  return utimes(path, now, now);
}

/** A folder that was removed is made again by the next file that is written into it, without those of before. */
async function requireSame(opened: FileHandle, path: string): Promise<void> {
  const [before, now] = [await opened.stat(), await stat(path)];
  if (before.ino !== now.ino || before.dev !== now.dev)
    throw new OperatorError(`${path} was removed while the archive was written to it.`, 'Run the command again.');
}

/**
 * Those of earlier versions are not dated, and stay; so do those that cannot be removed, such as another user's: they
 * are no reason to make no archive. Of two runs that remove the same one, one finds it gone.
 */
async function removeAbandoned(folder: string): Promise<void> {
  for (const path of await unfinishedArchives(folder)) {
    const found = await stat(path).catch(() => null);
    if (path === `${folder}.part` || found === null || Date.now() - found.mtimeMs < abandonedAfterMs) continue;
    // Renamed first: should its run go on after all, it finds the folder gone, and never a part of it.
    const removed = temporaryName(folder);
    await rename(path, removed)
      .then(() => rm(removed, { recursive: true, force: true }))
      .catch(() => undefined);
  }
}

/** @throws OperatorError when something exists there: an archive is never written over another one */
async function requireFree(folder: string): Promise<void> {
  const found = await readdir(folder).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return [];
    return ['?'];
  });
  if (found.length > 0)
    throw new OperatorError(
      `${folder} is there already, and nothing is written over it.`,
      'Name a folder that is not there yet, such as one with the date in its name.',
    );
}

/** Makes the names of all files and folders durable. */
async function syncFolders(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }))
    if (entry.isDirectory()) await syncFolders(join(folder, entry.name));
  await syncFolder(folder);
}
