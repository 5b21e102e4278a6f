// Answers in parts: any bytes come back as they went in, half an answer is none.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../../contract/properties.ts';
import { isMultipart, parseParts } from '../../../src/carriers/colissimo/multipart.ts';
import { rounds } from '../../contract/rounds.ts';

const boundary = 'uuid:38a9-b';
const type = `multipart/mixed; boundary="${boundary}"; type="application/json"; start="<jsonInfos>"`;

function written(
  parts: readonly { readonly head: string; readonly body: Uint8Array }[],
  { before = '\r\n', after = '' } = {},
): Buffer {
  const pieces = parts.flatMap(({ head, body }, index) => [
    Buffer.from(`${index === 0 ? before : '\r\n'}--${boundary}\r\n${head}\r\n`),
    body,
  ]);
  return Buffer.concat([...pieces, Buffer.from(`\r\n--${boundary}--${after}`)]);
}

describe('answers in several parts', () => {
  it('gives back the bytes of each part', async () => {
    // Pieces of boundaries are what a splitter stumbles over.
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc
        .constantFrom('\r\n', '--', '\r\n--', `--${boundary.slice(0, -1)}`, '\n', '\r\n\r\n')
        .map((text) => Buffer.from(text)),
    );
    const content = fc.array(piece, { maxLength: 6 }).map((pieces) => Buffer.concat(pieces));
    await fc.assert(
      fc.asyncProperty(
        fc.array(content, { minLength: 1, maxLength: 4 }),
        fc.constantFrom('', '\r\n', 'preamble\r\n'),
        fc.constantFrom('', '\r\n', '\r\nepilogue'),
        async (bodies, before, after) => {
          fc.pre(bodies.every((body) => !`\r\n${body.toString('latin1')}`.includes(`\r\n--${boundary}`)));
          const parts = await parseParts(
            type,
            written(
              bodies.map((body, index) => ({ head: `Content-ID: <${index}>\r\n`, body })),
              { before, after },
            ),
          );
          assert.deepEqual(
            parts?.map(({ body }) => Buffer.from(body)),
            bodies,
          );
          assert.deepEqual(
            parts?.map(({ headers }) => headers['content-id']),
            bodies.map((_, index) => `<${index}>`),
          );
        },
      ),
      { numRuns: rounds(500) },
    );
  });

  it('takes no beginning of an answer for an answer', async () => {
    const whole = written([
      { head: 'Content-ID: <jsonInfos>\r\n', body: Buffer.from('{}') },
      { head: 'Content-ID: <label>\r\n', body: Buffer.from('%PDF-1.4') },
    ]);
    for (let length = 0; length < whole.length; length += 1)
      assert.equal(await parseParts(type, whole.subarray(0, length)), null, String(length));
    assert.equal((await parseParts(type, whole))?.length, 2);
  });

  it('reads boundaries with and without quotes, headers in any case, and parts without headers', async () => {
    const plain = `MULTIPART/related;Boundary=${boundary};charset=utf-8`;
    const body = Buffer.from(
      `--${boundary}  \r\nCONTENT-id:<a>\r\n\r\none\r\n--${boundary}\r\n\r\ntwo\r\n--${boundary}--`,
    );
    assert.deepEqual(
      (await parseParts(plain, body))?.map(({ headers, body: bytes }) => [headers, bytes.toString()]),
      [
        [{ 'content-id': '<a>' }, 'one'],
        [{}, 'two'],
      ],
    );
    assert.ok(isMultipart(plain));
    assert.ok(!isMultipart('application/json; note="multipart/mixed"'));
  });

  it('decodes a part that was made base64 on the way, and takes what cannot be decoded for none', async () => {
    const label = Buffer.from('%PDF-1.4\r\n\0\xff%%EOF', 'latin1');
    const partOf = (encoding: string, body: string | Buffer) =>
      parseParts(
        type,
        written([
          { head: `Content-Transfer-Encoding: ${encoding}\r\nContent-ID: <label>\r\n`, body: Buffer.from(body) },
        ]),
      );
    const lines = label.toString('base64').replace(/(.{8})/g, '$1\r\n');
    for (const [encoding, body] of [
      ['base64', lines],
      ['BASE64', lines],
      ['binary', label],
      ['8bit', label],
      ['7bit', label],
    ] as const)
      assert.deepEqual(
        (await partOf(encoding, body))?.map((part) => Buffer.from(part.body)),
        [label],
        encoding,
      );
    for (const [encoding, body] of [
      ['base64', '%PDF-1.4'],
      ['base64', ''],
      ['quoted-printable', '=25PDF'],
      ['x-other', label],
    ] as const)
      assert.equal(await partOf(encoding, body), null, encoding);
  });

  it('makes nothing of a type without a boundary, or with one that is too long', async () => {
    assert.equal(await parseParts('multipart/mixed', Buffer.from('--a\r\n\r\nx\r\n--a--')), null);
    assert.equal(await parseParts(`multipart/mixed; boundary="${'b'.repeat(71)}"`, Buffer.from('')), null);
  });
});
