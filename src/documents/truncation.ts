// Whether a document is truncated, as failed uploads are: nobody should get half an invoice, and no printer half a
// label.
import type { DocumentContent } from './storage.ts';
import { throughWindows, windowLength } from './windows.ts';

/** Describes the missing part of a document, as the middle of a sentence; null when it is complete. */
export type TruncationCheck = (content: DocumentContent) => Promise<string | null>;

/**
 * PDF readers look for the end mark in this many bytes at the end; before it stands the position of the cross-reference
 * table.
 */
const pdfTailBytes = 1024;
const pdfTrailerBytes = 256;

/** Looks for the end of a PDF (ISO 32000-1, 7.5.5). Other bytes may follow, because many programs append some. */
export const truncatedPdf: TruncationCheck = async (content) => {
  const from = Math.max(0, content.size - pdfTailBytes - pdfTrailerBytes);
  const tail = (await content.read(from, pdfTailBytes + pdfTrailerBytes)).toString('latin1');
  if (!tail.slice(-pdfTailBytes).includes('%%EOF')) return `%%EOF is not among its last ${pdfTailBytes} bytes`;
  const table = [...tail.matchAll(/startxref\s+(\d{1,15})\b.{0,200}?%%EOF/gs)].at(-1)?.[1];
  if (table === undefined) return 'startxref is not before its %%EOF';
  // In a linearized PDF, the first end mark is near the beginning and names byte 0 (annex F).
  const isEnd = Number(table) > 0 || !(await content.read(0, pdfTailBytes)).includes('/Linearized');
  return isEnd && Number(table) < content.size
    ? null
    : `its cross-reference table would be at byte ${table}, but it has ${content.size}`;
};

const pngEnd = 0x49_45_4e_44;

/** Walks the chunks of a PNG up to IEND; readers ignore what follows. */
export const truncatedPng: TruncationCheck = async (content) => {
  for (let position = 8; position + 12 <= content.size; ) {
    const block = await content.read(position, windowLength);
    let at = 0;
    while (at + 8 <= block.length) {
      const [length, type] = [block.readUInt32BE(at), block.readUInt32BE(at + 4)];
      at += 12 + length;
      if (type === pngEnd) return position + at > content.size ? 'its last chunk is not whole' : null;
    }
    position += at;
  }
  return 'the chunk IEND is missing';
};

/** More segments than the header of any JPEG has; bounds the cost of a malicious one. */
const maxSegments = 10_000;
const jpegEnd = Buffer.from('ffd9', 'hex');

/**
 * Looks for the end of a JPEG (ITU-T T.81, annex B) after its header, because a preview in the header has an end of its
 * own. What follows, such as a second image, is ignored.
 */
export const truncatedJpeg: TruncationCheck = async (content) => {
  const header = throughWindows(content);
  let position = 2;
  for (let count = 0; count < maxSegments; count += 1) {
    const segment = await header.read(position, 4);
    if (segment.length < 4) return 'it ends before its image';
    const marker = segment.readUInt16BE(0);
    if (marker < 0xff01) return `there is no marker at byte ${position}`;
    if (marker === 0xffda) return (await holds(content, position, jpegEnd)) ? null : 'the marker of its end is missing';
    if (marker === 0xffff) position += 1;
    else position += marker === 0xff01 || (marker >= 0xffd0 && marker <= 0xffd8) ? 2 : 2 + segment.readUInt16BE(2);
  }
  return 'it has more segments than an image can have';
};

async function holds(content: DocumentContent, from: number, mark: Buffer): Promise<boolean> {
  for (let position = from; position + mark.length <= content.size; position += windowLength - mark.length + 1) {
    if ((await content.read(position, windowLength)).includes(mark)) return true;
  }
  return false;
}
