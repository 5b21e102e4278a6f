// One file while it is taken: opened once, read several times, and verified to stay the same.
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { cooperativeYield } from '../../model/cooperative-yield.ts';
import { identityOf, pathOf } from './inbox.ts';

/** An open file. */
export interface DroppedFile {
  /** Bytes. */
  readonly size: number;
  /** SHA-256, hex. */
  readonly sha256: () => Promise<string>;
  /** Its bytes from the start. @throws FileChanged at the end when they are not those that were opened */
  readonly read: () => AsyncGenerator<Uint8Array>;
  readonly close: () => Promise<void>;
}

/** The file is not the one that was examined: it was changed, or replaced, and has to be examined again. */
export class FileChanged extends Error {
  constructor() {
    super('the file was changed while it was read');
  }
}

/** Bytes per read: short even for consumers that do not divide them, so that requests run in between. */
const chunkBytes = 16 * 1024;

/**
 * Opens a file of an inbox. Does not follow a symbolic link, and does not wait for anything but a regular file.
 * @param identity of the file when it was found
 * @param stopping when it aborts, reading throws its reason
 * @throws FileChanged when it is now another one, and errors of the file system
 */
export async function openDropped(
  folder: string,
  name: Buffer,
  identity: string,
  stopping?: AbortSignal,
): Promise<DroppedFile> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(pathOf(folder, name), flags);
  const check = async (): Promise<bigint> => {
    const found = await handle.stat({ bigint: true });
    if (!found.isFile() || identityOf(found) !== identity) throw new FileChanged();
    return found.size;
  };
  try {
    const size = Number(await check());
    const read = async function* (): AsyncGenerator<Uint8Array> {
      const turn = cooperativeYield('ofFeed');
      for (let at = 0; ; ) {
        await turn();
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(chunkBytes), 0, chunkBytes, at);
        stopping?.throwIfAborted();
        if (bytesRead === 0) break;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
      await check();
    };
    return {
      size,
      read,
      close: () => handle.close(),
      sha256: async () => {
        const hash = createHash('sha256');
        for await (const chunk of read()) hash.update(chunk);
        return hash.digest('hex');
      },
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}
