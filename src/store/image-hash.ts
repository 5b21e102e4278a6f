// The hash by which a stock image is recognized: the same rows in another order are the same image.
import { createHash } from 'node:crypto';

/** The sum of the hashes of the rows. */
export interface ImageHash {
  readonly bytes: Uint8Array;
}

export function newImageHash(): ImageHash {
  return { bytes: new Uint8Array(32) };
}

/** Adds a row by its natural key and the hash of its content. */
export function addImageHash({ bytes }: ImageHash, naturalKey: string, contentHash: string): void {
  const hash = createHash('sha256').update(naturalKey).update('\n').update(contentHash).digest();
  let carry = 0;
  for (let index = 0; index < bytes.length; index += 1) {
    carry += (bytes[index] ?? 0) + (hash[index] ?? 0);
    bytes[index] = carry & 0xff;
    carry >>= 8;
  }
}

/** The hash as stored in the header of the image. */
export function imageHashText({ bytes }: ImageHash): string {
  return Buffer.from(bytes).toString('base64url');
}
