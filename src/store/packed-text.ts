// Long texts as they are kept in a column of text: compressed, so that what repeats itself costs no room.
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** Shorter texts gain little. UTF-16 units. */
const shortest = 4096;
/** No JSON text begins so; any other text that does is packed, however short. */
const mark = 'zstd:';

/** @param text of a megabyte or so at most: it is compressed in one piece, which takes some milliseconds */
export function packed(text: string): string {
  return text.length < shortest && !text.startsWith(mark) ? text : mark + zstdCompressSync(text).toString('base64');
}

/** The text that was packed; one that was kept as it is stays so. */
export function unpacked(text: string): string {
  return text.startsWith(mark) ? zstdDecompressSync(Buffer.from(text.slice(mark.length), 'base64')).toString() : text;
}

/**
 * The text that was packed, or null where it has more bytes than these: what repeats itself is packed a thousandfold,
 * and no more of it than that is unpacked to find out.
 * @param maxBytes UTF-8
 */
export function unpackedWithin(text: string, maxBytes: number): string | null {
  if (!text.startsWith(mark)) return Buffer.byteLength(text) > maxBytes ? null : text;
  try {
    return zstdDecompressSync(Buffer.from(text.slice(mark.length), 'base64'), { maxOutputLength: maxBytes }).toString();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE') return null;
    throw error;
  }
}
