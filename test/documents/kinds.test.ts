import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { recognizeDocument } from '../../src/documents/kinds.ts';
import { contentOf, reasonOf } from './content.ts';
import { images, jpegWithPreview, pdf, samples, zpl } from './samples.ts';
import { rounds } from '../contract/rounds.ts';

const codes = ['empty', 'not-allowed', 'type-mismatch', 'cut'];

describe('the kind of a document', () => {
  it('is none for an empty file', async () => {
    assert.deepEqual(await reasonOf(Buffer.alloc(0)), { code: 'empty', pointer: '', detail: 'The file is empty.' });
  });

  const strangers: readonly (readonly [content: Buffer | string, name: RegExp])[] = [
    [Buffer.from('504b030414000600', 'hex'), /ZIP archive or an Office document/],
    [Buffer.from('d0cf11e0a1b11ae1', 'hex'), /older Office document/],
    ['GIF89a\u0001', /GIF/],
    ['RIFF\u0001\u0002\u0003\u0004WEBPVP8 ', /WebP/],
    ['\0\0\0\u0018ftypheic\0\0\0\0', /HEIC/],
    ['%!PS-Adobe-3.0', /PostScript/],
    ['<!DOCTYPE html><p>', /HTML/],
    ['\ufeff<?xml version="1.0"?><svg/>', /XML or SVG/],
    ['{"file": "data"}', /JSON/],
    [zpl, /content is ZPL\. Allowed here: PDF, PNG, JPEG, TIFF\./],
    ['just a text', /no kind that is known here/],
    ['%PDF', /no kind/],
    ['\ufeff%PDF-1.7 %%EOF', /no kind/],
    [Buffer.alloc(5_000), /no kind/],
    ['II+\0\u0008\0\0\0', /no kind/],
  ];
  for (const [content, name] of strangers) {
    it(`is refused where it is not allowed: ${name.source}`, async () => {
      const { code, detail } = await reasonOf(Buffer.from(content));
      assert.equal(code, 'not-allowed');
      assert.match(detail, name);
      assert.match(detail, /Allowed here: PDF, PNG, JPEG, TIFF\./);
    });
  }

  it('names ZPL among what a label may be', async () => {
    assert.match(
      (await reasonOf(Buffer.from('GIF89a'), 'label')).detail,
      /GIF image\. Allowed here: PDF, PNG, JPEG, TIFF, ZPL\./,
    );
  });

  for (const [name, { bytes, mediaType }] of Object.entries(samples)) {
    it(`is found by the bytes of ${name}, whatever says nothing or the same`, async () => {
      for (const declared of [
        null,
        '',
        'application/octet-stream',
        'Application/Octet-Stream; x=y',
        mediaType,
        mediaType.toUpperCase(),
        ` ${mediaType} ; charset=binary`,
      ]) {
        const found = await recognizeDocument(contentOf(bytes), { slug: 'invoice', mediaType: declared });
        assert.ok('kind' in found, JSON.stringify(found));
        assert.equal(found.kind.mediaType, mediaType);
      }
    });

    it(`contradicts another declared type: ${name}`, async () => {
      for (const declared of [
        'text/html',
        'image/gif',
        'application/pdf',
        'image/png',
        'image/jpeg',
        'image/tiff',
        'nonsense',
        'application/pdf, image/png',
      ]) {
        if (declared === mediaType) continue;
        const { code, detail } = await reasonOf(bytes, 'invoice', declared);
        assert.equal(code, 'type-mismatch', declared);
        assert.ok(detail.includes(`"${declared}"`) && detail.includes(mediaType), detail);
      }
    });

    it(`is refused wherever ${name} was cut`, async () => {
      // White space after its last mark is all that a PDF can lose.
      const whole = mediaType === 'application/pdf' ? bytes.length - 1 : bytes.length;
      for (let length = 0; length < whole; length += 1) {
        const { code } = await reasonOf(bytes.subarray(0, length), 'invoice', null);
        assert.ok(
          length === 0 ? code === 'empty' : code === 'cut' || (code === 'not-allowed' && length < 8),
          `${length} bytes: ${code}`,
        );
      }
    });

    it(`is found with anything behind ${name}`, async () => {
      for (const length of [1, 100, 1000, 65_523, 65_524, 65_530, 65_535, 65_536, 65_537, 200_000]) {
        if (mediaType === 'application/pdf' && length > 1000) continue;
        assert.ok(
          'kind' in
            (await recognizeDocument(contentOf(Buffer.concat([bytes, Buffer.alloc(length, 0x20)])), {
              slug: 'other',
              mediaType: null,
            })),
          `${length} bytes`,
        );
      }
    });
  }

  it('does not trust the end of a preview', async () => {
    const bytes = jpegWithPreview();
    const end = bytes.indexOf(Buffer.from('ffd9', 'hex')) + 2;
    assert.ok(end < bytes.length);
    assert.equal((await reasonOf(bytes.subarray(0, end))).code, 'cut');
  });

  it('does not trust the first end of a linearized PDF', async () => {
    const whole = pdf('x'.repeat(3000));
    const linearized = Buffer.concat([
      Buffer.from(`%PDF-1.7\n1 0 obj\n<< /Linearized 1 /L ${whole.length + 90} /N 1 >>\nendobj\n`.padEnd(72)),
      Buffer.from('\nstartxref\n0\n%%EOF\n'),
      whole,
    ]);
    assert.ok('kind' in (await recognizeDocument(contentOf(linearized), { slug: 'invoice', mediaType: null })));
    assert.match((await reasonOf(linearized.subarray(0, 90))).detail, /at byte 0, but it has 90/);
  });

  it('is no PDF whose cross-reference table lies beyond its end', async () => {
    assert.match(
      (await reasonOf(Buffer.from('%PDF-1.4\nstartxref\n12345\n%%EOF'))).detail,
      /at byte 12345, but it has 30/,
    );
  });

  it('never fails and never takes long, whatever the bytes are', async () => {
    const begun = fc.constantFrom(
      ...Object.values(images).map(({ bytes }) => bytes.subarray(0, 8)),
      Buffer.from('%PDF-'),
      Buffer.from('^XA'),
      Buffer.alloc(0),
    );
    await fc.assert(
      fc.asyncProperty(
        begun,
        fc.uint8Array({ maxLength: 400 }),
        fc.constantFrom('label', 'invoice'),
        async (start, rest, slug) => {
          const found = await recognizeDocument(contentOf(Buffer.concat([start, rest])), { slug, mediaType: null });
          assert.ok('kind' in found || codes.includes(found.reason.code));
        },
      ),
      { numRuns: rounds(1000) },
    );
  });

  it('never fails on a damaged file', async () => {
    const change = fc.record({ at: fc.nat(5000), to: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.values(samples)),
        fc.array(change, { minLength: 1, maxLength: 8 }),
        async ({ bytes }, changes) => {
          const damaged = Buffer.from(bytes);
          for (const { at, to } of changes) damaged[at % damaged.length] = to;
          const found = await recognizeDocument(contentOf(damaged), { slug: 'label', mediaType: null });
          assert.ok('kind' in found || codes.includes(found.reason.code));
        },
      ),
      { numRuns: rounds(2000) },
    );
  });
});

describe('ZPL', () => {
  for (const text of [zpl, '^XA^XZ', '\r\n ^xa^FDx^FS^xz\r\n\r\n', '\ufeff^XA^XZ', '^XA^FDa^FS^XZ^XA^FDb^FS^XZ']) {
    it(`is taken for a label: ${JSON.stringify(text.slice(0, 30))}`, async () => {
      for (const mediaType of [
        null,
        'text/plain',
        'text/plain; charset=utf-8',
        'application/zpl',
        'x-application/zpl',
      ]) {
        const found = await recognizeDocument(contentOf(Buffer.from(text)), { slug: 'label', mediaType });
        assert.deepEqual(found, { kind: { name: 'ZPL', mediaType: 'application/zpl', extension: 'zpl' } });
      }
    });
  }

  it('is refused wherever it was cut', async () => {
    const bytes = Buffer.from(zpl.trimEnd());
    for (let length = 1; length < bytes.length; length += 1) {
      assert.equal(
        (await reasonOf(bytes.subarray(0, length), 'label')).code,
        length < 3 ? 'not-allowed' : 'cut',
        `${length} bytes`,
      );
    }
  });

  for (const byte of [0x00, 0x02, 0x07, 0x1b, 0x7f]) {
    it(`holds no character 0x${byte.toString(16)}, also far inside`, async () => {
      for (const before of [0, 65_530, 65_535, 65_536, 200_000]) {
        const bytes = Buffer.concat([
          Buffer.from('^XA'),
          Buffer.alloc(before, 0x41),
          Buffer.from([byte]),
          Buffer.from('^XZ'),
        ]);
        const { code, detail } = await reasonOf(bytes, 'label');
        assert.equal(code, 'not-allowed');
        assert.match(detail, new RegExp(`byte ${before + 3} is no printable`));
      }
    });
  }

  it('is not what a declared PDF is', async () => {
    assert.equal((await reasonOf(Buffer.from(zpl), 'label', 'application/pdf')).code, 'type-mismatch');
  });
});

describe('a TIFF', () => {
  const header = (next: number): Buffer => Buffer.from([0x49, 0x49, 0x2a, 0, next & 255, next >> 8, 0, 0]);
  const entry = (tag: number, type: number, count: number, value: number): Buffer => {
    const bytes = Buffer.alloc(12);
    bytes.writeUInt16LE(tag, 0);
    bytes.writeUInt16LE(type, 2);
    bytes.writeUInt32LE(count, 4);
    bytes.writeUInt32LE(value, 8);
    return bytes;
  };
  const directory = (entries: readonly Buffer[], next = 0): Buffer =>
    Buffer.concat([
      Buffer.from([entries.length & 255, entries.length >> 8]),
      ...entries,
      Buffer.from([next & 255, next >> 8, 0, 0]),
    ]);
  const strip = [entry(273, 4, 1, 8), entry(279, 4, 1, 10)];

  const damages: readonly (readonly [what: string, file: Buffer, detail: RegExp])[] = [
    ['has no directory', header(0), /directory of page 1 lies outside/],
    [
      'has its directory in its header',
      Buffer.concat([header(4), directory(strip)]),
      /directory of page 1 lies outside/,
    ],
    [
      'has its directory behind its end',
      Buffer.concat([header(5000), directory(strip)]),
      /directory of page 1 lies outside/,
    ],
    ['has an empty directory', Buffer.concat([header(8), directory([])]), /directory of page 1 lies outside/],
    [
      'has image data behind its end',
      Buffer.concat([header(8), directory([entry(273, 4, 1, 8), entry(279, 4, 1, 4_000_000_000)])]),
      /parts of page 1 lie outside/,
    ],
    [
      'has a list of strips behind its end',
      Buffer.concat([header(8), directory([entry(273, 4, 50, 4000), entry(279, 4, 50, 4000)])]),
      /parts of page 1 lie outside/,
    ],
    [
      'has more strips than bytes',
      Buffer.concat([header(8), directory([entry(273, 4, 0xffffffff, 8), entry(279, 4, 0xffffffff, 8)])]),
      /parts of page 1 lie outside/,
    ],
    [
      'has strips at texts',
      Buffer.concat([header(8), directory([entry(273, 2, 4, 8), entry(279, 4, 1, 8)])]),
      /parts of page 1 lie outside/,
    ],
    ['goes in circles', Buffer.concat([header(8), directory(strip, 8)]), /circle/],
    [
      'breaks off at its second page',
      Buffer.concat([header(8), directory(strip, 900)]),
      /directory of page 2 lies outside/,
    ],
  ];
  for (const [what, file, detail] of damages) {
    it(`is refused when it ${what}`, async () => {
      const found = await reasonOf(file);
      assert.equal(found.code, 'cut');
      assert.match(found.detail, detail);
    });
  }

  it('may have dropped its inner directories', async () => {
    const file = Buffer.concat([header(8), directory([...strip, entry(330, 4, 1, 0), entry(34_665, 4, 1, 0)])]);
    assert.ok('kind' in (await recognizeDocument(contentOf(file), { slug: 'invoice', mediaType: null })));
  });

  it('may end with its image', async () => {
    const file = Buffer.concat([header(8), directory([entry(273, 4, 1, 38), entry(279, 4, 1, 10)]), Buffer.alloc(10)]);
    assert.ok('kind' in (await recognizeDocument(contentOf(file), { slug: 'invoice', mediaType: 'image/tiff' })));
    assert.match((await reasonOf(file.subarray(0, -1))).detail, /parts of page 1 lie outside/);
  });

  it('costs little however many pages it is made of', async () => {
    const pageLength = 30;
    const file = Buffer.alloc(8 + pageLength * 100_000, 0);
    header(8).copy(file);
    for (let at = 8; at + pageLength <= file.length; at += pageLength) {
      Buffer.concat([Buffer.from([2, 0]), ...strip]).copy(file, at);
      file.writeUInt32LE(at + pageLength, at + 26);
    }
    let reads = 0;
    const found = await recognizeDocument(
      contentOf(file, () => {
        reads += 1;
      }),
      { slug: 'invoice', mediaType: null },
    );
    assert.ok('reason' in found && /more than 5000 pages/.test(found.reason.detail));
    assert.ok(reads < 20, `${reads} reads`);
  });

  it('costs little when its pages share one long list', async () => {
    const list = 100_000;
    const pages = 200;
    const pageLength = 30;
    const lists = 8 + pages * pageLength;
    const file = Buffer.alloc(lists + list * 4, 0);
    header(8).copy(file);
    for (let page = 0; page < pages; page += 1)
      directory(
        [entry(273, 4, list, lists), entry(279, 4, list, lists)],
        page + 1 < pages ? 8 + (page + 1) * pageLength : 0,
      ).copy(file, 8 + page * pageLength);
    let bytes = 0;
    const found = await recognizeDocument(
      contentOf(file, (length) => {
        bytes += length;
      }),
      { slug: 'invoice', mediaType: null },
    );
    assert.ok('reason' in found && found.reason.code === 'cut');
    assert.ok(bytes < 5_000_000, `${bytes} bytes`);
  });
});

describe('a JPEG', () => {
  it('costs little when its header never ends', async () => {
    for (const filler of [Buffer.from('ff', 'hex'), Buffer.from('ff01', 'hex'), Buffer.from('ffe00002', 'hex')]) {
      let reads = 0;
      const file = Buffer.concat([Buffer.from('ffd8ff', 'hex'), ...Array.from({ length: 100_000 }, () => filler)]);
      const aligned = filler.length === 1 ? file : Buffer.concat([Buffer.from('ffd8', 'hex'), file.subarray(3)]);
      const found = await recognizeDocument(
        contentOf(aligned, () => {
          reads += 1;
        }),
        { slug: 'invoice', mediaType: null },
      );
      assert.ok('reason' in found && found.reason.code === 'cut');
      assert.ok(reads < 20, `${reads} reads`);
    }
  });
});
