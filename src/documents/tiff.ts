// Whether a TIFF is truncated: its directories may be anywhere, so its end alone proves nothing.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DocumentContent } from './storage.ts';
import type { TruncationCheck } from './truncation.ts';
import { throughWindows } from './windows.ts';

/**
 * Bounds on the cost of a malicious file: pages, the total of entries and strips, and reads. A file of 20 MiB whose
 * pages lie in any order that a program writes takes some 640 reads.
 */
const maxPages = 5000;
const maxParts = 500_000;
const maxReads = 2000;
/** Other requests have their turn after so many pages: pages in the same window wait for nothing. */
const pagesOfTurn = 100;

/** Walks the pages of a TIFF (revision 6.0, section 2) and checks that values and image data lie inside the file. */
export const truncatedTiff: TruncationCheck = async (content) => {
  const windows = throughWindows(content);
  const head = await windows.read(0, 8);
  if (head.length < 8) return 'its header is not whole';
  const file = tiffFile(windows, head[0] === 0x49);
  const seen = new Set<number>();
  for (let next = file.u32(head, 4); next !== 0 || seen.size === 0; ) {
    if (seen.has(next)) return 'its pages form a circle';
    if (seen.size === maxPages) return `it has more than ${maxPages} pages`;
    if (windows.reads() > maxReads) return `its pages are scattered over more than ${maxReads} places`;
    seen.add(next);
    if (seen.size % pagesOfTurn === 0) await nextTurn();
    const page = await readPage(file, next);
    if (page === null) return `the directory of page ${seen.size} lies outside of it`;
    if (!(await isInside(file, page.entries))) return `parts of page ${seen.size} lie outside of it`;
    next = page.next;
  }
  return null;
};

/** Bytes per value, by type: none, BYTE, ASCII, SHORT, LONG, RATIONAL, and so on to IFD. Others are skipped. */
const typeLengths: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];
const [short, long, directory] = [3, 4, 13];

/** Tags for the positions of image data, each with the tag for its lengths: strips, tiles, JPEG data of older files. */
const imageData: readonly (readonly [positions: number, lengths: number])[] = [
  [273, 279],
  [324, 325],
  [513, 514],
];

interface TiffFile {
  readonly content: DocumentContent;
  readonly u16: (bytes: Buffer, at: number) => number;
  readonly u32: (bytes: Buffer, at: number) => number;
  /** Counts entries and strips; returns false when there are too many. */
  readonly spend: (parts: number) => boolean;
}

interface Entry {
  readonly type: number;
  readonly count: number;
  readonly length: number;
  /** The value itself if it fits, else its position. */
  readonly field: Buffer;
}

function tiffFile(content: DocumentContent, littleEndian: boolean): TiffFile {
  let parts = 0;
  return {
    content,
    u16: (bytes, at) => (littleEndian ? bytes.readUInt16LE(at) : bytes.readUInt16BE(at)),
    u32: (bytes, at) => (littleEndian ? bytes.readUInt32LE(at) : bytes.readUInt32BE(at)),
    spend: (more) => {
      parts += more;
      return parts <= maxParts;
    },
  };
}

/** Null when it is not entirely inside the file. */
async function readPage(
  { content, u16, u32, spend }: TiffFile,
  position: number,
): Promise<{ readonly entries: ReadonlyMap<number, Entry>; readonly next: number } | null> {
  const counted = await content.read(position, 2);
  if (position < 8 || counted.length < 2) return null;
  const count = u16(counted, 0);
  const bytes = await content.read(position + 2, count * 12 + 4);
  if (count === 0 || bytes.length < count * 12 + 4 || !spend(count)) return null;
  const entries = new Map<number, Entry>();
  for (let at = 0; at < count * 12; at += 12) {
    const [type, values] = [u16(bytes, at + 2), u32(bytes, at + 4)];
    const length = (typeLengths[type] ?? 0) * values;
    entries.set(u16(bytes, at), { type, count: values, length, field: bytes.subarray(at + 8, at + 12) });
  }
  return { entries, next: u32(bytes, count * 12) };
}

async function isInside(file: TiffFile, entries: ReadonlyMap<number, Entry>): Promise<boolean> {
  const { content, u32 } = file;
  for (const { length, field } of entries.values())
    if (length > 4 && u32(field, 0) + length > content.size) return false;
  for (const [positionsTag, lengthsTag] of imageData) {
    const positions = await numbers(file, entries.get(positionsTag));
    const lengths = await numbers(file, entries.get(lengthsTag));
    // Old files omit the length of a single strip.
    if (
      positions === null ||
      lengths === null ||
      positions.some((at, index) => at + (lengths[index] ?? 1) > content.size)
    )
      return false;
  }
  return true;
}

/** The values of an integer entry; none when it is missing, null when they cannot be read. */
async function numbers(
  { content, u16, u32, spend }: TiffFile,
  entry: Entry | undefined,
): Promise<readonly number[] | null> {
  if (entry === undefined) return [];
  const { type, count, length, field } = entry;
  if ((type !== short && type !== long && type !== directory) || !spend(count)) return null;
  const bytes = length <= 4 ? field : await content.read(u32(field, 0), length);
  if (bytes.length < length) return null;
  return Array.from({ length: count }, (_, index) => (type === short ? u16(bytes, index * 2) : u32(bytes, index * 4)));
}
