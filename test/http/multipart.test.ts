// The one file of a form: what is refused, with which sentence, and what is read of a form that is right.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readSingleFile } from '../../src/http/multipart.ts';
import type { problems } from '../../src/model/problem.ts';
import { chunk, head, open } from './connection.ts';
import { assertProblem, json, listen, sample, token } from './sample-server.ts';
import { disposition, facts, fileLimit, form, formType, uploadRoute } from './upload-route.ts';

const file = [[disposition, 'Content-Type: application/pdf'], '%PDF-1.7'] as const;
const field = (name: string) => [[`Content-Disposition: form-data; name="${name}"`], 'text'] as const;
const headed = (...lines: readonly string[]) => form([[disposition, ...lines], 'x']);

const refused: readonly [
  name: string,
  body: Buffer | string,
  slug: keyof typeof problems,
  detail: RegExp,
  type?: string,
][] = [
  ['no boundary', form(file), 'invalid-request', /with a boundary/, 'multipart/form-data'],
  ['an empty boundary', form(file), 'invalid-request', /with a boundary/, 'multipart/form-data; boundary=""'],
  [
    'a boundary that is too long',
    form(file),
    'invalid-request',
    /1 to 70/,
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
  ],
  ['another boundary', form(file), 'invalid-request', /does not occur/, 'multipart/form-data; boundary=other'],
  ['nothing at all', '', 'validation-failed', /form is empty/],
  ['a byte order mark alone', '\ufeff', 'validation-failed', /form is empty/],
  ['a cut byte order mark', Buffer.from([0xef, 0xbb]), 'invalid-request', /does not occur/],
  ['something else', '%PDF-1.7 and so on', 'invalid-request', /does not occur/],
  ['much of something else', 'x'.repeat(50_000), 'invalid-request', /does not occur/],
  ['a boundary in the middle of a line', 'x--frontier\r\n', 'invalid-request', /does not occur/],
  ['line feeds alone', form(file).toString().replaceAll('\r\n', '\n'), 'invalid-request', /line feed/],
  ['no part', form(), 'validation-failed', /form is empty/],
  ['another part', form(field('comment')), 'validation-failed', /not the file/],
  [
    'another file',
    form([['Content-Disposition: form-data; name="document"; filename="a.pdf"'], 'x']),
    'validation-failed',
    /not the file/,
  ],
  [
    'the name in another case',
    form([['Content-Disposition: form-data; name="File"; filename="a.pdf"'], 'x']),
    'validation-failed',
    /not the file/,
  ],
  ['a field before the file', form(field('comment'), file), 'validation-failed', /not the file/],
  ['a field after the file', form(file, field('comment')), 'validation-failed', /not the file/],
  ['two files', form(file, file), 'validation-failed', /more than one file/],
  ['a plain field', form(field('file')), 'validation-failed', /plain field/],
  [
    'a plain field that says that it is text',
    form([['Content-Disposition: form-data; name="file"', 'Content-Type: text/plain; charset=utf-8'], 'x']),
    'validation-failed',
    /plain field/,
  ],
  [
    'a part without headers',
    '--frontier\r\n\r\nx\r\n--frontier--\r\n',
    'invalid-request',
    /no readable Content-Disposition/,
  ],
  [
    'a part without a name',
    form([['Content-Disposition: form-data; filename="a.pdf"'], 'x']),
    'validation-failed',
    /not the file: it has no name/,
  ],
  [
    'a part that is an attachment',
    form([['Content-Disposition: attachment; name="file"; filename="a.pdf"'], 'x']),
    'invalid-request',
    /no readable Content-Disposition/,
  ],
  [
    'two names',
    form([['Content-Disposition: form-data; name="file"; name="other"; filename="a.pdf"'], 'x']),
    'invalid-request',
    /no readable Content-Disposition/,
  ],
  [
    'a quote that is not closed',
    form([['Content-Disposition: form-data; name="file"; filename="a.pdf'], 'x']),
    'invalid-request',
    /no readable Content-Disposition/,
  ],
  ['the disposition twice', headed(disposition), 'invalid-request', /twice/],
  ['a header without a colon', headed('Nonsense'), 'invalid-request', /header line/],
  ['a header with a blank before the colon', headed('X-A : b'), 'invalid-request', /header line/],
  ['a folded header', headed('X-A: b', ' c'), 'invalid-request', /header line/],
  ['a control character in a header', headed('X-A: \x00'), 'invalid-request', /header line/],
  ['many headers', headed(...Array.from({ length: 16 }, (_, n) => `X-${n}: y`)), 'invalid-request', /16 header lines/],
  ['a long header', headed(`X-A: ${'a'.repeat(9000)}`), 'invalid-request', /8192 bytes/],
  [
    'a header that does not end',
    `--frontier\r\n${disposition}\r\nX-A: ${'a'.repeat(50_000)}`,
    'invalid-request',
    /8192 bytes/,
  ],
  ['base64', headed('Content-Transfer-Encoding: base64'), 'invalid-request', /Content-Transfer-Encoding/],
  ['a malformed type', headed('Content-Type: pdf;;=;'), 'invalid-request', /Content-Type of a part/],
  [
    'a file name in an unknown charset',
    form([['Content-Disposition: form-data; name="file"; filename*=KOI8-R\'\'a.pdf'], 'x']),
    'invalid-request',
    /filename\*/,
  ],
  [
    'a file name that is not what it says',
    form([['Content-Disposition: form-data; name="file"; filename*=UTF-8\'\'%E9.pdf'], 'x']),
    'invalid-request',
    /filename\*/,
  ],
  ['a cut in the first line', '--frontier', 'invalid-request', /cut/],
  ['a cut in the headers', '--frontier\r\nContent-Disp', 'invalid-request', /cut/],
  ['a cut in the content', form(file).subarray(0, -20), 'invalid-request', /cut/],
  ['a cut in the last boundary', form(file).subarray(0, -4), 'invalid-request', /cut/],
  [
    'a last boundary with one dash',
    `${form(file).toString().slice(0, -3)}\r\n`,
    'invalid-request',
    /Behind a boundary/,
  ],
  [
    'the boundary inside of the content',
    form([[disposition], 'a\r\n--frontiers of the world\r\nb']),
    'invalid-request',
    /inside of the content/,
  ],
  [
    'something behind the first boundary',
    `--frontier!\r\n${disposition}\r\n\r\nx\r\n--frontier--`,
    'invalid-request',
    /Behind a boundary/,
  ],
  [
    'a file that is one byte too long',
    form([[disposition], Buffer.alloc(fileLimit + 1)]),
    'payload-too-large',
    /100000 bytes/,
  ],
  [
    'a form that is too long behind its file',
    Buffer.concat([form(file), Buffer.alloc(2 * fileLimit)]),
    'payload-too-large',
    /200000 bytes/,
  ],
];

describe('a form that is not exactly one file', () => {
  for (const [name, body, slug, detail, type = formType] of refused) {
    // A long body in tiny pieces is refused for these.
    for (const size of [Buffer.byteLength(body) > 7000 ? 700 : 7, 1_000_000]) {
      it(`${name}, in pieces of ${size}: ${slug}`, async (t) => {
        const { server } = sample(t, {}, [uploadRoute()]);
        const client = await open(t, await listen(server));
        await client.send(head('POST /v1/upload', { 'Content-Type': type, 'Transfer-Encoding': 'chunked' }));
        const bytes = Buffer.from(body);
        const pieces = Array.from({ length: Math.ceil(Math.min(bytes.length, 250_000) / size) }, (_, n) =>
          chunk(bytes.subarray(n * size, (n + 1) * size)),
        );
        await client.send(Buffer.concat([...pieces, chunk('')]));
        const problem = assertProblem((await client.answer())?.body ?? '', slug);
        assert.match(String(problem.detail), detail);
      });
    }
  }

  it('says in `errors` which part is wrong', async (t) => {
    const { server } = sample(t, {}, [uploadRoute()]);
    const errorsOf = async (payload: Buffer) =>
      Object.keys(
        Object(
          (
            await server.inject({
              method: 'POST',
              url: '/v1/upload',
              headers: { ...token, 'content-type': formType },
              payload,
            })
          ).json().errors,
        ),
      );
    assert.deepEqual(await errorsOf(form(file, field('comment'))), ['comment']);
    assert.deepEqual(await errorsOf(form(field('__proto__'))), ['__proto__']);
    assert.deepEqual(await errorsOf(form(field('x'.repeat(500)))), ['x'.repeat(64)]);
    assert.deepEqual(await errorsOf(form(field(''))), ['file']);
    assert.deepEqual(await errorsOf(form()), ['file']);
  });

  it('does not take the process with it where nobody takes the content', async (t) => {
    const { server } = sample(t, {}, [
      uploadRoute(async (call) => {
        const { content } = await readSingleFile(call, fileLimit);
        content.resume();
        await new Promise((done) => {
          content.once('close', done);
        });
        return json('[]');
      }),
    ]);
    assert.equal(
      (
        await server.inject({
          method: 'POST',
          url: '/v1/upload',
          headers: { ...token, 'content-type': formType },
          payload: form(file).subarray(0, -4),
        })
      ).statusCode,
      200,
    );
  });

  it('is left by a handler that has seen enough, and the client gets its answer', async (t) => {
    const { server } = sample(t, {}, [
      uploadRoute(async (call) => {
        const { content } = await readSingleFile(call, fileLimit);
        for await (const first of content) return json(JSON.stringify(first.length > 0));
        return json('null');
      }),
    ]);
    const client = await open(t, await listen(server));
    const start = form([[disposition], 'x'.repeat(100)]).subarray(0, -30);
    await client.send(
      Buffer.concat([
        Buffer.from(head('POST /v1/upload', { 'Content-Type': formType, 'Content-Length': 150_000 })),
        start,
      ]),
    );
    const answer = await client.answer();
    assert.equal(answer?.body, 'true');
    assert.equal(answer?.headers.connection, 'close');
    await client.closed;
  });
});

const accepted: readonly [
  name: string,
  body: Buffer,
  expected: { readonly name: string | null; readonly type: string | null; readonly content: string | Buffer },
  type?: string,
][] = [
  ['as it should be', form(file), { name: 'a.pdf', type: 'application/pdf', content: '%PDF-1.7' }],
  [
    'with a quoted boundary',
    form(file),
    { name: 'a.pdf', type: 'application/pdf', content: '%PDF-1.7' },
    'Multipart/Form-Data; charset=utf-8; Boundary="frontier"',
  ],
  [
    'with something before and behind',
    Buffer.concat([Buffer.from('hello\r\n'), form(file), Buffer.from('epilogue --frontier x')]),
    { name: 'a.pdf', type: 'application/pdf', content: '%PDF-1.7' },
  ],
  [
    'behind a byte order mark',
    Buffer.concat([Buffer.from('\ufeff'), form(file)]),
    { name: 'a.pdf', type: 'application/pdf', content: '%PDF-1.7' },
  ],
  [
    'with blanks behind its boundaries',
    Buffer.from(form(file).toString().replaceAll('frontier\r\n', 'frontier \t\r\n')),
    { name: 'a.pdf', type: 'application/pdf', content: '%PDF-1.7' },
  ],
  [
    'without a line end at its end',
    form(file).subarray(0, -2),
    { name: 'a.pdf', type: 'application/pdf', content: '%PDF-1.7' },
  ],
  ['without a type', form([[disposition], 'x']), { name: 'a.pdf', type: null, content: 'x' }],
  [
    'with a parameter of the type',
    form([[disposition, 'content-type: Text/CSV; charset=utf-8'], 'x']),
    { name: 'a.pdf', type: 'text/csv', content: 'x' },
  ],
  [
    'without a file name, but with a type',
    form([['Content-Disposition: form-data; name=file', 'Content-Type: image/png'], 'x']),
    { name: null, type: 'image/png', content: 'x' },
  ],
  ['that is empty', form([[disposition], '']), { name: 'a.pdf', type: null, content: '' }],
  [
    'that is empty, with one line end less',
    Buffer.from(`--frontier\r\n${disposition}\r\n\r\n--frontier--`),
    { name: 'a.pdf', type: null, content: '' },
  ],
  [
    'with headers that mean nothing here',
    headed('X-Test: é', 'Content-Length: 99', 'Content-Transfer-Encoding: binary'),
    { name: 'a.pdf', type: null, content: 'x' },
  ],
  [
    'whose content looks like a boundary',
    form([[disposition], '\r\n--frontie\r\n-frontier\r\n\r\n--\r\nfrontier--frontier\n--frontier\r--frontier\r\r\n']),
    {
      name: 'a.pdf',
      type: null,
      content: '\r\n--frontie\r\n-frontier\r\n\r\n--\r\nfrontier--frontier\n--frontier\r--frontier\r\r\n',
    },
  ],
  [
    'that is a form itself',
    form([[disposition, 'Content-Type: multipart/mixed; boundary=inner'], '--inner\r\n\r\nx\r\n--inner--']),
    { name: 'a.pdf', type: 'multipart/mixed', content: '--inner\r\n\r\nx\r\n--inner--' },
  ],
  [
    'as long as it may be',
    form([[disposition], Buffer.alloc(fileLimit, '\r\n--frontie')]),
    { name: 'a.pdf', type: null, content: Buffer.alloc(fileLimit, '\r\n--frontie') },
  ],
];

describe('a form with one file', () => {
  for (const [name, body, { content, ...expected }, type = formType] of accepted) {
    it(`${name} is read, whatever its pieces are`, async (t) => {
      const { server } = sample(t, {}, [uploadRoute()]);
      const port = await listen(server);
      for (const size of body.length > 1000 ? [997, 1_000_000] : [1, 2, 3, 13, 1_000_000]) {
        const client = await open(t, port);
        await client.send(head('POST /v1/upload', { 'Content-Type': type, 'Transfer-Encoding': 'chunked' }));
        await client.send(
          Buffer.concat(
            Array.from({ length: Math.ceil(body.length / size) }, (_, n) =>
              chunk(body.subarray(n * size, (n + 1) * size)),
            ),
          ),
        );
        await client.send(chunk(''));
        const answer = await client.answer();
        assert.deepEqual(JSON.parse(answer?.body ?? ''), { ...expected, ...facts(Buffer.from(content)) });
        assert.notEqual(answer?.headers.connection, 'close');
      }
    });
  }

  it('as fetch sends it is read', async (t) => {
    const { server } = sample(t, {}, [uploadRoute()]);
    const port = await listen(server);
    const content = Buffer.from('%PDF-1.7 \x00\xff', 'latin1');
    const body = new FormData();
    body.append('file', new Blob([content], { type: 'application/pdf' }), 'Lieferschein "7" ä€.pdf');
    const answer = await fetch(`http://127.0.0.1:${port}/v1/upload`, { method: 'POST', headers: token, body });
    assert.deepEqual(await answer.json(), {
      name: 'Lieferschein "7" ä€.pdf',
      type: 'application/pdf',
      ...facts(content),
    });
  });
});

const é = 'Ã©';
const names: readonly [sent: string, name: string | null][] = [
  ['filename="invoice 7.pdf"', 'invoice 7.pdf'],
  ['filename=invoice.pdf', 'invoice.pdf'],
  ['filename=""', null],
  ['filename="."', null],
  ['filename="../.."', null],
  ['filename="   "', null],
  ['filename="/etc/passwd"', 'passwd'],
  ['filename="C:\\temp\\new.pdf"', 'new.pdf'],
  ['filename="..\\..\\a.pdf"', 'a.pdf'],
  ['filename="a\\"b.pdf"', 'a"b.pdf'],
  ['filename="a%22b%0D%0A.pdf"', 'a"b.pdf'],
  ['filename="100%25.pdf"', '100%25.pdf'],
  ['filename="a;b=c.pdf"', 'a;b=c.pdf'],
  ['FileName="a.pdf"', 'a.pdf'],
  [`filename="caf${é}.pdf"`, 'café.pdf'],
  ['filename="cafe\xcc\x81.pdf"', 'café.pdf'],
  ['filename="caf\xe9.pdf"', 'café.pdf'],
  ['filename="a\xe2\x80\xaefdp.exe"', 'afdp.exe'],
  ['filename="a\xe2\x80\xa8b.pdf"', 'ab.pdf'],
  ["filename*=UTF-8''caf%C3%A9%20%E2%82%AC.pdf", 'café €.pdf'],
  ["filename*=utf-8'fr'caf%c3%a9.pdf", 'café.pdf'],
  ["filename*=ISO-8859-1''caf%E9.pdf", 'café.pdf'],
  ["filename*=UTF-8''..%2F..%2Fetc%2Fpasswd", 'passwd'],
  ["filename*=UTF-8''a%00b%0Ac.pdf", 'abc.pdf'],
  ['filename="cafe.pdf"; filename*=UTF-8\'\'caf%C3%A9.pdf', 'café.pdf'],
  ['filename*=UTF-8\'\'caf%C3%A9.pdf; filename="cafe.pdf"', 'café.pdf'],
  [`filename="${'n'.repeat(300)}.pdf"`, `${'n'.repeat(251)}.pdf`],
  [`filename="${'n'.repeat(300)}"`, 'n'.repeat(255)],
  [`filename="${'n'.repeat(250)}\xf0\x9f\x93\xa6\xf0\x9f\x93\xa6.pdf"`, `${'n'.repeat(250)}.pdf`],
];

describe('the name of a file', () => {
  for (const [sent, name] of names) {
    it(`sent as ${JSON.stringify(sent.slice(0, 60))} is ${String(name).slice(0, 20)}`, async (t) => {
      const { server } = sample(t, {}, [uploadRoute()]);
      const payload = form([[`Content-Disposition: form-data; name="file"; ${sent}`], 'x']);
      const answer = await server.inject({
        method: 'POST',
        url: '/v1/upload',
        headers: { ...token, 'content-type': formType },
        payload,
      });
      assert.equal(answer.json().name, name, answer.body);
    });
  }
});
