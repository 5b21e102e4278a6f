// Creates files and folders that only their owner can read: what the program writes includes keys and personal data.
import { chmodSync, closeSync, existsSync, fchmodSync, mkdirSync, openSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode } from '../model/error-code.ts';

const privateModes = { file: 0o600, folder: 0o700 } as const;

/**
 * Opens a file for writing. Whatever the umask removes, and whatever permissions an existing file has, it belongs to
 * the owner alone before anything is written.
 * @param flags that create the file if it does not exist, such as `w` or `wx+`
 */
export async function openPrivate(path: string, flags: 'w' | 'wx' | 'wx+'): Promise<FileHandle> {
  const handle = await open(path, flags, privateModes.file);
  try {
    await handle.chmod(privateModes.file);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return handle;
}

/** Creates an empty file; an existing one is left as it is. */
export function makePrivateFile(path: string): void {
  try {
    const handle = openSync(path, 'wx', privateModes.file);
    try {
      fchmodSync(handle, privateModes.file);
    } finally {
      closeSync(handle);
    }
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  }
}

/**
 * Creates a folder and its parents; existing ones are left as they are. One at a time, because nothing can be created
 * below a folder that the umask has closed, and because Node's own recursive mkdir never returns if the system refuses
 * with "no such file", as below /proc.
 */
export function makePrivateFolder(path: string): void {
  if (existsSync(path)) return;
  makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: privateModes.folder });
  } catch (error) {
    // Another process was faster.
    if (hasCode(error, 'EEXIST')) return;
    throw error;
  }
  chmodSync(path, privateModes.folder);
}
