// The folder of an archive: written under a temporary name until it is complete on disk, and never over an existing
// one.
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../model/error-code.ts';
import { syncFolder } from '../documents/sync-folder.ts';
import { OperatorError } from '../model/operator-error.ts';
import { makePrivateFolder, openPrivate } from '../store/private-files.ts';
import { type Manifest, manifestName } from './manifest.ts';

/**
 * Makes an archive: in `FOLDER.part`, which is renamed once everything is safely on disk. The remains of an earlier
 * attempt are removed first; a failure leaves nothing behind.
 * @param folder absolute
 * @param write writes the files into the given folder, and returns what the manifest says of them
 * @throws OperatorError when the folder exists and is not empty, or cannot be written
 */
export async function makeArchive(folder: string, write: (part: string) => Promise<Manifest>): Promise<Manifest> {
  await requireFree(folder);
  const part = `${folder}.part`;
  try {
    await rm(part, { recursive: true, force: true });
    makePrivateFolder(part);
    const manifest = await write(part);
    const handle = await openPrivate(join(part, manifestName), 'wx');
    try {
      await handle.writeFile(`${JSON.stringify(manifest, null, 2)}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await syncFolders(part);
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
