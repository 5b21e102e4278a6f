// Receives documents: each into a temporary file while it arrives, wherever it is kept later.
import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, opendir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { hasCode } from '../model/error-code.ts';
import { Problem } from '../model/problem.ts';
import { diskOf, requireReserve } from '../store/disk-reserve.ts';
import { makePrivateFolder, openPrivate } from '../store/private-files.ts';
import { checkedName } from './names.ts';
import type { ReceivedDocument, ReceiveLimits } from './storage.ts';

/** Folder of temporary files inside that of the documents; no kept file has this name. */
export const incomingName = '.incoming';

/** A temporary file that holds a complete document. */
export interface IncomingFile {
  readonly handle: FileHandle;
  readonly path: string;
  /** Hex. */
  readonly sha256: string;
  readonly size: number;
}

interface IncomingOptions {
  /** Folder of temporary files; created if missing. */
  readonly folder: string;
  /** Called with the reason when the storage does not work; the client only learns that it does not. */
  readonly failed: (error: unknown) => void;
  /** Moves the file to its final name, or throws. Afterwards the file is closed and removed in any case. */
  readonly keep: (file: IncomingFile, name: string) => Promise<void>;
  /** Default: what the system says. */
  readonly diskOf?: typeof diskOf | undefined;
}

/** Bytes of a document after which the disk is looked at again. */
const lookEvery = 1_048_576;

/** Implements `receive` of `DocumentStorage`. */
export function createReceive({
  folder,
  failed,
  keep,
  diskOf: disk = diskOf,
}: IncomingOptions): (content: Readable, limits: ReceiveLimits) => Promise<ReceivedDocument> {
  const requireRoom = async (): Promise<void> => requireReserve(await disk(folder), folder);
  return async (content, limits) => {
    // The stream may fail before anybody reads it; the reader then gets the error.
    content.on('error', () => undefined);
    const opened = await storing(() => createTemporary(folder), failed).catch((error: unknown) => {
      content.destroy();
      throw error;
    });
    try {
      return received(
        { ...opened, ...(await writeContent(content, opened.handle, limits, { requireRoom, failed })) },
        keep,
        failed,
      );
    } catch (error) {
      content.destroy();
      await removeFile(opened);
      throw error;
    }
  };
}

/** Removes temporary files last written before an instant (milliseconds). Returns how many. */
export async function removeIncomingBefore(folder: string, before: number): Promise<number> {
  let removed = 0;
  for (const name of await namesIn(folder)) {
    if (!temporaryName.test(name)) continue;
    const path = join(folder, name);
    const found = await unlessMissing(stat(path));
    if (found === null || found.mtimeMs >= before) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

/** A new file that only its owner can read, in a place where the sweep finds it. */
export async function createTemporary(folder: string): Promise<Pick<IncomingFile, 'handle' | 'path'>> {
  makePrivateFolder(folder);
  const path = join(folder, `${randomUUID()}.part`);
  return { path, handle: await openPrivate(path, 'wx+') };
}

/** Runs a step of storing; a failure is reported to `failed` and becomes Problem `unavailable`. */
export async function storing<T>(step: () => Promise<T>, failed: (error: unknown) => void): Promise<T> {
  try {
    return await step();
  } catch (error) {
    failed(error);
    throw new Problem(
      'unavailable',
      'The storage of documents is not available at the moment. Send the request again later.',
      {},
      { 'Retry-After': '30' },
    );
  }
}

/** The result of a step, or null when the file or folder does not exist. */
export async function unlessMissing<T>(step: Promise<T>): Promise<T | null> {
  try {
    return await step;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return null;
    throw error;
  }
}

const temporaryName = /^[0-9a-f-]{36}\.part$/;

async function writeContent(
  content: Readable,
  handle: FileHandle,
  { size: max, leavesReserve }: ReceiveLimits,
  { requireRoom, failed }: Pick<IncomingOptions, 'failed'> & { readonly requireRoom: () => Promise<void> },
): Promise<Pick<IncomingFile, 'sha256' | 'size'>> {
  const hash = createHash('sha256');
  const chunks: AsyncIterable<unknown> = content;
  let [size, looked] = [0, 0];
  for await (const chunk of chunks) {
    if (!(chunk instanceof Uint8Array)) throw new TypeError('a document must arrive as bytes');
    size += chunk.length;
    if (size > max) throw new Problem('payload-too-large', `The file is larger than ${max} bytes. Send a smaller one.`);
    hash.update(chunk);
    if (leavesReserve === true && size >= looked) {
      looked = size + lookEvery;
      await storing(requireRoom, failed);
    }
    await storing(() => handle.writeFile(chunk), failed);
  }
  return { sha256: hash.digest('hex'), size };
}

function received(
  file: IncomingFile,
  keep: IncomingOptions['keep'],
  failed: (error: unknown) => void,
): ReceivedDocument {
  let settled = false;
  return {
    sha256: file.sha256,
    size: file.size,
    read: (position, length) => storing(() => readAt(file, position, length), failed),
    keep: async (name) => {
      if (settled) throw new Error('this document was kept or discarded before');
      checkedName(name);
      settled = true;
      try {
        await storing(() => keep(file, name), failed);
      } finally {
        await removeFile(file);
      }
    },
    discard: async () => {
      if (settled) return;
      settled = true;
      await removeFile(file);
    },
  };
}

async function readAt({ handle, size }: IncomingFile, position: number, length: number): Promise<Buffer> {
  const wanted = Math.max(0, Math.min(length, size - position));
  const bytes = Buffer.alloc(wanted);
  for (let filled = 0; filled < wanted; ) {
    const { bytesRead } = await handle.read(bytes, filled, wanted - filled, position + filled);
    if (bytesRead === 0) throw new Error(`a temporary file lost what follows byte ${position + filled}`);
    filled += bytesRead;
  }
  return bytes;
}

/** A file that cannot be removed now is left for the sweep. */
async function removeFile({ handle, path }: Pick<IncomingFile, 'handle' | 'path'>): Promise<void> {
  await handle.close().catch(() => undefined);
  await rm(path, { force: true }).catch(() => undefined);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  const entries = await unlessMissing(opendir(folder));
  if (entries !== null) for await (const entry of entries) if (entry.isFile()) names.push(entry.name);
  return names;
}
