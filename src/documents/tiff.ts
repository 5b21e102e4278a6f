// Whether everything that a TIFF points at lies inside it: its directories may be anywhere, so its end alone says
// nothing.
import type { DocumentContent } from './storage.ts';

/**
 * Walks the pages of a TIFF (revision 6.0, section 2): directories, values and image data.
 * @returns what is missing, or null
 */
export async function cutTiff(content: DocumentContent): Promise<string | null> {
  const head = await content.read(0, 8);
  if (head.length < 8) return 'its header is not whole';
  const file = tiffFile(content, head[0] === 0x49);
  const seen = new Set<number>();
  let next = file.u32(head, 4);
  do {
    if (seen.has(next)) return 'its pages form a circle';
    if (seen.size === mostPages) return `it has more than ${mostPages} pages`;
    seen.add(next);
    const page = await readPage(file, next);
    if (page === null) return `the directory of page ${seen.size} lies outside of it`;
    const reason = (await pageFault(file, page.entries)) ?? (await innerFault(file, page.entries));
    if (reason !== null) return `${reason} of page ${seen.size}`;
    next = page.next;
  } while (next !== 0);
  return null;
}

/** Tags of directories inside of a page: smaller images, and what the camera says. */
const innerDirectories: readonly number[] = [330, 34_665, 34_853];

/** Inner directories lie inside, and so do their values and images; what they themselves have inside is passed over. */
async function innerFault(file: TiffFile, entries: ReadonlyMap<number, Entry>): Promise<string | null> {
  for (const tag of innerDirectories) {
    for (const position of (await numbers(file, entries.get(tag))) ?? []) {
      // Programs that drop a directory leave a zero.
      if (position === 0) continue;
      const inner = file.spend(partsOfDirectory) ? await readPage(file, position) : null;
      if (inner === null) return `a directory under tag ${tag} lies outside`;
      const reason = valueFault(file, inner.entries) ?? (await dataFault(file, inner.entries));
      if (reason !== null && reason !== noData) return `${reason} in a directory under tag ${tag}`;
    }
  }
  return null;
}

/** Bounds on what a made-up file may cost. */
const mostPages = 5000;
const mostParts = 500_000;
/** A directory costs several reads, however small it is. */
const partsOfDirectory = 100;

/**
 * Bytes of one value by type: none, BYTE, ASCII, SHORT, LONG, RATIONAL, and so on to IFD. Other types are passed over.
 */
const typeLengths: readonly number[] = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4];

/** Tags of where image data is, each with the one of how long it is: strips, tiles, JPEG data of older files. */
const imageData: readonly (readonly [positions: number, lengths: number])[] = [
  [273, 279],
  [324, 325],
  [513, 514],
];

interface TiffFile {
  readonly content: DocumentContent;
  readonly u16: (bytes: Buffer, at: number) => number;
  readonly u32: (bytes: Buffer, at: number) => number;
  /** Counts entries and parts; false when there are too many. */
  readonly spend: (parts: number) => boolean;
}

interface Entry {
  readonly type: number;
  readonly count: number;
  /** The value itself where it fits, else where it is. */
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
      return parts <= mostParts;
    },
  };
}

/** Null where it is not wholly inside the file. */
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
    entries.set(u16(bytes, at), {
      type: u16(bytes, at + 2),
      count: u32(bytes, at + 4),
      field: bytes.subarray(at + 8, at + 12),
    });
  }
  return { entries, next: u32(bytes, count * 12) };
}

async function pageFault(file: TiffFile, entries: ReadonlyMap<number, Entry>): Promise<string | null> {
  return valueFault(file, entries) ?? dataFault(file, entries);
}

function valueFault({ u32, content }: TiffFile, entries: ReadonlyMap<number, Entry>): string | null {
  for (const [tag, entry] of entries) {
    const length = lengthOf(entry);
    if (length > 4 && u32(entry.field, 0) + length > content.size) return `the value of tag ${tag} lies outside`;
  }
  return null;
}

const noData = 'there is no image data';

async function dataFault(file: TiffFile, entries: ReadonlyMap<number, Entry>): Promise<string | null> {
  let found = false;
  for (const [positionsTag, lengthsTag] of imageData) {
    const [positions, lengths] = [
      await numbers(file, entries.get(positionsTag)),
      await numbers(file, entries.get(lengthsTag)),
    ];
    if (positions === null || lengths === null) return 'the list of image data makes no sense';
    found ||= positions.length > 0;
    // Old files leave the length of a single strip out.
    if (positions.some((position, index) => position + (lengths[index] ?? 1) > file.content.size))
      return 'image data lies outside';
  }
  return found ? null : noData;
}

function lengthOf({ type, count }: Entry): number {
  return (typeLengths[type] ?? 0) * count;
}

/** The values of an entry of whole numbers; none where there is no entry, null where they cannot be read. */
async function numbers(
  { content, u16, u32, spend }: TiffFile,
  entry: Entry | undefined,
): Promise<readonly number[] | null> {
  if (entry === undefined) return [];
  const size = typeLengths[entry.type] ?? 0;
  if ((entry.type !== 3 && entry.type !== 4 && entry.type !== 13) || !spend(entry.count)) return null;
  const length = lengthOf(entry);
  const bytes = length <= 4 ? entry.field : await content.read(u32(entry.field, 0), length);
  return bytes.length < length
    ? null
    : Array.from({ length: entry.count }, (_, index) =>
        entry.type === 3 ? u16(bytes, index * size) : u32(bytes, index * size),
      );
}
