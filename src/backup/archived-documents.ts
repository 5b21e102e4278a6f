// Document files in an archive: copied out of the storage by name, and back into it, each known by its SHA-256.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { isDocumentName } from '../documents/names.ts';
import type { DocumentStorage } from '../documents/storage.ts';
import { isObject } from '../model/check.ts';
import { OperatorError } from '../model/operator-error.ts';
import { makePrivateFolder, openPrivate } from '../store/private-files.ts';
import { readDataFile } from './data-file.ts';
import type { ArchivedFile } from './manifest.ts';

/** Where the files lie in an archive, and the name of their list. */
const documentsFolder = 'documents';
export const documentsList = 'documents.ndjson';

interface ArchivedDocument {
  readonly name: string;
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

/**
 * Copies files out of the storage.
 * @param names any number of them, some perhaps twice
 * @param missing is told of those that the storage has not
 * @returns the lines of the list
 */
export async function* copyDocumentsOut(
  storage: DocumentStorage,
  names: AsyncIterable<readonly string[]>,
  {
    folder,
    missing,
    copied,
  }: {
    readonly folder: string;
    readonly missing: (name: string) => void;
    readonly copied: (bytes: number) => void;
  },
): AsyncGenerator<readonly string[]> {
  for await (const group of names) {
    for (const name of group) {
      const path = join(folder, documentsFolder, name);
      if ((await stat(path).catch(() => null)) !== null) continue;
      if (!isDocumentName(name) || (await storage.sizeOf(name)) === null) {
        missing(name);
        continue;
      }
      const document = await copyOut(storage, name, path);
      copied(document.size);
      yield [JSON.stringify(document)];
    }
  }
}

async function copyOut(storage: DocumentStorage, name: string, path: string): Promise<ArchivedDocument> {
  const { stream } = await storage.open(name);
  makePrivateFolder(dirname(path));
  const handle = await openPrivate(path, 'wx');
  const hash = createHash('sha256');
  let size = 0;
  try {
    await pipeline(
      stream,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          hash.update(chunk);
          size += chunk.length;
          yield chunk;
        }
      },
      handle.createWriteStream({ flush: true }),
    );
  } catch (error) {
    await handle.close().catch(() => undefined);
    throw error;
  }
  return { name, size, sha256: hash.digest('hex') };
}

/** The documents that an archive holds, by its list. */
async function* listed(folder: string, list: ArchivedFile): AsyncGenerator<ArchivedDocument> {
  for await (const group of readDataFile(join(folder, list.path), list)) {
    for (const line of group) {
      const value: unknown = JSON.parse(line);
      if (
        !isObject(value) ||
        typeof value.name !== 'string' ||
        !isDocumentName(value.name) ||
        typeof value.size !== 'number' ||
        typeof value.sha256 !== 'string'
      )
        throw new OperatorError(`${join(folder, list.path)} is damaged.`, 'Nothing was written. Use a whole copy.');
      yield { name: value.name, size: value.size, sha256: value.sha256 };
    }
  }
}

/** @throws OperatorError where a file is missing or another one than the list tells of */
export async function checkArchivedDocuments(folder: string, list: ArchivedFile): Promise<void> {
  for await (const { name, size, sha256 } of listed(folder, list)) {
    const path = join(folder, documentsFolder, name);
    const found = await stat(path).catch(() => null);
    const hash = createHash('sha256');
    if (found?.size === size) for await (const chunk of createReadStream(path)) hash.update(chunk);
    if (found?.size !== size || hash.digest('hex') !== sha256)
      throw new OperatorError(
        `${path} is ${found === null ? 'missing' : 'damaged'}.`,
        'Nothing was written. Use a whole copy.',
      );
  }
}

/**
 * Copies the files into the storage. Those that are there are replaced by the same, so that what was interrupted is
 * done again.
 * @returns how many
 */
export async function copyDocumentsIn(
  storage: DocumentStorage,
  folder: string,
  list: ArchivedFile,
  copied: (bytes: number) => void,
): Promise<number> {
  let count = 0;
  for await (const { name, size, sha256 } of listed(folder, list)) {
    const received = await storage.receive(createReadStream(join(folder, documentsFolder, name)), { size });
    try {
      if (received.sha256 !== sha256 || received.size !== size)
        throw new OperatorError(`The document file ${name} was changed while it was copied.`, 'Use a whole copy.');
      await received.keep(name);
    } finally {
      await received.discard();
    }
    copied(size);
    count += 1;
  }
  return count;
}
