// Keeps document files in a folder of this machine, or of a file system that several machines share.
import { type FileHandle, link, open, opendir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hasCode } from '../model/error-code.ts';
import { syncFolder } from './sync-folder.ts';
import { makePrivateFolder } from '../store/private-files.ts';
import {
  createReceive,
  createTemporary,
  type IncomingFile,
  incomingName,
  removeIncomingBefore,
  storing,
  unlessMissing,
} from './incoming.ts';
import type { diskOf } from '../store/disk-reserve.ts';
import { checkedName, isDocumentName } from './names.ts';
import { createOwnership, markName } from './ownership.ts';
import type { DocumentStorage, KeptFile } from './storage.ts';

interface DiskOptions {
  /** Created if missing, readable by its owner only. */
  readonly folder: string;
  /** Random name of the database that the files belong to. */
  readonly database: string;
  /** Called with the reason when the storage does not work; the client only learns that it does not. */
  readonly failed: (error: unknown) => void;
  /** Default: what the system says. */
  readonly diskOf?: typeof diskOf;
}

/** The storage on disk. Touches nothing before its first use. */
export function createDiskStorage({ folder, database, failed, diskOf: disk }: DiskOptions): DocumentStorage {
  const incomingFolder = join(folder, incomingName);
  const isOurs = createOwnership(
    {
      read: () => unlessMissing(readFile(join(folder, markName), 'utf8')),
      write: (text) => writeMark(folder, incomingFolder, text),
    },
    database,
  );
  return {
    receive: createReceive({
      folder: incomingFolder,
      failed,
      diskOf: disk,
      keep: async (file, name) => {
        await isOurs();
        await moveInto(folder, file, name);
      },
    }),
    async open(name) {
      const path = join(folder, checkedName(name));
      const handle = await storing(() => unlessMissing(open(path, 'r')), failed);
      if (handle === null) throw new Error(`document file ${name} is not in ${folder}`);
      return opened(handle);
    },
    async sizeOf(name) {
      const path = join(folder, checkedName(name));
      return (await storing(() => unlessMissing(stat(path)), failed))?.size ?? null;
    },
    async remove(name) {
      const path = join(folder, checkedName(name));
      await storing(() => rm(path, { force: true }), failed);
    },
    list: () => listFolder(folder),
    removeLeftovers: (before) => removeIncomingBefore(incomingFolder, before),
    isOurs,
  };
}

async function opened(handle: FileHandle): ReturnType<DocumentStorage['open']> {
  try {
    const { size } = await handle.stat();
    return { size, stream: handle.createReadStream({ start: 0 }) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/**
 * On return, the file survives a power cut: first its content is made durable, then its name, then the folders that
 * lead to it.
 */
async function moveInto(folder: string, { handle, path }: IncomingFile, name: string): Promise<void> {
  const target = join(folder, name);
  await handle.sync();
  makePrivateFolder(dirname(target));
  await rename(path, target);
  try {
    // Even existing folders: another process may have created them just now.
    for (let each = dirname(target); each.length >= dirname(folder).length; each = dirname(each))
      await syncFolder(each);
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

/** Creates the file atomically, and never over an existing one. */
async function writeMark(folder: string, incomingFolder: string, text: string): Promise<void> {
  const { handle, path } = await createTemporary(incomingFolder);
  try {
    await handle.writeFile(`${text}\n`);
    await handle.sync();
    await link(path, join(folder, markName)).catch(async (error: unknown) => {
      // The file system has no hard links: here the last of two simultaneous writers wins.
      if (!hasCode(error, 'EPERM', 'ENOTSUP', 'ENOSYS')) throw error;
      await rename(path, join(folder, markName));
    });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error;
  } finally {
    await handle.close();
    await rm(path, { force: true });
  }
}

/** Three levels: activity, year, month. */
async function* listFolder(root: string): AsyncGenerator<KeptFile> {
  for await (const activity of entriesOf(root)) {
    if (activity.startsWith('.')) continue;
    for await (const year of entriesOf(join(root, activity))) {
      for await (const month of entriesOf(join(root, activity, year))) {
        for await (const file of entriesOf(join(root, activity, year, month))) {
          const name = [activity, year, month, file].join('/');
          const found = isDocumentName(name) ? await unlessMissing(stat(join(root, name))) : null;
          if (found?.isFile() ?? false) yield { name, modifiedAt: found?.mtimeMs ?? 0 };
        }
      }
    }
  }
}

async function* entriesOf(folder: string): AsyncGenerator<string> {
  const entries = await unlessMissing(opendir(folder));
  if (entries !== null) for await (const entry of entries) yield entry.name;
}
