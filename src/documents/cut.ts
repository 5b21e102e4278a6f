// Whether a PDF or PNG ends where it should: uploads that broke off in the middle are the usual damage.
import type { DocumentContent } from './storage.ts';

/** Readers of PDF look for the end in so many last bytes. */
const pdfTail = 1024;
/** How far before its end mark a PDF may say where its cross-reference table is. */
const pdfTrailer = 256;

/**
 * Looks for the end of a PDF, and where the file itself says how long it is (ISO 32000-1, 7.5.5, 7.5.6 and annex F),
 * whether it is. Other bytes may follow: many programs leave some.
 * @returns what is missing, or null
 */
export async function cutPdf(content: DocumentContent): Promise<string | null> {
  const tail = (await content.read(Math.max(0, content.size - pdfTail - pdfTrailer), pdfTail + pdfTrailer)).toString(
    'latin1',
  );
  if (!tail.slice(-pdfTail).includes('%%EOF')) return `%%EOF is not among its last ${pdfTail} bytes`;
  const end = [...tail.matchAll(/startxref\s+(\d{1,15})\b.{0,200}?%%EOF/gs)].at(-1);
  if (end === undefined) return 'startxref is not before its %%EOF';
  const [text, start = ''] = end;
  if (Number(start) >= content.size)
    return `its cross-reference table would be at byte ${start}, but it has ${content.size}`;
  if (begunUpdate.test(tail.slice(end.index + text.length)))
    return 'it goes on after its %%EOF, and that part breaks off';
  const head = (await content.read(0, pdfTail)).toString('latin1');
  // A linearized PDF has an %%EOF near its beginning too.
  const [linearized = ''] = /<<[^<>]*\/Linearized\b[^<>]*>>/.exec(head) ?? [];
  const [, length] = /\/L\s+(\d{1,15})\b/.exec(linearized) ?? [];
  return length !== undefined && Number(length) > content.size
    ? `it says that it has ${length} bytes, but there are ${content.size}`
    : null;
}

/** How an update begins that was added to a PDF: with an object or a table, or with as much of that as there is. */
const begunUpdate = /^[\s\0]*(?:\d{1,10}(?:$|\s+(?:$|\d{1,5}(?:$|\s+(?:$|ob?$|obj\b))))|x(?:re?)?$|xref\b)/;

const blockLength = 65_536;
const pngHeader = Buffer.from('0000000d49484452', 'hex');
const [imageData, imageEnd] = [0x49_44_41_54, 0x49_45_4e_44];

/**
 * Walks the chunks of a PNG to its last one; what follows that one, readers pass over.
 * @returns what is missing, or null
 */
export async function cutPng(content: DocumentContent): Promise<string | null> {
  if (!(await content.read(8, pngHeader.length)).equals(pngHeader)) return 'IHDR is not its first chunk';
  let pixels = 0;
  for (let position = 8; position + 12 <= content.size; ) {
    const block = await content.read(position, blockLength);
    let at = 0;
    while (at + 8 <= block.length) {
      const [length, type] = [block.readUInt32BE(at), block.readUInt32BE(at + 4)];
      at += 12 + length;
      if (type === imageData) pixels += length;
      if (type !== imageEnd) continue;
      if (position + at > content.size) return 'its last chunk is not whole';
      return pixels === 0 ? 'it has no image data' : null;
    }
    position += at;
  }
  return 'the chunk IEND is missing';
}
