// Files that broke off at any byte are refused, and so are stumps; what other programs leave behind a file is not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { recognizeDocument } from '../../src/documents/kinds.ts';
import { contentOf, reasonOf } from './content.ts';
import { images, pdf, updatedPdf } from './samples.ts';
import { rounds } from '../contract/rounds.ts';

const jpeg = images['baseline JPEG'].bytes;
/** Its segments up to the header of its only scan. */
const jpegHead = jpeg.subarray(0, jpeg.indexOf(Buffer.from('ffda', 'hex')) + 14);
const pngHead = images.png.bytes.subarray(0, 33);
const pngEnd = Buffer.from('0000000049454e44ae426082', 'hex');

describe('a stump', () => {
  const stumps: readonly (readonly [what: string, bytes: Buffer, detail: RegExp])[] = [
    ['a PDF of its first line and its end mark', Buffer.from('%PDF-1.7\n%%EOF\n'), /startxref is not before its %%EOF/],
    [
      'a PDF that says where its table is and nothing more',
      Buffer.from('%PDF-1.7\nstartxref\n9\n'),
      /%%EOF is not among its last 1024 bytes/,
    ],
    [
      'a PNG whose end is within its pixels',
      Buffer.concat([pngHead, chunk('IDAT', pngEnd).subarray(0, -4)]),
      /IEND is missing/,
    ],
    ['a JPEG without anything', Buffer.from('ffd8ffd9', 'hex'), /ends before its image/],
    [
      'a JPEG whose last segment is not whole',
      Buffer.concat([jpeg.subarray(0, -2), Buffer.from('ffc4', 'hex')]),
      /marker of its end is missing/,
    ],
  ];
  for (const [what, bytes, detail] of stumps) {
    it(`is refused: ${what}`, async () => {
      const fault = await reasonOf(bytes);
      assert.equal(fault.code, 'cut');
      assert.match(fault.detail, detail);
    });
  }
});

describe('a PDF that was changed after it was made', () => {
  const { bytes, whole } = updatedPdf();

  it('is found', async () =>
    assert.ok('kind' in (await recognizeDocument(contentOf(bytes), { slug: 'invoice', mediaType: null }))));

  it('is refused wherever a long change breaks off', async () => {
    const long = Buffer.concat([bytes.subarray(0, whole), Buffer.alloc(1100, 'x'), bytes.subarray(whole)]);
    assert.ok('kind' in (await recognizeDocument(contentOf(long), { slug: 'invoice', mediaType: null })));
    for (let length = whole + 1024; length < long.length - 1; length += 1) {
      const { code } = await reasonOf(long.subarray(0, length));
      assert.equal(code, 'cut', `${length} bytes of ${long.length}`);
    }
  });

  it('is what it was before where the change is too short to tell it from what programs leave behind', async () => {
    for (const length of [whole - 1, whole, whole + 20])
      assert.ok(
        'kind' in (await recognizeDocument(contentOf(bytes.subarray(0, length)), { slug: 'invoice', mediaType: null })),
        `${length} bytes of ${bytes.length}`,
      );
  });
});

describe('what other programs leave behind a file', () => {
  const left: readonly (readonly [what: string, bytes: Buffer])[] = [
    ['nothing', Buffer.alloc(0)],
    ['line breaks', Buffer.from('\r\n\r\n')],
    ['zeros', Buffer.alloc(900)],
    ['a page', Buffer.from('<!-- generated in 0.3 s -->\n<html></html>')],
    ['a second end mark', Buffer.from('%%EOF\n')],
    ['a boundary', Buffer.from('\r\n--7f3a--\r\n')],
    ['signs', Buffer.from('\x1a\xff\xfe', 'latin1')],
  ];
  for (const [what, bytes] of left) {
    it(`is passed over: ${what}`, async () => {
      for (const whole of [
        pdf(),
        images.png.bytes,
        images['baseline JPEG'].bytes,
        images['progressive JPEG'].bytes,
        images['TIFF, big-endian'].bytes,
      ]) {
        const found = await recognizeDocument(contentOf(Buffer.concat([whole, bytes])), {
          slug: 'invoice',
          mediaType: null,
        });
        assert.ok('kind' in found, JSON.stringify(found));
      }
    });
  }

  it('is passed over: a second image behind a JPEG, as telephones write it', async () => {
    assert.ok(
      'kind' in
        (await recognizeDocument(contentOf(Buffer.concat([jpeg, jpeg.subarray(0, 100)])), {
          slug: 'invoice',
          mediaType: null,
        })),
    );
  });
});

describe('an image of any length', () => {
  /** Near the borders of the blocks in which a file is read. */
  const length = fc.oneof(
    fc.integer({ min: 1, max: 200 }),
    fc.constantFrom(4096, 65_536, 131_072).chain((border) => fc.integer({ min: border - 700, max: border + 20 })),
  );

  it('is a JPEG when it is whole, and none wherever it was cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(length, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 255 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (lengths, fill, where) => {
          const table = Buffer.from('ffc400070102030405', 'hex');
          const scans = lengths.map((each, index) =>
            Buffer.concat([index === 0 ? jpegHead : Buffer.concat([table, jpegHead.subarray(-14)]), scan(each, fill)]),
          );
          await wholeOnly(Buffer.concat([...scans, Buffer.from('ffd9', 'hex')]), where);
        },
      ),
      { numRuns: rounds(200) },
    );
  });

  it('is a PNG when it is whole, and none wherever it was cut', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(length, { minLength: 1, maxLength: 4 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (lengths, where) => {
          // Pixels that hold what looks like the end.
          const chunks = lengths.map((each) => chunk('IDAT', Buffer.alloc(each, pngEnd)));
          await wholeOnly(Buffer.concat([pngHead, chunk('tEXt', pngEnd), ...chunks, pngEnd]), where);
        },
      ),
      { numRuns: rounds(200) },
    );
  });

  it('costs little however small its parts are', async () => {
    const scans = Array.from({ length: 9000 }, () => Buffer.concat([jpegHead.subarray(-14), Buffer.from('00', 'hex')]));
    const chunks = Array.from({ length: 400_000 }, () => chunk('IDAT', Buffer.alloc(0)));
    for (const file of [
      Buffer.concat([jpegHead, Buffer.from('00', 'hex'), ...scans]),
      Buffer.concat([pngHead, ...chunks]),
    ]) {
      let bytes = 0;
      const found = await recognizeDocument(
        contentOf(file, (read) => {
          bytes += read;
        }),
        { slug: 'invoice', mediaType: null },
      );
      assert.ok('reason' in found && found.reason.code === 'cut');
      assert.ok(bytes < 40_000_000, `${bytes} bytes were read`);
    }
  });
});

/** Taken whole, refused when it ends after that part of it. */
async function wholeOnly(bytes: Buffer, where: number): Promise<void> {
  assert.ok('kind' in (await recognizeDocument(contentOf(bytes), { slug: 'invoice', mediaType: null })));
  for (const length of [Math.floor(where * (bytes.length - 1)), bytes.length - 1, bytes.length - 2]) {
    const { code } = await reasonOf(bytes.subarray(0, length));
    assert.ok(code === 'cut' || length < 8, `${length} of ${bytes.length} bytes: ${code}`);
  }
}

/** Pixels of a JPEG: one byte again and again, with stuffed and fill bytes and a restart marker now and then. */
function scan(length: number, fill: number): Buffer {
  const bytes = Buffer.alloc(length, fill === 0xff ? 0xfe : fill);
  for (let at = 0; at + 7 < length; at += 97) Buffer.from('ff00ffd3ffff00', 'hex').copy(bytes, at);
  return bytes;
}

function chunk(type: string, data: Buffer): Buffer {
  const made = Buffer.alloc(12 + data.length);
  made.writeUInt32BE(data.length, 0);
  made.write(type, 4, 'latin1');
  data.copy(made, 8);
  return made;
}
