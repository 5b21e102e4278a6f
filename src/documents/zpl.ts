// Whether a text is complete ZPL, the language of label printers: from ^XA to ^XZ, with printable characters only.
import { textBlock } from '../model/text-block.ts';
import type { Reason } from '../model/record.ts';
import type { DocumentContent } from './storage.ts';

const blockLength = 65_536;
/** The longest white space that may follow the last command. */
const tailLength = 64;

/** Reads the whole document. Bytes from 0x80 on are letters in one of a printer's character sets. */
export async function zplReason(content: DocumentContent): Promise<Reason | null> {
  for (let position = 0; position < content.size; position += blockLength) {
    const block = await content.read(position, blockLength);
    const found = block.findIndex(
      (byte) => (byte < 0x20 && byte !== 0x09 && byte !== 0x0a && byte !== 0x0d) || byte === 0x7f,
    );
    if (found !== -1) {
      return {
        code: 'not-allowed',
        pointer: '',
        detail: textBlock`
          The content begins like ZPL, but byte ${position + found} is no printable character. Send graphics in
          hexadecimal, Base64 or Z64.
        `,
      };
    }
  }
  const tail = (await content.read(Math.max(0, content.size - tailLength), tailLength)).toString('latin1');
  return /\^XZ[\t\r\n ]*$/i.test(tail)
    ? null
    : { code: 'cut', pointer: '', detail: 'The ZPL is cut or damaged: it does not end with ^XZ. Send the whole text.' };
}
