// The bytes of a message: from an open file, or from a stream, which is copied when it must be read twice.
import { mkdtemp, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
 */
export async function streamSource(bytes: AsyncIterable<Uint8Array>, twice: boolean): Promise<ByteSource> {
  return twice ? spool(bytes) : { size: null, read: () => bytes, unchanged: async () => true, close: async () => {} };
}

/**
 * The bytes of an open file, which is closed with the source.
 * @param twice as for a stream, if the file is not a regular one
 */
export async function fileSource(handle: FileHandle, twice: boolean): Promise<ByteSource> {
  if ((await handle.stat()).isFile()) return regularFile(handle);
  const bytes = handle.createReadStream({ highWaterMark: chunkBytes, autoClose: false });
  const close = (): Promise<void> => handle.close();
  return twice ? spool(bytes).finally(close) : { ...(await streamSource(bytes, false)), close };
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
async function spool(bytes: AsyncIterable<Uint8Array>): Promise<ByteSource> {
  const folder = await mkdtemp(join(tmpdir(), 'logistics-connect-'));
  const handle = await openPrivate(join(folder, 'import'), 'wx+');
  await rm(folder, { recursive: true });
  try {
    for await (const chunk of bytes) await handle.writeFile(chunk);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return regularFile(handle);
}
