// POST /orders/{orderId}/docs/{docSlug} over the whole HTTP path, on every engine: what is refused and how, what is
// kept, and how often.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { order } from '../../src/resources/index.ts';
import type { OutboxEntry } from '../../src/store/outbox-contract.ts';
import type { AuditEntry } from '../../src/store/audit-contract.ts';
import { engines } from '../contract/engines.ts';
import { type FormFile, formBoundary, formOf } from '../contract/form.ts';
import { type Answered, type RunningApp, startApp } from '../contract/running-app.ts';
import { images, pdf } from '../documents/samples.ts';
import { filesIn, pdfOfLength, temporaryIn } from './uploads.ts';
import { rowsIn } from '../contract/database.ts';
import { orderDocumentTable } from '../../src/store/tables/writes.ts';

const longest = 20 * 1_048_576;
const path = '/v1/orders/N-1/docs/invoice';
/** Twenty characters, each of them two to JavaScript. */
const longName = '\u{1f69a}'.repeat(20);
let contents = 0;
/** A file that was never sent before. */
const newFile = (): FormFile => ({ content: pdf(`content ${++contents}`) });

for (const engine of engines) {
  describe(`documents of orders on ${engine.name}`, { skip: engine.skip }, () => {
    let running: RunningApp;
    before(async () => {
      running = await startApp(engine);
      await running.load(order, 'NOR', [orderOf('NOR', 'N-1'), orderOf('NOR', 'BOTH'), orderOf('NOR', longName)]);
      await running.load(order, 'SOU', [orderOf('SOU', 'S-1'), orderOf('SOU', 'BOTH')]);
    });
    after(() => running.close());
    uploadTests(() => running, engine.parallel);
  });
}

function orderOf(activityCode: string, orderUniqueID: string): Record<string, unknown> {
  return {
    ...order.example,
    activityCode,
    activityName: activityCode === 'NOR' ? 'North Trading' : 'South Trading',
    orderUniqueID,
  };
}

function uploadTests(running: () => RunningApp, parallel: boolean): void {
  const upload = (file: FormFile, to = path, options?: Parameters<RunningApp['upload']>[2]): Promise<Answered> =>
    running().upload(to, file, options);
  /** As another client: refusals of one beyond twenty a minute share an entry of the audit trail. */
  const another = () => ({ token: running().tokens.both });
  /** Everything that an upload can leave behind. */
  const state = async () => {
    const { app, documentsFolder } = running();
    const rows = await rowsIn(app.store, orderDocumentTable);
    return {
      rows: rows.map(({ storedAs: name }) => name).toSorted(),
      files: filesIn(documentsFolder),
      ends: await app.store.outbox.ends(['NOR', 'SOU']),
      audit: (await auditOf()).length,
    };
  };
  const auditOf = (operationId: string | null = null): Promise<readonly AuditEntry[]> =>
    running().app.store.audit.read({
      activityCodes: null,
      operationId,
      action: 'document.upload',
      actor: null,
      since: null,
      until: null,
      after: null,
      newestFirst: true,
      limit: 1000,
    });
  const entriesSince = async (position: Readonly<Record<string, number>>): Promise<readonly OutboxEntry[]> =>
    (await running().app.store.outbox.read(['NOR', 'SOU'], position, 1000)).entries;
  /** The document that an answer tells of, as the platform interface publishes it. */
  const documentOf = async (answer: Answered): Promise<Record<string, unknown>> =>
    (await running().get(`/platform/documents/${passed(answer)}`, { token: running().keys.both })).object();
  const assertConsistent = async (): Promise<void> => {
    const { rows, files } = await state();
    assert.deepEqual(files, rows);
    assert.deepEqual(temporaryIn(running().documentsFolder), []);
  };

  const form = (files: readonly FormFile[], headers: Record<string, string> = {}) =>
    running().send(path, formOf(files), {
      headers: { 'content-type': `multipart/form-data; boundary=${formBoundary}`, ...headers },
    });

  describe('are refused', () => {
    const cases: readonly (readonly [
      what: string,
      ask: () => Promise<Answered>,
      status: number,
      problem: string,
      detail: RegExp,
    ])[] = [
      ['without a token', () => upload(newFile(), path, { token: null }), 401, 'missing-token', /./],
      [
        'with a platform key',
        () => upload(newFile(), path, { token: running().keys.north }),
        401,
        'invalid-token',
        /./,
      ],
      [
        'for an order that is not there',
        () => upload(newFile(), '/v1/orders/N-9/docs/invoice'),
        404,
        'resource-not-found',
        /no order/,
      ],
      [
        'for an order of somebody else',
        () => upload(newFile(), '/v1/orders/S-1/docs/invoice'),
        404,
        'resource-not-found',
        /no order/,
      ],
      [
        'for an order of somebody else, named with its activity',
        () => upload(newFile(), '/v1/orders/S-1/docs/invoice?activityCode=SOU'),
        404,
        'resource-not-found',
        /no order/,
      ],
      [
        'for an order whose name no engine holds',
        () => upload(newFile(), '/v1/orders/N-1%00/docs/invoice'),
        404,
        'resource-not-found',
        /no order/,
      ],
      [
        'for an order with a name of 37 characters',
        () => upload(newFile(), `/v1/orders/${'N'.repeat(37)}/docs/invoice`),
        404,
        'resource-not-found',
        /no order/,
      ],
      [
        'for an order in another case',
        () => upload(newFile(), '/v1/orders/n-1/docs/invoice'),
        404,
        'resource-not-found',
        /no order/,
      ],
      [
        'for one of two orders',
        () => upload(newFile(), '/v1/orders/BOTH/docs/invoice', { token: running().tokens.both }),
        400,
        'ambiguous-reference',
        /NOR, SOU.*activityCode/,
      ],
      [
        'under an unknown kind',
        () => upload(newFile(), '/v1/orders/N-1/docs/receipt'),
        404,
        'resource-not-found',
        /invoice, delivery-note/,
      ],
      [
        'under a kind in capitals',
        () => upload(newFile(), '/v1/orders/N-1/docs/Invoice'),
        404,
        'resource-not-found',
        /invoice, delivery-note/,
      ],
      [
        'with an unknown parameter',
        () => upload(newFile(), `${path}?activity=NOR`),
        400,
        'unknown-parameter',
        /activityCode/,
      ],
      [
        'with a parameter twice',
        () => upload(newFile(), `${path}?activityCode=NOR&activityCode=NOR`),
        400,
        'invalid-parameter',
        /more than once/,
      ],
      [
        'with a key that is none',
        () => upload(newFile(), path, { headers: { 'idempotency-key': 'a b' } }),
        400,
        'invalid-parameter',
        /Idempotency-Key/,
      ],
      [
        'with a broken form',
        () => upload(newFile(), path, { headers: { 'content-type': 'multipart/form-data; boundary=other' } }),
        400,
        'invalid-request',
        /boundary/,
      ],
      [
        'with a zero byte in the name',
        () => upload({ ...newFile(), name: 'a\0b.pdf' }),
        400,
        'invalid-request',
        /header line/,
      ],
      ['as JSON', () => running().send(path, {}), 415, 'unsupported-media-type', /multipart/],
      ['compressed', () => form([newFile()], { 'content-encoding': 'gzip' }), 415, 'unsupported-media-type', /./],
      [
        'where nothing acceptable can be answered',
        () => upload(newFile(), path, { headers: { accept: 'application/pdf' } }),
        406,
        'not-acceptable',
        /./,
      ],
      [
        'with one byte too many',
        () => upload({ content: Buffer.alloc(longest + 1, '%PDF-1.7 ') }, path, another()),
        413,
        'payload-too-large',
        /20971520/,
      ],
    ];
    for (const [what, ask, status, problem, detail] of cases) {
      it(`${what}, and nothing is left but, where it is known who asked, an entry in the audit trail`, async () => {
        const untouched = await state();
        const answer = await ask();
        assert.equal(answer.status, status, answer.body);
        assert.match(String(answer.object().type), new RegExp(`/problems/${problem}$`));
        assert.match(String(answer.object().detail), detail);
        assert.deepEqual(await state(), { ...untouched, audit: untouched.audit + (status === 401 ? 0 : 1) });
        assert.deepEqual(temporaryIn(running().documentsFolder), []);
      });
    }

    it('by another method, and says which it has', async () => {
      assert.equal((await running().get(path)).headers.allow, 'POST, OPTIONS');
      assert.equal((await running().get(path, { method: 'OPTIONS' })).status, 204);
    });
  });

  describe('are refused by their content', () => {
    const cases: readonly (readonly [what: string, file: FormFile, to: string, code: string, detail: RegExp])[] = [
      ['that is empty', { content: Buffer.alloc(0) }, path, 'empty', /empty/],
      [
        'that is of another kind, whatever it is called',
        { content: Buffer.from('PK\x03\x04 and so on'), name: 'invoice.pdf' },
        path,
        'not-allowed',
        /ZIP archive.*PDF, PNG, JPEG, TIFF/,
      ],
      ['that is cut', { content: pdf().subarray(0, -20) }, path, 'cut', /EOF/],
      [
        'that is an image cut in the middle',
        { content: images.png.bytes.subarray(0, 60), type: 'image/png' },
        path,
        'cut',
        /IEND/,
      ],
      [
        'that is another one than was said',
        { content: images.png.bytes, type: 'application/pdf' },
        path,
        'type-mismatch',
        /"application\/pdf".*PNG.*image\/png/,
      ],
      [
        'that is for printers, unless it is a label',
        { content: Buffer.from('^XA^XZ'), type: null },
        path,
        'not-allowed',
        /ZPL/,
      ],
      [
        'that is a page with a program',
        { content: Buffer.from('<html><script>alert(1)</script></html>'), type: 'application/pdf' },
        path,
        'not-allowed',
        /HTML/,
      ],
    ];
    for (const [what, file, to, code, detail] of cases) {
      it(`${what}, in the result and in the audit trail`, async () => {
        const untouched = await state();
        const answer = await upload(file, to);
        const { status, errors, passed: none } = answer.object();
        assert.deepEqual([answer.status, status, none], [200, 422, []]);
        const [reason] = Object(errors).file;
        assert.deepEqual([Object.keys(Object(errors)), reason.code, reason.pointer], [['file'], code, '/file']);
        assert.match(reason.detail, detail);
        assert.deepEqual(await state(), { ...untouched, audit: untouched.audit + 1 });
        const [entry] = await auditOf(String(answer.object().operationId));
        assert.deepEqual([entry?.outcome, entry?.activityCodes], ['refused', ['NOR']]);
        await assertConsistent();
      });
    }

    const forms: readonly (readonly [what: string, ask: () => Promise<Answered>, code: string, detail: RegExp])[] = [
      ['that has no part', () => form([]), 'required', /form is empty/],
      [
        'that has not a byte',
        () => running().send(path, '', { headers: { 'content-type': 'multipart/form-data; boundary=x' } }),
        'required',
        /form is empty/,
      ],
      [
        'whose part has another name',
        () => form([{ ...newFile(), field: 'document' }]),
        'unknown-property',
        /it is called "document"/,
      ],
      [
        'whose part has no name',
        () =>
          running().send(path, '--x\r\nContent-Disposition: form-data; filename="a.pdf"\r\n\r\n%PDF\r\n--x--\r\n', {
            headers: { 'content-type': 'multipart/form-data; boundary=x' },
          }),
        'unknown-property',
        /it has no name/,
      ],
      ['whose file has no name', () => upload({ ...newFile(), name: null, type: null }), 'wrong-type', /no file name/],
      ['of two files', () => form([newFile(), newFile()]), 'too-many', /more than one file/],
      [
        'with a part behind the file',
        () => form([newFile(), { ...newFile(), field: 'comment', name: null, type: null }]),
        'unknown-property',
        /it is called "comment"/,
      ],
    ];
    for (const [what, ask, code, detail] of forms) {
      it(`or by a form ${what}, in the result and in the audit trail`, async () => {
        const untouched = await state();
        const answer = await ask();
        const { status, errors, passed: none } = answer.object();
        assert.deepEqual([answer.status, status, none], [200, 422, []], answer.body);
        const [reason] = Object(errors).file;
        assert.deepEqual([Object.keys(Object(errors)), reason.code, reason.pointer], [['file'], code, '/file']);
        assert.match(reason.detail, detail);
        assert.deepEqual(await state(), { ...untouched, audit: untouched.audit + 1 });
        assert.deepEqual(temporaryIn(running().documentsFolder), []);
      });
    }

    it('the same again under the same key, without a second entry in the audit trail', async () => {
      const headers = { 'idempotency-key': 'refused-once' };
      const [first, second] = [
        await upload({ content: Buffer.alloc(0) }, path, { headers }),
        await upload({ content: Buffer.alloc(0) }, path, { headers }),
      ];
      assert.equal(second.body, first.body);
      assert.equal(second.headers['idempotency-replayed'], 'true');
      assert.equal((await auditOf(String(first.object().operationId))).length, 1);
    });
  });

  describe('are kept', () => {
    it('once, with their row, an entry in the outbox and one in the audit trail', async () => {
      const [file, untouched] = [newFile(), await state()];
      const answer = await upload(file);
      const { status, operationId, errors } = answer.object();
      assert.deepEqual([answer.status, status, errors, answer.headers['cache-control']], [200, 200, {}, 'no-store']);
      const [entry, ...more] = await entriesSince(untouched.ends);
      assert.deepEqual([entry?.kind, entry?.activity, entry?.operationId, more], ['document', 'NOR', operationId, []]);
      const document = JSON.parse(entry?.body ?? '');
      const [listed] = (await running().get('/v1/orders?orderUniqueID=N-1')).list();
      assert.deepEqual(document, {
        id: passed(answer),
        activityCode: 'NOR',
        orderId: listed?.id,
        orderUniqueID: 'N-1',
        docSlug: 'invoice',
        version: document.version,
        fileName: 'invoice.pdf',
        mediaType: 'application/pdf',
        size: file.content.length,
        sha256: hash('sha256', file.content),
        createdAt: new Date(entry?.createdAt ?? 0).toISOString(),
      });
      assert.deepEqual(await documentOf(answer), document);
      const [audited] = await auditOf(String(operationId));
      assert.deepEqual(
        [audited?.outcome, audited?.target, audited?.activityCodes, Object(audited?.details).documentId],
        ['accepted', listed?.id, ['NOR'], passed(answer)],
      );
      assert.doesNotMatch(JSON.stringify(audited), /invoice\.pdf/);
      await assertConsistent();
    });

    it('under the id of their order as well, and with the activity that resolves a name', async () => {
      const [listed] = (await running().get('/v1/orders?orderUniqueID=BOTH')).list();
      for (const [to, activity] of [
        [String(listed?.id), 'NOR'],
        ['BOTH?activityCode=NOR', 'NOR'],
        ['BOTH?activityCode=SOU', 'SOU'],
        ['S-1', 'SOU'],
      ] as const) {
        const [name, query] = to.split('?');
        const answer = await upload(
          newFile(),
          `/v1/orders/${name}/docs/customs${query === undefined ? '' : `?${query}`}`,
          { token: running().tokens.both },
        );
        assert.equal((await documentOf(answer)).activityCode, activity, to);
      }
      assert.equal(
        (await upload(newFile(), `/v1/orders/${encodeURIComponent(longName)}/docs/customs`)).object().status,
        200,
      );
    });

    it('of every kind, also without a declared type, and printer language as a label', async () => {
      for (const { bytes, mediaType } of [
        ...Object.values(images),
        { bytes: Buffer.from('^XA^FDa^FS^XZ'), mediaType: 'application/zpl' },
      ]) {
        for (const type of [null, 'application/octet-stream', mediaType.toUpperCase()]) {
          assert.equal(
            (await documentOf(await upload({ content: bytes, type }, '/v1/orders/N-1/docs/label'))).mediaType,
            mediaType,
          );
        }
      }
      await assertConsistent();
    });

    it('with 20 MiB exactly', async () => {
      const answer = await upload({ content: pdfOfLength(longest) });
      assert.equal((await documentOf(answer)).size, longest);
    });

    const names: readonly (readonly [given: string | null, kept: string | null])[] = [
      ['../../../etc/passwd', 'passwd'],
      ['C:\\Users\\anna\\invoice.pdf', 'invoice.pdf'],
      ['..', null],
      ['a\u202efdp.exe', 'afdp.exe'],
      ['Rechnung "M\u00fcller" \u{1f4e6}.pdf', 'Rechnung "M\u00fcller" \u{1f4e6}.pdf'],
      [`${'n'.repeat(300)}.pdf`, `${'n'.repeat(251)}.pdf`],
      ['e\u0301.pdf', '\u00e9.pdf'],
      [null, null],
      ["it's *all* (fine).pdf", "it's *all* (fine).pdf"],
    ];
    for (const [given, kept] of names) {
      const [keptAs, called] = [kept, given].map((name) => JSON.stringify(name?.slice(0, 30)));
      it(`as ${keptAs} when they are called ${called}, under a name of our own`, async () => {
        const answer = await upload({ ...newFile(), name: given });
        assert.equal((await documentOf(answer)).fileName, kept);
        assert.ok((await state()).files.every((file) => /^[A-Z]{3}\/\d{4}\/\d\d\/[0-9a-f-]{36}\.\w+$/.test(file)));
      });
    }
  });

  describe('that come again', () => {
    it('with the same content are the same document', async () => {
      const file = newFile();
      const first = await upload(file);
      const untouched = await state();
      for (const same of [file, { ...file, name: 'other.pdf' }, { ...file, type: 'application/octet-stream' }])
        assert.equal(passed(await upload(same)), passed(first));
      assert.deepEqual(await state(), { ...untouched, audit: untouched.audit + 3 });
      assert.equal((await documentOf(first)).fileName, 'invoice.pdf');
      assert.equal(Object((await auditOf())[0]?.details).outcome, 'unchanged');
      await assertConsistent();
    });

    it('with the same content under another kind or order are others', async () => {
      const file = newFile();
      const answers = [
        await upload(file),
        await upload(file, '/v1/orders/N-1/docs/other'),
        await upload(file, '/v1/orders/BOTH/docs/invoice'),
      ];
      assert.equal(new Set(answers.map(passed)).size, 3);
      await assertConsistent();
    });

    it('with other content are the next version, and an older content is the version that it was', async () => {
      const [one, two] = [newFile(), newFile()];
      const [first, second, again] = [
        await upload(one, '/v1/orders/N-1/docs/gift-message'),
        await upload(two, '/v1/orders/N-1/docs/gift-message'),
        await upload(one, '/v1/orders/N-1/docs/gift-message'),
      ];
      assert.deepEqual(
        [(await documentOf(first)).version, (await documentOf(second)).version, passed(again)],
        [1, 2, passed(first)],
      );
    });

    it('at once, from all sides, are one document, one entry and one file', async () => {
      const [file, untouched] = [newFile(), await state()];
      const sides = [running(), parallel ? await running().beside() : running()];
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (sides[index % 2] ?? running()).upload(path, file)),
      );
      assert.equal(new Set(answers.map(passed)).size, 1);
      assert.equal((await entriesSince(untouched.ends)).length, 1);
      assert.equal((await state()).files.length, untouched.files.length + 1);
      await assertConsistent();
    });

    it('at once, in many versions, are numbered without a gap', async () => {
      const to = '/v1/orders/N-1/docs/delivery-note';
      const sides = [running(), parallel ? await running().beside() : running()];
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, index) => (sides[index % 2] ?? running()).upload(to, newFile())),
      );
      const versions = await Promise.all(answers.map(async (answer) => Number((await documentOf(answer)).version)));
      assert.deepEqual(
        versions.toSorted((a, b) => a - b),
        [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      );
      await assertConsistent();
    });

    it('with the same Idempotency-Key get the stored answer, whatever the boundary', async () => {
      const [file, headers] = [newFile(), { 'idempotency-key': 'upload-1' }];
      const first = await upload(file, path, { headers });
      const untouched = await state();
      for (const boundary of [formBoundary, 'another', '----WebKitFormBoundary7MA4YWxkTrZu0gW']) {
        const again = await upload(file, path, { headers, boundary });
        assert.deepEqual([again.status, again.body, again.headers['idempotency-replayed']], [200, first.body, 'true']);
      }
      assert.deepEqual(await state(), untouched);
    });

    it('with the same Idempotency-Key and something else are refused', async () => {
      const [file, options] = [newFile(), { ...another(), headers: { 'idempotency-key': 'upload-2' } }];
      const first = await upload(file, path, options);
      const untouched = await state();
      for (const other of [newFile(), { ...file, name: 'other.pdf' }, { ...file, type: null }]) {
        const answer = await upload(other, path, options);
        assert.equal(answer.status, 422);
        assert.match(String(answer.object().type), /idempotency-key-reused$/);
      }
      assert.equal((await upload(file, `${path}?activityCode=NOR`, options)).status, 422);
      assert.deepEqual(await state(), { ...untouched, audit: untouched.audit + 4 });
      assert.equal((await upload(file, path, options)).body, first.body);
      assert.notEqual(
        passed(await upload(file, '/v1/orders/BOTH/docs/invoice', { headers: options.headers })),
        passed(first),
      );
    });
  });
}

function passed(answer: Answered): string {
  const { passed: keys } = answer.object();
  assert.ok(Array.isArray(keys) && keys.length === 1, answer.body);
  return String(keys[0]);
}
