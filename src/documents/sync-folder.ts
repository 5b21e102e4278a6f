// Makes the names in a folder durable: without it a power cut may lose files that were written and synced themselves.
import { open } from 'node:fs/promises';
import { hasCode } from '../model/error-code.ts';

/** Waits until the directory entries of a folder are durable, as far as its file system knows how. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems cannot sync directories.
    if (!hasCode(error, 'EINVAL', 'ENOTSUP')) throw error;
  } finally {
    await handle.close();
  }
}
