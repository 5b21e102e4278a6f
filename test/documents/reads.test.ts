// How often the file of an image is read to tell whether it is whole: seldom, also where its parts are many and small.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { rounds } from '../contract/rounds.ts';
import { recognizeDocument } from '../../src/documents/kinds.ts';
import { throughWindows } from '../../src/documents/windows.ts';
import { contentOf } from './content.ts';

const mebibyte = 1_048_576;

describe('the file of an image is read seldom', () => {
  it('where a TIFF has thousands of pages with values of their own', async () => {
    // Six values of eight bytes each behind the directory of each page.
    const pageLength = 2 + 6 * 12 + 4 + 6 * 8;
    const positions = Array.from({ length: 3100 }, (_, page) => 8 + page * pageLength);
    const { fault, reads } = await asked(
      tiff(positions, (at) => ({ lists: at + 78, tags: [273, 279, 324, 325, 513, 514], data: 8 })),
    );
    assert.equal(fault, null);
    assert.ok(reads < 30, `${reads} reads`);
  });

  it('where directories, lists and images of thousands of pages lie apart, forwards and backwards', async () => {
    const pages = 4900;
    const [directories, lists] = [19 * mebibyte, 18 * mebibyte];
    const forwards = Array.from({ length: pages }, (_, page) => directories + page * 100);
    for (const positions of [forwards, forwards.toReversed()]) {
      const { fault, reads } = await asked(
        tiff(positions, (at) => ({ lists: lists + (at - directories) / 2, tags: [273, 279], data: 8 })),
      );
      assert.equal(fault, null);
      assert.ok(reads < 60, `${reads} reads`);
    }
  });

  it('where each page of a TIFF fills its place in the longest file', async () => {
    const positions = Array.from({ length: 4900 }, (_, page) => 8 + page * 4200);
    const { fault, reads } = await asked(
      tiff(positions, (at) => ({ lists: at + 100, tags: [273, 279], data: at + 200 })),
    );
    assert.equal(fault, null);
    assert.ok(reads < 700, `${reads} reads`);
  });

  it('where the pages of a TIFF are scattered so that each is far from the one before: it is refused', async () => {
    const places = 150;
    const positions = Array.from(
      { length: 4900 },
      (_, page) => 8 + (page % places) * 131_072 + Math.floor(page / places) * 200,
    );
    const { fault, reads } = await asked(tiff(positions, (at) => ({ lists: at + 100, tags: [273, 279], data: 8 })));
    assert.match(String(fault), /scattered over more than 2000 places/);
    assert.ok(reads < 2020, `${reads} reads`);
  });

  it('where the header of a JPEG is fill bytes', async () => {
    const { fault, reads } = await asked(Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.alloc(20_000, 0xff)]));
    assert.match(String(fault), /more segments than an image can have/);
    assert.ok(reads < 5, `${reads} reads`);
  });

  it('and each piece is what the file has there', async () => {
    const bytes = Buffer.from(Uint32Array.from({ length: 100_000 }, (_, index) => index * 2_654_435_761).buffer);
    const piece = fc.tuple(fc.nat(bytes.length + 70_000), fc.oneof(fc.nat(100), fc.nat(100_000)));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const windows = throughWindows(contentOf(bytes));
        for (const [position, length] of pieces)
          assert.ok((await windows.read(position, length)).equals(bytes.subarray(position, position + length)));
      }),
      { numRuns: rounds(300) },
    );
  });
});

/** What is wrong with a document, and how often it was read. */
async function asked(bytes: Buffer): Promise<{ readonly fault: string | null; readonly reads: number }> {
  let reads = 0;
  const found = await recognizeDocument(
    contentOf(bytes, () => {
      reads += 1;
    }),
    { slug: 'invoice', mediaType: null },
  );
  return { fault: 'reason' in found ? found.reason.detail : null, reads };
}

/**
 * A TIFF with a page at each position, in this order; entries have two values of four bytes in a list. `data` is where
 * image data begins, two strips of one byte.
 */
function tiff(
  positions: readonly number[],
  partsOf: (at: number) => { readonly lists: number; readonly tags: readonly number[]; readonly data: number },
): Buffer {
  const file = Buffer.alloc(20 * mebibyte);
  file.write('II*\0', 'latin1');
  file.writeUInt32LE(positions[0] ?? 0, 4);
  for (const [page, at] of positions.entries()) {
    const { lists, tags, data } = partsOf(at);
    file.writeUInt16LE(tags.length, at);
    for (const [index, tag] of tags.entries()) {
      const [entry, list] = [at + 2 + index * 12, lists + index * 8];
      file.writeUInt16LE(tag, entry);
      file.writeUInt16LE(4, entry + 2);
      file.writeUInt32LE(2, entry + 4);
      file.writeUInt32LE(list, entry + 8);
      for (const value of [0, 4]) file.writeUInt32LE(index % 2 === 0 ? data : 1, list + value);
    }
    file.writeUInt32LE(positions[page + 1] ?? 0, at + 2 + tags.length * 12);
  }
  return file;
}
