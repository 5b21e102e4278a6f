// Document files in an archive: copied out of the storage by name and back into it, each identified by its SHA-256.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { isDocumentName } from '../documents/names.ts';
import type { DocumentStorage } from '../documents/storage.ts';
import { isObject } from '../model/check.ts';
import { OperatorError } from '../model/operator-error.ts';
import { Problem } from '../model/problem.ts';
import { makePrivateFolder, openPrivate } from '../store/private-files.ts';
import { readDataFile } from './data-file.ts';
import type { ArchivedFile } from './manifest.ts';
import { storageFailure } from './storage-failure.ts';

/** Where the files are in an archive, and the name of their list. */
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
 * @param names any number of them; duplicates are allowed
 * @param missing receives those that the storage does not have
 * @returns the lines of the list
 * @throws OperatorError when the storage does not work
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
      const document = isDocumentName(name) ? await copyOut(storage, name, path) : null;
      if (document === null) {
        missing(name);
        continue;
      }
      copied(document.size);
      yield [JSON.stringify(document)];
    }
  }
}

const maxTries = 3;

/** S3 storage repeats requests, but not responses that break off. Null when there is no such file. */
async function copyOut(storage: DocumentStorage, name: string, path: string): Promise<ArchivedDocument | null> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await copyOnce(storage, name, path);
    } catch (error) {
      if (!(error instanceof ReadFailure)) throw error;
      await rm(path, { force: true });
      if (tries === maxTries) throw storageFailure(error);
      await pause(200 * 4 ** (tries - 1) * (0.5 + Math.random()));
    }
  }
}

/** Distinguishes a response that broke off from a disk that cannot be written. */
class ReadFailure extends Error {}

async function copyOnce(storage: DocumentStorage, name: string, path: string): Promise<ArchivedDocument | null> {
  const opened = await openUnlessMissing(storage, name);
  if (opened === null) return null;
  const hash = createHash('sha256');
  let size = 0;
  const readWhole = async function* (): AsyncGenerator<Buffer> {
    const chunks: AsyncIterable<Buffer> = opened.stream;
    try {
      for await (const chunk of chunks) {
        hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ReadFailure(`${name} broke off after ${size} of ${opened.size} bytes: ${reason}`, { cause: error });
    }
    if (size !== opened.size) throw new ReadFailure(`${name} ended after ${size} of ${opened.size} bytes`);
  };
  try {
    makePrivateFolder(dirname(path));
    const handle = await openPrivate(path, 'wx');
    try {
      await pipeline(readWhole, handle.createWriteStream({ flush: true }));
    } catch (error) {
      await handle.close().catch(() => undefined);
      throw error;
    }
  } finally {
    opened.stream.destroy();
  }
  return { name, size, sha256: hash.digest('hex') };
}

/** Null when there is no such file: it never existed, or was just removed. */
async function openUnlessMissing(
  storage: DocumentStorage,
  name: string,
): Promise<Awaited<ReturnType<DocumentStorage['open']>> | null> {
  try {
    return await storage.open(name);
  } catch (error) {
    if (error instanceof Problem || error instanceof OperatorError) throw storageFailure(error);
    if ((await storage.sizeOf(name)) === null) return null;
    throw storageFailure(error);
  }
}

/** The documents of an archive, according to its list. */
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

/** @throws OperatorError when a file is missing or differs from the list */
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
 * Copies the files into the storage, in such a way that an interrupted copy can be repeated.
 * @param list of the archive
 * @param leaveEqual existing files with the same content are not rewritten and keep their date; others are replaced
 * @param copied is called for each file, whether it was written or left
 * @returns how many were written
 * @throws OperatorError when the storage does not work, or a file of the archive differs from its list
 */
export async function copyDocumentsIn(
  storage: DocumentStorage,
  { folder, list, leaveEqual }: { readonly folder: string; readonly list: ArchivedFile; readonly leaveEqual: boolean },
  copied: () => void,
): Promise<number> {
  let count = 0;
  for await (const document of listed(folder, list)) {
    if (!leaveEqual || !(await holds(storage, document))) {
      await copyIn(storage, folder, document);
      count += 1;
    }
    copied();
  }
  return count;
}

async function copyIn(storage: DocumentStorage, folder: string, document: ArchivedDocument): Promise<void> {
  const { name, size, sha256 } = document;
  const received = await storage.receive(createReadStream(join(folder, documentsFolder, name)), { size });
  try {
    if (received.sha256 !== sha256 || received.size !== size)
      throw new OperatorError(`The document file ${name} was changed while it was copied.`, 'Use a whole copy.');
    await received.keep(name);
  } finally {
    await received.discard();
  }
}

/**
 * Whether the storage has exactly this file. One that cannot be read to its end counts as different, and is rewritten.
 */
async function holds(storage: DocumentStorage, { name, size, sha256 }: ArchivedDocument): Promise<boolean> {
  if ((await storage.sizeOf(name)) !== size) return false;
  const { stream } = await storage.open(name);
  const hash = createHash('sha256');
  try {
    for await (const chunk of stream) hash.update(chunk);
  } catch {
    return false;
  }
  return hash.digest('hex') === sha256;
}
