// Forms that were damaged in every way, over real connections: each ends in an answer, and what is read is what was
// sent.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { problems } from '../../src/model/problem.ts';
import { type Connection, chunk, head, open, type RawAnswer } from './connection.ts';
import { assertProblem, listen, sample } from './sample-server.ts';
import { disposition, facts, form, formType, uploadRoute } from './upload-route.ts';

const boundary = '--frontier';

/** Pieces that parsers trip over. */
const snag = fc.constantFrom(
  '\r\n',
  '\r',
  '\n',
  '\r\n\r\n',
  '--',
  '-',
  boundary,
  `\r\n${boundary}`,
  `\r\n${boundary}\r\n`,
  `\r\n${boundary}--`,
  `${boundary}--\r\n`,
  '\r\n--frontie',
  '\0',
  '"',
  ';',
  ':',
  '\\',
  '%0d%0a',
  `\r\n${boundary}\r\n${disposition}\r\n\r\nsecond`,
  'Content-Disposition: form-data; name="other"\r\n',
  'Content-Type: multipart/mixed; boundary=frontier\r\n',
  `X-Long: ${'a'.repeat(9000)}\r\n`,
  'X: y\r\n'.repeat(40),
);
const content = fc
  .oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc
      .array(fc.oneof(fc.constantFrom('\r\n', '--', '--frontie', 'r', '\r', '\n', 'frontier', '-', 'x')), {
        maxLength: 40,
      })
      .map((parts) => Buffer.from(parts.join(''))),
  )
  .filter(
    (bytes) => !bytes.includes(`\r\n${boundary}`) && !bytes.subarray(0, boundary.length).equals(Buffer.from(boundary)),
  );
const valid = content.map((bytes) => form([[disposition, 'Content-Type: application/pdf'], bytes]));

/** One way to damage bytes; `at` is a place between 0 and 1. */
const damage = fc.oneof(
  fc.record({ kind: fc.constant('cut' as const), at: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({
    kind: fc.constantFrom('drop' as const, 'repeat' as const, 'flip' as const),
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    length: fc.integer({ min: 1, max: 60 }),
  }),
  fc.record({ kind: fc.constant('insert' as const), at: fc.double({ min: 0, max: 1, noNaN: true }), text: snag }),
  fc.record({
    kind: fc.constant('replace' as const),
    what: fc.constantFrom('\r\n', boundary, '--', 'file', 'form-data', 'filename', '"', '\r\n\r\n', disposition),
    text: fc.oneof(snag, fc.constant('')),
  }),
);
type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

function damaged(bytes: Buffer, how: Damage): Buffer {
  if (how.kind === 'replace')
    return Buffer.from(
      bytes.toString('latin1').replace(how.what, () => how.text),
      'latin1',
    );
  const at = Math.floor(how.at * bytes.length);
  switch (how.kind) {
    case 'cut':
      return bytes.subarray(0, at);
    case 'drop':
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + how.length)]);
    case 'repeat':
      return Buffer.concat([bytes.subarray(0, at + how.length), bytes.subarray(at)]);
    case 'flip':
      return Buffer.concat([
        bytes.subarray(0, at),
        bytes.subarray(at, at + how.length).map((byte) => byte ^ 0x2a),
        bytes.subarray(at + how.length),
      ]);
    case 'insert':
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(how.text), bytes.subarray(at)]);
  }
}

/** How the body travels: in one go or in pieces, and whether it keeps its promise of a length. */
const journey = fc.record({
  way: fc.constantFrom('length' as const, 'chunks' as const, 'short' as const),
  size: fc.integer({ min: 1, max: 400 }),
});
type Journey = typeof journey extends fc.Arbitrary<infer T> ? T : never;

async function send(client: Connection, body: Buffer, { way, size }: Journey): Promise<RawAnswer | null> {
  const promised = way === 'short' ? body.length + 10 : body.length;
  await client.send(
    head('POST /v1/upload', {
      'Content-Type': formType,
      ...(way === 'chunks' ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': promised }),
    }),
  );
  for (let at = 0; at < body.length; at += size)
    await client.send(way === 'chunks' ? chunk(body.subarray(at, at + size)) : body.subarray(at, at + size));
  if (way === 'chunks') await client.send(chunk(''));
  if (way === 'short') client.socket.end();
  return client.answer();
}

const isSlug = (name: string): name is keyof typeof problems => Object.hasOwn(problems, name);

describe('any form', () => {
  it('that was damaged ends in an answer: the file, or a problem of the catalogue', { timeout: 900_000 }, async (t) => {
    const { server } = sample(t, {}, [uploadRoute()]);
    const port = await listen(server);
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(valid, fc.array(damage, { minLength: 1, maxLength: 3 }), journey, async (body, ways, how) => {
        const bytes = ways.reduce(damaged, body);
        const client = await open(t, port);
        const answer = await send(client, bytes, how);
        assert.ok(answer !== null, 'the connection ended without an answer');
        const slug = answer.status === 200 ? 'read' : (String(JSON.parse(answer.body).type).split('/').at(-1) ?? '');
        seen.set(slug, (seen.get(slug) ?? 0) + 1);
        if (answer.status === 200)
          assert.deepEqual(JSON.parse(answer.body), { ...JSON.parse(answer.body), ...facts(contentIn(bytes)) });
        else {
          assert.ok(isSlug(slug) && answer.status < 500);
          assertProblem(answer.body, slug);
        }
        client.socket.destroy();
      }),
      { numRuns: 700 },
    );
    for (const slug of ['read', 'invalid-request', 'validation-failed'])
      assert.ok(seen.has(slug), JSON.stringify([...seen]));
  });

  it('that is whole gives its file, whatever the content and the pieces', { timeout: 900_000 }, async (t) => {
    const { server } = sample(t, {}, [uploadRoute()]);
    const port = await listen(server);
    await fc.assert(
      fc.asyncProperty(content, journey, async (bytes, how) => {
        const client = await open(t, port);
        const way = how.way === 'short' ? 'length' : how.way;
        const answer = await send(client, form([[disposition], bytes]), { ...how, way });
        assert.deepEqual(JSON.parse(answer?.body ?? ''), { name: 'a.pdf', type: null, ...facts(bytes) });
        client.socket.destroy();
      }),
      { numRuns: 300 },
    );
  });
});

/** What stands between the headers of the first part and the next boundary. */
function contentIn(body: Buffer): Buffer {
  const text = `\r\n${body.toString('latin1')}`;
  const head = text.indexOf('\r\n\r\n', text.indexOf(`\r\n${boundary}`));
  const end = text.indexOf(`\r\n${boundary}`, head + 2);
  return Buffer.from(text.slice(head + 4, end), 'latin1');
}
