// Opens the storage of document files that the settings name.
import { join } from 'node:path';
import { OperatorError } from '../model/operator-error.ts';
import { createDiskStorage } from './disk.ts';
import { incomingName } from './incoming.ts';
import { parseS3Place } from './s3-place.ts';
import type { DocumentStorage } from './storage.ts';

export interface DocumentSettings {
  /** Absolute. */
  readonly dataDir: string;
  /** `s3://…`, or null for the folder `documents` in `dataDir`. */
  readonly documentsUrl: string | null;
  readonly awsAccessKeyId: string | null;
  readonly awsSecretAccessKey: string | null;
  readonly awsSessionToken: string | null;
}

export interface DocumentOptions {
  /** Random name of the database that the files belong to (`Store.epoch`). */
  readonly database: string;
  /** Is told why the storage does not work; the client is told only that it does not. */
  readonly failed: (error: unknown) => void;
}

/**
 * Opens it; nothing is made, written or asked before it is used.
 * @throws OperatorError when a setting is wrong
 */
export async function openDocumentStorage(settings: DocumentSettings, { database, failed }: DocumentOptions): Promise<DocumentStorage> {
  const folder = join(settings.dataDir, 'documents');
  if (settings.documentsUrl === null) return createDiskStorage({ folder, database, failed });
  const place = parseS3Place(settings.documentsUrl);
  const key = keyOf(settings);
  const { createS3Storage } = await import('./s3.ts');
  // Not the temporary folder of the system, which may be memory.
  return createS3Storage({ place, key, incomingFolder: join(folder, incomingName), database, failed });
}

function keyOf({ awsAccessKeyId: accessKeyId, awsSecretAccessKey: secretAccessKey, awsSessionToken: sessionToken }: DocumentSettings): { readonly accessKeyId: string; readonly secretAccessKey: string; readonly sessionToken?: string } | null {
  if (accessKeyId === null && secretAccessKey === null) return null;
  if (accessKeyId === null || secretAccessKey === null) {
    throw new OperatorError(`AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY belong together, and ${accessKeyId === null ? 'the first' : 'the second'} is missing.`, 'Set both, or neither to use the role of the machine.');
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken !== null && { sessionToken }) };
}
