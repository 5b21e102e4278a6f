// HMAC with SHA-256 (RFC 2104), composed of one-shot hashes. Node's own HMAC creates several objects for each signature
// and took four times as long in a busy server.
import { hash, type KeyObject } from 'node:crypto';

/** Signs with one secret. */
export type Hmac = (message: Buffer) => Buffer;

/** @param secret of any length */
export function createHmacSha256(secret: KeyObject | string): Hmac {
  const given = typeof secret === 'string' ? Buffer.from(secret) : secret.export();
  const key = Buffer.alloc(blockBytes);
  (given.length > blockBytes ? hash('sha256', given, 'buffer') : given).copy(key);
  const inner = key.map((byte) => byte ^ 0x36);
  const outer = key.map((byte) => byte ^ 0x5c);
  return (message) =>
    hash('sha256', Buffer.concat([outer, hash('sha256', Buffer.concat([inner, message]), 'buffer')]), 'buffer');
}

/** SHA-256's block size. */
const blockBytes = 64;
