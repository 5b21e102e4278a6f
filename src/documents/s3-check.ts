// Checks whether a bucket can be used as document storage: tries every operation that the storage needs, and leaves
// nothing behind.
import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  NoSuchKey,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { documentName } from './names.ts';
import { markName } from './ownership.ts';
import { type Failure, openBucket, type S3Key, target, loggableFailure } from './s3-bucket.ts';
import type { S3Place } from './s3-place.ts';

/** Result of the check; `step` is the permission that the failing request needs. */
type S3Verdict =
  | { readonly ok: true /** Database that the files belong to; null: none yet. */; readonly database: string | null }
  | {
      readonly ok: false;
      readonly step: 's3:ListBucket' | 's3:GetObject' | 's3:PutObject' | 's3:DeleteObject';
      readonly failure: Failure;
    };

/**
 * Lists, reads the mark, writes a small file and removes it. If this process ends in between, the sweep removes the
 * file.
 * @param now milliseconds
 */
export async function checkS3(place: S3Place, key: S3Key | null, now: number): Promise<S3Verdict> {
  const bucket = openBucket(place, key, { connectMs: 3000, idleMs: 10_000, requestMs: 10_000 });
  const probe = target(bucket, documentName('0', 'pdf', now));
  let step: Extract<S3Verdict, { ok: false }>['step'] = 's3:ListBucket';
  try {
    await bucket.client.send(new ListObjectsV2Command({ Bucket: bucket.name, Prefix: bucket.prefix, MaxKeys: 1 }));
    step = 's3:GetObject';
    const database = await bucket.client.send(new GetObjectCommand(target(bucket, markName))).then(
      ({ Body }) => Body?.transformToString() ?? null,
      (error: unknown) => (error instanceof NoSuchKey ? null : Promise.reject(error)),
    );
    step = 's3:PutObject';
    await bucket.client.send(new PutObjectCommand({ ...probe, Body: 'written by doctor' }));
    step = 's3:DeleteObject';
    await bucket.client.send(new DeleteObjectCommand(probe));
    return { ok: true, database: database?.trim() ?? null };
  } catch (error) {
    return { ok: false, step, failure: loggableFailure(error) };
  } finally {
    bucket.client.destroy();
  }
}
