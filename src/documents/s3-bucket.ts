// A bucket of an S3-compatible store: its client, its object names, and the loggable part of an SDK error, without what
// was signed.
import { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import type { S3Place } from './s3-place.ts';

/** Time limits for the store. */
export interface S3Timeouts {
  readonly connectMs: number;
  /** Without a byte in either direction. */
  readonly idleMs: number;
  /** From the start of a request, including its body, to the start of the response. */
  readonly requestMs: number;
}

export interface S3Key {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface S3Bucket {
  readonly client: S3Client;
  readonly name: string;
  readonly prefix: string;
}

/**
 * Opens a bucket without sending a request.
 * @param key null: the SDK finds it, such as the role of the machine
 */
export function openBucket(
  place: S3Place,
  key: S3Key | null,
  timeouts: S3Timeouts = { connectMs: 5000, idleMs: 30_000, requestMs: 60_000 },
): S3Bucket {
  return { client: createClient(place, key, timeouts), name: place.bucket, prefix: place.prefix };
}

/** An object in the bucket, under the prefix. */
export function target({ name, prefix }: S3Bucket, key: string): { readonly Bucket: string; readonly Key: string } {
  return { Bucket: name, Key: prefix + key };
}

/** The content of an SDK error. */
export interface Failure {
  readonly name: string;
  /** Error code of the operating system, such as `ECONNREFUSED`. */
  readonly code: string | null;
  /** Status of the response. */
  readonly status: number | null;
  readonly message: string;
}

/** SDK errors contain everything that was signed; this is the part that may be shown. */
export function loggableFailure(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: '', code: null, status: null, message: String(error) };
  return {
    name: error.name,
    code: 'code' in error && typeof error.code === 'string' ? error.code : null,
    status: error instanceof S3ServiceException ? (error.$metadata.httpStatusCode ?? null) : null,
    message: error.message,
  };
}

function createClient(place: S3Place, key: S3Key | null, timeouts: S3Timeouts): S3Client {
  const silent = (): void => undefined;
  return new S3Client({
    region: place.region,
    ...(place.endpoint !== null && { endpoint: place.endpoint }),
    ...(key !== null && { credentials: key }),
    forcePathStyle: place.pathStyle,
    maxAttempts: 3,
    // Some stores refuse the newer checksums; the signed hash of the content protects it everywhere.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: timeouts.connectMs,
      socketTimeout: timeouts.idleMs,
      requestTimeout: timeouts.requestMs,
      throwOnRequestTimeout: true,
    },
    // By default it writes to the console.
    logger: { trace: silent, debug: silent, info: silent, warn: silent, error: silent },
  });
}
