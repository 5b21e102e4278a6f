// Labels as PNG: one picture per parcel, one pixel per dot of the printer.
import { setImmediate } from 'node:timers/promises';
import { crc32, deflateSync } from 'node:zlib';
import { shaperFor } from '../fonts/shaping.ts';
import type { Bitmap } from './bitmap.ts';
import { dotsPerMillimetre } from './blocks.ts';
import type { LabelContent } from './content.ts';
import { createTextDrawer } from './glyph-image.ts';
import { marksOf, textsOfMarks } from './layout.ts';
import { rasterOf } from './raster.ts';

/** Draws labels as black and white PNG pictures of 800 by 1200 dots, one each. */
export async function pngLabels(contents: readonly LabelContent[]): Promise<readonly Buffer[]> {
  const labels = contents.map(marksOf);
  const drawText = createTextDrawer(await shaperFor(textsOfMarks(labels.flat())));
  const pictures: Buffer[] = [];
  for (const marks of labels) {
    // Drawing a label blocks other work; a shipment of ninety-nine parcels yields between labels.
    if (pictures.length > 0) await setImmediate();
    pictures.push(encodePng(rasterOf(marks, drawText)));
  }
  return pictures;
}

/** A bitmap as PNG of one bit per dot, with its size on paper. */
function encodePng({ width, height, stride, bytes }: Bitmap): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // One bit, greyscale, the only defined compression and filter methods, no interlacing.
  header.set([1, 0, 0, 0, 0], 8);
  const size = Buffer.alloc(9);
  size.writeUInt32BE(dotsPerMillimetre * 1000, 0);
  size.writeUInt32BE(dotsPerMillimetre * 1000, 4);
  size.writeUInt8(1, 8);
  const rows = Buffer.alloc((stride + 1) * height);
  for (let row = 0; row < height; row += 1) {
    for (let at = 0; at < stride; at += 1) rows[row * (stride + 1) + 1 + at] = ~(bytes[row * stride + at] ?? 0) & 0xff;
  }
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('pHYs', size),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex');

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
