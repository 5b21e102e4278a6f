// Labels as a page draws them: what a reader finds in their symbols, and a PDF whose picture is coded as faxes are.
import type { Page } from 'playwright-core';
import { symbolsIn } from '../carriers/sandbox/readers.ts';

/** What the symbols of each image of a label say, in the order of the page. */
export async function drawnSymbols(page: Page): Promise<readonly (readonly string[])[]> {
  const addresses: readonly string[] = await page.evaluate(
    `[...document.querySelectorAll('.label-image')].map(({ src }) => src)`,
  );
  return Promise.all(
    addresses.map(async (address) => {
      const png = Buffer.from(address.slice(address.indexOf(',') + 1), 'base64');
      return (await symbolsIn(png)).map(({ text }) => text);
    }),
  );
}

/** How light the first image of a label is in the middle of its left and of its right half: 0 is black, 255 white. */
export async function halvesOfLabel(page: Page): Promise<readonly number[]> {
  return page.evaluate(`(() => {
    const image = document.querySelector('.label-image');
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    return [0.25, 0.75].map((part) => context.getImageData(canvas.width * part, canvas.height / 2, 1, 1).data[0]);
  })()`);
}

/**
 * A page that is black on its left half: a picture of 32 by 32 dots, coded by ITU-T T.6 (fax, group 4), which pdf.js
 * decodes by a part that it loads when it meets the first such picture.
 */
export function faxPdf(): Buffer {
  // Horizontal mode, no white dots, 16 black ones; the rest as above. Then each row as the one above. End of the page.
  const bits = `001${'00110101'}${'0000010111'}1${'111'.repeat(31)}${'000000000001'.repeat(2)}`;
  const bytes = bits.match(/.{1,8}/g)?.map((byte) => Number.parseInt(byte.padEnd(8, '0'), 2)) ?? [];
  const picture = Buffer.from(bytes).toString('hex');
  const content = 'q 100 0 0 100 0 0 cm /Picture Do Q';
  const filter = '/Filter[/ASCIIHexDecode/CCITTFaxDecode]/DecodeParms[null<</K -1/Columns 32/Rows 32>>]';
  const image = `/Subtype/Image/Width 32/Height 32/ColorSpace/DeviceGray/BitsPerComponent 1${filter}`;
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]/Contents 4 0 R/Resources<</XObject<</Picture 5 0 R>>>>>>',
    `<</Length ${content.length}>>stream\n${content}\nendstream`,
    `<</Type/XObject${image}/Length ${picture.length}>>stream\n${picture}\nendstream`,
  ]);
}

function pdfOf(objects: readonly string[]): Buffer {
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = file.length;
    file += `${index + 1} 0 obj${object}endobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(
    `${file}${table}trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF\n`,
    'latin1',
  );
}
