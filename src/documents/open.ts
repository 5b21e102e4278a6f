// Opens the storage of document files that the settings name.
import { textBlock } from '../model/text-block.ts';
import { join } from 'node:path';
import { OperatorError } from '../model/operator-error.ts';
import { createDiskStorage } from './disk.ts';
import { incomingName } from './incoming.ts';
import type { S3Key } from './s3-bucket.ts';
import { parseS3Place, type S3Place } from './s3-place.ts';
import type { DocumentStorage } from './storage.ts';

interface DocumentSettings {
  /** Absolute. */
  readonly dataDir: string;
  /** `s3://…`, or null for the folder `documents` in `dataDir`. */
  readonly documentsUrl: string | null;
  readonly awsAccessKeyId: string | null;
  readonly awsSecretAccessKey: string | null;
  readonly awsSessionToken: string | null;
}

interface DocumentOptions {
  /** Random name of the database that the files belong to (`Store.epoch`). */
  readonly database: string;
  /** Called with the reason when the storage does not work; the client only learns that it does not. */
  readonly failed: (error: unknown) => void;
}

/**
 * Opens it; creates, writes and requests nothing before its first use.
 * @throws OperatorError when a setting is wrong
 */
export async function openDocumentStorage(
  settings: DocumentSettings,
  { database, failed }: DocumentOptions,
): Promise<DocumentStorage> {
  const folder = documentsFolder(settings);
  if (settings.documentsUrl === null) return createDiskStorage({ folder, database, failed });
  const { place, key } = s3Settings(settings, settings.documentsUrl);
  const { createS3Storage } = await import('./s3.ts');
  // Not the system's temporary folder, which may be in memory.
  return createS3Storage({ place, key, incomingFolder: join(folder, incomingName), database, failed });
}

/** Folder of the documents on disk; with S3, of documents that are arriving. */
export function documentsFolder({ dataDir }: Pick<DocumentSettings, 'dataDir'>): string {
  return join(dataDir, 'documents');
}

/**
 * The place of documents in S3, and its key; null: the SDK finds the key, such as the role of the machine.
 * @throws OperatorError when a setting is wrong
 */
export function s3Settings(
  settings: DocumentSettings,
  documentsUrl: string,
): { readonly place: S3Place; readonly key: S3Key | null } {
  return { place: parseS3Place(documentsUrl), key: keyOf(settings) };
}

function keyOf({
  awsAccessKeyId: accessKeyId,
  awsSecretAccessKey: secretAccessKey,
  awsSessionToken: sessionToken,
}: DocumentSettings): S3Key | null {
  if (accessKeyId === null && secretAccessKey === null) return null;
  if (accessKeyId === null || secretAccessKey === null) {
    throw new OperatorError(
      textBlock`
        AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together, and
        ${accessKeyId === null ? 'the first' : 'the second'} is missing.
      `,
      'Set both, or neither to use the role of the machine.',
    );
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken !== null && { sessionToken }) };
}
