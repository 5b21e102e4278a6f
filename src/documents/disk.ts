// Keeps document files in a folder of this machine, or of a file system that several share.
import { type FileHandle, mkdir, open, opendir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createReceive, type IncomingFile, removeIncomingBefore, storing, unlessMissing } from './incoming.ts';
import { checkedName, isDocumentName } from './names.ts';
import { createOwnership, markName } from './ownership.ts';
import type { DocumentStorage, KeptFile } from './storage.ts';

export interface DiskOptions {
  /** Made when it is missing, for nobody else to read. */
  readonly folder: string;
  /** In the same file system. */
  readonly incomingFolder: string;
  /** Random name of the database that the files belong to. */
  readonly database: string;
  /** Is told why the storage does not work; the client is told only that it does not. */
  readonly failed: (error: unknown) => void;
}

/** The storage on disk. Touches nothing before it is used. */
export function createDiskStorage({ folder, incomingFolder, database, failed }: DiskOptions): DocumentStorage {
  const isOurs = createOwnership({
    read: () => unlessMissing(readFile(join(folder, markName), 'utf8')),
    write: (text) => writeMark(folder, text),
  }, database);
  return {
    receive: createReceive({
      folder: incomingFolder, failed,
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

/** Once it ends well, the file outlasts a power cut: its content first, then its name, then the folders on the way to it. */
async function moveInto(folder: string, { handle, path }: IncomingFile, name: string): Promise<void> {
  const target = join(folder, name);
  await handle.sync();
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await rename(path, target);
  try {
    // Even those that were there: another process may have made them just now.
    for (let each = dirname(target); each.length >= dirname(folder).length; each = dirname(each)) await syncFolder(each);
  } catch (error) {
    await rm(target, { force: true });
    throw error;
  }
}

async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } catch (error) {
    // Some network file systems have no such thing for folders.
    if (!(error instanceof Error && 'code' in error && (error.code === 'EINVAL' || error.code === 'ENOTSUP'))) throw error;
  } finally {
    await handle.close();
  }
}

async function writeMark(folder: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, markName);
  // A mark without text is that of a process that died before it wrote it.
  const empty = (await unlessMissing(stat(path)))?.size === 0;
  await writeFile(path, `${text}\n`, { flag: empty ? 'w' : 'wx', mode: 0o600 }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  });
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
