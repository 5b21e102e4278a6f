// Long texts as they are stored in text columns: compressed, so that repetition costs no space.
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { hasCode } from '../model/error-code.ts';

/** Shorter texts gain little. UTF-16 units. */
const minPackedLength = 4096;
/** No JSON text begins like this; any other text that does is packed, however short. */
const mark = 'zstd:';

/** @param text of about a megabyte at most: it is compressed in one piece, which takes some milliseconds */
export function packed(text: string): string {
  return text.length < minPackedLength && !text.startsWith(mark)
    ? text
    : mark + zstdCompressSync(text).toString('base64');
}

/** The unpacked text; text that was stored unpacked is returned as it is. */
export function unpacked(text: string): string {
  return text.startsWith(mark) ? zstdDecompressSync(Buffer.from(text.slice(mark.length), 'base64')).toString() : text;
}

/**
 * The unpacked text, or null if it is longer than `maxBytes`. Repetitive text is packed a thousandfold, so no more than
 * `maxBytes` is unpacked to find out.
 * @param maxBytes UTF-8
 */
export function unpackedWithin(text: string, maxBytes: number): string | null {
  if (!text.startsWith(mark)) return Buffer.byteLength(text) > maxBytes ? null : text;
  try {
    return zstdDecompressSync(Buffer.from(text.slice(mark.length), 'base64'), { maxOutputLength: maxBytes }).toString();
  } catch (error) {
    if (hasCode(error, 'ERR_BUFFER_TOO_LARGE')) return null;
    throw error;
  }
}
