// The bytes of a message: from an open file, or from a stream, which is copied when it must be read twice.
import { mkdtemp, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../model/operator-error.ts';
import { Problem } from '../model/problem.ts';
import { diskOf, requireReserve } from '../store/disk-reserve.ts';
import { openPrivate } from '../store/private-files.ts';

/** A source that is ready to be read. */
export interface ByteSource {
  /** Length in bytes; null when it is only known at the end. */
  readonly size: number | null;
  /** All bytes from the start. */
  readonly read: () => AsyncIterable<Uint8Array>;
  /** True when the bytes are still those that were read before. */
  readonly unchanged: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** Bytes per read: large enough that the cost of reading is negligible beside parsing. */
const chunkBytes = 256 * 1024;

/**
 * The bytes of a stream.
 * @param twice they will be read more than once: they are copied to a temporary file that only its owner can read
 * @param disk default: what the system says
 * @throws Problem `unavailable` when the copy would take what the database may need of the disk
 */
export async function streamSource(
  bytes: AsyncIterable<Uint8Array>,
  twice: boolean,
  disk: typeof diskOf = diskOf,
): Promise<ByteSource> {
  return twice
    ? spool(bytes, disk)
    : { size: null, read: () => bytes, unchanged: async () => true, close: async () => {} };
}

/**
 * The bytes of an open file, which is closed with the source.
 * @param twice as for a stream, if the file is not a regular one
 */
export async function fileSource(handle: FileHandle, twice: boolean): Promise<ByteSource> {
  if ((await handle.stat()).isFile()) return regularFile(handle);
  const bytes = handle.createReadStream({ highWaterMark: chunkBytes, autoClose: false });
  const close = (): Promise<void> => handle.close();
  return twice ? spool(bytes, diskOf).finally(close) : { ...(await streamSource(bytes, false)), close };
}

async function regularFile(handle: FileHandle): Promise<ByteSource> {
  const before = await handle.stat();
  return {
    size: before.size,
    read: () => handle.createReadStream({ start: 0, highWaterMark: chunkBytes, autoClose: false }),
    async unchanged() {
      const after = await handle.stat();
      return after.size === before.size && after.mtimeMs === before.mtimeMs;
    },
    close: () => handle.close(),
  };
}

/** The copy is unlinked as soon as it is open, so that a killed process leaves nothing behind. */
async function spool(bytes: AsyncIterable<Uint8Array>, disk: typeof diskOf): Promise<ByteSource> {
  const parent = tmpdir();
  const folder = await mkdtemp(join(parent, 'logistics-connect-'));
  const handle = await openPrivate(join(folder, 'import'), 'wx+');
  await rm(folder, { recursive: true });
  try {
    let [size, looked] = [0, 0];
    for await (const chunk of bytes) {
      size += chunk.length;
      if (size >= looked) {
        looked = size + lookEvery;
        await requireRoom(parent, disk);
      }
      await handle.writeFile(chunk);
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  return regularFile(handle);
}

/** Bytes of a copy after which the disk is looked at again. */
const lookEvery = 1_048_576;

async function requireRoom(folder: string, disk: typeof diskOf): Promise<void> {
  const found = await disk(folder);
  try {
    requireReserve(found, folder);
  } catch (error) {
    throw new Problem(
      'unavailable',
      'There is no room for the message at the moment. Send it again later.',
      {},
      { 'Retry-After': '30' },
      new OperatorError(
        `The message is copied first, and ${error instanceof Error ? error.message : String(error)}.`,
        'Make room, or set TMPDIR to a folder on a larger disk.',
      ),
    );
  }
}
