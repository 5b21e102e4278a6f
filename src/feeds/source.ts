// Where an import reads from: a file, or a stream that is spooled when it must be read twice.
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OperatorError } from '../model/operator-error.ts';
import { openPrivate } from '../store/private-files.ts';
import type { FileHandle } from 'node:fs/promises';

export type ImportSource =
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'stream'; readonly bytes: AsyncIterable<Uint8Array> };

/** A source that is ready to be read. */
export interface OpenSource {
  /** Length in bytes; null when only the end will tell. */
  readonly size: number | null;
  /** All bytes from the start. */
  readonly read: () => AsyncIterable<Uint8Array>;
  /** True when the bytes are still those that were read before. */
  readonly unchanged: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** Bytes per read: large enough that reading costs nothing beside parsing. */
const CHUNK = 256 * 1024;

/**
 * Opens a source.
 * @param twice it will be read more than once: what is no regular file is copied to a temporary file that its owner
 * alone can read
 * @throws OperatorError for a missing or unreadable file and for a folder
 */
export async function openSource(source: ImportSource, twice: boolean): Promise<OpenSource> {
  if (source.kind === 'stream') return twice ? spool(source.bytes) : onePass(source.bytes, async () => undefined);
  const handle = await openFile(source.path);
  const found = await handle.stat();
  if (found.isDirectory()) {
    await handle.close();
    throw new OperatorError(`${source.path} is a folder.`, 'Name a file of newline-delimited JSON or one JSON array.');
  }
  if (found.isFile()) return fromHandle(handle);
  if (!twice) return onePass(handle.createReadStream({ highWaterMark: CHUNK, autoClose: false }), () => handle.close());
  try {
    return await spool(handle.createReadStream({ highWaterMark: CHUNK, autoClose: false }));
  } finally {
    await handle.close();
  }
}

async function openFile(path: string): Promise<FileHandle> {
  try {
    return await open(path, 'r');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ENOENT')
      throw new OperatorError(`There is no file ${path}.`, 'Check the name, or use - to read from standard input.', {
        cause: error,
      });
    if (code === 'EACCES' || code === 'EPERM')
      throw new OperatorError(`${path} may not be read.`, 'Give the user who runs the import the right to read it.', {
        cause: error,
      });
    throw new OperatorError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`, '', {
      cause: error,
    });
  }
}

function onePass(bytes: AsyncIterable<Uint8Array>, close: () => Promise<void>): OpenSource {
  return { size: null, read: () => bytes, unchanged: async () => true, close };
}

async function fromHandle(handle: FileHandle): Promise<OpenSource> {
  const before = await handle.stat();
  return {
    size: before.size,
    read: () => handle.createReadStream({ start: 0, highWaterMark: CHUNK, autoClose: false }),
    async unchanged() {
      const after = await handle.stat();
      return after.size === before.size && after.mtimeMs === before.mtimeMs;
    },
    close: () => handle.close(),
  };
}

/** The copy has no name any more as soon as it is open, so that a run that is killed leaves nothing behind. */
async function spool(bytes: AsyncIterable<Uint8Array>): Promise<OpenSource> {
  const folder = await mkdtemp(join(tmpdir(), 'logistics-connect-'));
  const handle = await openPrivate(join(folder, 'import'), 'wx+');
  await rm(folder, { recursive: true });
  try {
    for await (const chunk of bytes) await handle.writeFile(chunk);
  } catch (error) {
    await handle.close();
    throw error;
  }
  return fromHandle(handle);
}
