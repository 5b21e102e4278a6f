// Keeps document files in an S3-compatible store. This module loads the SDK, so it is imported only when needed.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  NotFound,
  PutObjectCommand,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { createReceive, type IncomingFile, removeIncomingBefore, storing } from './incoming.ts';
import { checkedName, isDocumentName } from './names.ts';
import { createOwnership, markName } from './ownership.ts';
import { type S3Bucket, openBucket, type S3Key, type S3Timeouts, target, loggableFailure } from './s3-bucket.ts';
import type { S3Place } from './s3-place.ts';
import type { DocumentStorage, KeptFile } from './storage.ts';

export interface S3Options {
  readonly place: S3Place;
  /** Null: the SDK finds it, such as the role of the machine. */
  readonly key: S3Key | null;
  /** Folder of documents while they arrive. */
  readonly incomingFolder: string;
  /** Random name of the database that the files belong to. */
  readonly database: string;
  /** Called with the reason when the storage does not work; the client only learns that it does not. */
  readonly failed: (error: unknown) => void;
  readonly timeouts?: S3Timeouts;
}

/** The storage in S3. Sends nothing before its first use. */
export function createS3Storage({
  place,
  key,
  incomingFolder,
  database,
  failed,
  timeouts,
}: S3Options): DocumentStorage {
  const bucket = openBucket(place, key, timeouts);
  const isOurs = createOwnership(
    {
      read: () => asking('the mark cannot be read', () => readText(bucket, markName)),
      write: (text) =>
        asking('the mark cannot be written', async () => {
          await bucket.client.send(new PutObjectCommand({ ...target(bucket, markName), Body: text }));
        }),
    },
    database,
  );
  return {
    receive: createReceive({
      folder: incomingFolder,
      failed,
      keep: async (file, name) => {
        await isOurs();
        await asking(`${name} cannot be kept`, () => put(bucket, name, file));
      },
    }),
    async open(name) {
      checkedName(name);
      const found = await storing(() => asking(`${name} cannot be read`, () => get(bucket, name)), failed);
      if (found === null) throw new Error(`document file ${name} is not in the bucket ${place.bucket}`);
      return found;
    },
    async sizeOf(name) {
      checkedName(name);
      return storing(() => asking(`${name} cannot be looked for`, () => sizeOf(bucket, name)), failed);
    },
    async remove(name) {
      const command = new DeleteObjectCommand(target(bucket, checkedName(name)));
      await storing(() => asking(`${name} cannot be removed`, () => bucket.client.send(command)), failed);
    },
    list: () => listBucket(bucket),
    removeLeftovers: (before) => removeIncomingBefore(incomingFolder, before),
    isOurs,
  };
}

const maxTries = 3;

/**
 * The SDK does not repeat requests whose body is a stream. An attempt that was stored although it seemed to fail is
 * overwritten, or swept.
 */
async function put(bucket: S3Bucket, name: string, file: IncomingFile): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await putOnce(bucket, name, file);
      return;
    } catch (error) {
      if (tries === maxTries || !mayPass(error)) throw error;
      await pause(200 * 4 ** (tries - 1) * (0.5 + Math.random()));
    }
  }
}

async function putOnce(bucket: S3Bucket, name: string, { path, size, sha256 }: IncomingFile): Promise<void> {
  const body = createReadStream(path);
  const broken = new AbortController();
  body.on('error', (error) => broken.abort(error));
  const command = new PutObjectCommand({ ...target(bucket, name), Body: body, ContentLength: size });
  // Signed with the request, and compared by the store with the content that arrives.
  command.middlewareStack.add(
    (next) => (sent) => {
      if (hasHeaders(sent.request)) sent.request.headers['x-amz-content-sha256'] = sha256;
      return next(sent);
    },
    { step: 'build', name: 'contentHash' },
  );
  try {
    await bucket.client.send(command, { abortSignal: broken.signal });
  } finally {
    body.destroy();
  }
}

function hasHeaders(request: unknown): request is { headers: Record<string, string> } {
  return (
    typeof request === 'object' &&
    request !== null &&
    'headers' in request &&
    typeof request.headers === 'object' &&
    request.headers !== null
  );
}

/** Network trouble, overload and server errors may be temporary; a refusal is not. */
function mayPass(error: unknown): boolean {
  const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
  return status === undefined || status >= 500 || status === 408 || status === 429;
}

/** Null when there is no such object. */
async function get(
  bucket: S3Bucket,
  name: string,
): Promise<{ readonly stream: Readable; readonly size: number } | null> {
  try {
    const { Body: stream, ContentLength: size } = await bucket.client.send(new GetObjectCommand(target(bucket, name)));
    if (!(stream instanceof Readable) || size === undefined) throw new Error('the answer has no content or no length');
    return { stream, size };
  } catch (error) {
    if (error instanceof NoSuchKey) return null;
    throw error;
  }
}

/** Null when there is no such object. */
async function sizeOf(bucket: S3Bucket, name: string): Promise<number | null> {
  try {
    return (await bucket.client.send(new HeadObjectCommand(target(bucket, name)))).ContentLength ?? 0;
  } catch (error) {
    if (error instanceof NotFound) return null;
    throw error;
  }
}

async function readText(bucket: S3Bucket, name: string): Promise<string | null> {
  const found = await get(bucket, name);
  if (found === null) return null;
  const chunks: Buffer[] = [];
  for await (const chunk of found.stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}

async function* listBucket({ client, name, prefix }: S3Bucket): AsyncGenerator<KeptFile> {
  let token: string | undefined;
  do {
    const page = await asking('the bucket cannot be listed', () =>
      client.send(new ListObjectsV2Command({ Bucket: name, Prefix: prefix, ContinuationToken: token })),
    );
    for (const { Key = '', LastModified } of page.Contents ?? []) {
      const file = Key.slice(prefix.length);
      if (isDocumentName(file) && LastModified !== undefined) yield { name: file, modifiedAt: LastModified.getTime() };
    }
    token = page.NextContinuationToken;
  } while (token !== undefined);
}

/** SDK errors contain everything that was signed; only the necessary part is logged. */
async function asking<T>(trouble: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    const { name, code, status, message } = loggableFailure(error);
    throw new Error(
      `${trouble}: ${[name, code, status, message].filter((part) => part !== null && part !== '').join(' ')}`,
    );
  }
}
