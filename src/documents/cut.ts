// Whether a PDF, PNG or JPEG ends where it should: uploads that broke off in the middle are the usual damage.
import type { DocumentContent } from './storage.ts';

/** Readers of PDF look for the end in so many last bytes. */
const pdfTail = 1024;

/**
 * Looks for the end of a PDF, and where the file itself says how long it is (ISO 32000-1, 7.5.5 and annex F), whether it is.
 * @returns what is missing, or null
 */
export async function cutPdf(content: DocumentContent): Promise<string | null> {
  const tail = (await content.read(Math.max(0, content.size - pdfTail), pdfTail)).toString('latin1');
  const end = tail.lastIndexOf('%%EOF');
  if (end === -1) return `%%EOF is not among its last ${pdfTail} bytes`;
  const [, start] = /startxref\s+(\d{1,15})\s*$/.exec(tail.slice(0, end)) ?? [];
  if (start !== undefined && Number(start) >= content.size) return `its cross-reference table would be at byte ${start}, but it has ${content.size}`;
  // A linearized PDF has an %%EOF near its beginning too.
  const head = (await content.read(0, pdfTail)).toString('latin1');
  const [, length] = /\/Linearized\b.*?\/L\s+(\d{1,15})\b/s.exec(head) ?? [];
  return length !== undefined && Number(length) > content.size ? `it says that it has ${length} bytes, but there are ${content.size}` : null;
}

const pngHeader = Buffer.from('0000000d49484452', 'hex');
const pngEnd = Buffer.from('0000000049454e44ae426082', 'hex');

/**
 * Looks for the first and the last chunk of a PNG; what follows the last one, readers pass over.
 * @returns what is missing, or null
 */
export async function cutPng(content: DocumentContent): Promise<string | null> {
  if (!(await content.read(8, pngHeader.length)).equals(pngHeader)) return 'IHDR is not its first chunk';
  return await lastIndexOf(content, pngEnd, 33) === -1 ? 'the chunk IEND is missing' : null;
}

const jpegEnd = Buffer.from('ffd9', 'hex');
/** More segments than any JPEG has before its image; keeps a made-up one from costing much. */
const mostSegments = 10_000;

/**
 * Walks a JPEG to its image and looks for the end after it: a preview in its header has an end of its own.
 * @returns what is missing, or null
 */
export async function cutJpeg(content: DocumentContent): Promise<string | null> {
  let position = 2;
  for (let count = 0; count < mostSegments; count += 1) {
    const segment = await content.read(position, 4);
    if (segment.length < 4) return 'it ends before its image';
    const marker = segment.readUInt16BE(0);
    if (marker < 0xff01) return `there is no marker at byte ${position}`;
    if (marker === 0xffd9) return 'it has no image';
    if (marker === 0xffff) position += 1;
    else if (marker === 0xff01 || (marker >= 0xffd0 && marker <= 0xffd8)) position += 2;
    else position += 2 + segment.readUInt16BE(2);
    if (marker === 0xffda) return await lastIndexOf(content, jpegEnd, position) === -1 ? 'the marker of its end is missing' : null;
  }
  return 'it has more segments than an image can have';
}

const blockLength = 65_536;

/** Position of the last occurrence that begins at `from` or later, or -1; looked for from the end, so that a whole file costs one read. */
async function lastIndexOf(content: DocumentContent, wanted: Buffer, from: number): Promise<number> {
  for (let end = content.size; end > from; end -= blockLength) {
    const start = Math.max(from, end - blockLength);
    // A little of the block after it, for what lies across the border.
    const found = (await content.read(start, end - start + wanted.length - 1)).lastIndexOf(wanted);
    if (found !== -1) return start + found;
  }
  return -1;
}
