// What the rows of order documents promise, on every engine: the same content once, versions without gaps.
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { OperatorError } from '../../src/model/operator-error.ts';
import { documentBody } from '../../src/store/order-documents.ts';
import type { NewDocument, OrderDocument, Store } from '../../src/store/store.ts';
import { type EngineUnderTest, allEngines, storeOn, type TestDatabase } from '../contract/engines.ts';
import { storeOfSuite } from '../contract/opened-store.ts';

for (const engine of allEngines) {
  describe(`order documents on ${engine.name}`, { skip: engine.skip }, () => documentTests(engine));
}

function documentTests(engineUnderTest: EngineUnderTest): void {
  let database: TestDatabase;
  let store: Store;
  let orders = 0;
  storeOfSuite(engineUnderTest, async (opened) => {
    ({ database, store } = opened);
    await store.activities.add('ACM', 'Acme');
    await store.activities.add('BIO', 'Biovital');
  });
  const newOrder = (): string => {
    orders += 1;
    return `order ${orders}`;
  };
  const add = (document: NewDocument, on: Store = store) =>
    on.records.submit([document.activity], (unit) => unit.addDocument(document));

  it('adds nothing for an activity that does not exist or that the transaction does not hold', async () => {
    const document = documentOf({ activity: 'XXX', orderId: newOrder() });
    await assert.rejects(add(document), OperatorError);
    await assert.rejects(
      store.records.submit(['ACM'], (unit) => unit.addDocument(document)),
      /does not hold/,
    );
    assert.equal((await store.documents.known([document.storedAs])).size, 0);
  });

  it('adds nothing in a transaction that is undone', async () => {
    const document = documentOf({ orderId: newOrder() });
    await assert.rejects(
      store.records.submit(['ACM'], async (unit) => {
        await unit.addDocument(document);
        throw new Error('undone');
      }),
      /undone/,
    );
    assert.equal((await store.documents.known([document.storedAs])).size, 0);
    assert.equal((await add(document)).document.version, 1);
  });

  it('finds a document by its id in its own activity only', async () => {
    const { document } = await add(documentOf({ orderId: newOrder() }));
    assert.deepEqual(await store.documents.find(['ACM', 'BIO'], document.id), document);
    assert.equal(await store.documents.find(['BIO'], document.id), null);
    assert.equal(await store.documents.find([], document.id), null);
    assert.equal(await store.documents.find(['ACM'], randomUUID()), null);
  });

  it('finds a document by its content where it belongs, and nowhere else', async () => {
    const given = documentOf({ orderId: newOrder() });
    const { document } = await add(given);
    const place = { activity: given.activity, orderId: given.orderId, slug: given.slug, sha256: given.sha256 };
    assert.deepEqual(await store.documents.withContent(place), document);
    for (const other of [{ activity: 'BIO' }, { orderId: newOrder() }, { slug: 'other' }, { sha256: '0'.repeat(64) }])
      assert.equal(await store.documents.withContent({ ...place, ...other }), null);
  });

  it('takes the same content under the same order and slug for the document that is there', async () => {
    const given = documentOf({ orderId: newOrder(), fileName: null, orderUniqueId: null });
    const first = await add(given);
    assert.equal(first.outcome, 'new');
    const ends = await store.outbox.ends(['ACM']);
    const again = await add({
      ...given,
      fileName: 'renamed.pdf',
      storedAs: randomUUID(),
      operationId: 'another',
      clientId: 'another',
    });
    assert.deepEqual(again, { document: first.document, outcome: 'unchanged' });
    assert.deepEqual(await store.outbox.ends(['ACM']), ends);
    for (const other of [{ slug: 'label' }, { orderId: newOrder() }, { activity: 'BIO' }]) {
      const { document, outcome } = await add({ ...given, ...other, storedAs: randomUUID() });
      assert.deepEqual([outcome, document.version], ['new', 1]);
    }
  });

  it('counts the versions of each order and slug', async () => {
    const [one, two] = [newOrder(), newOrder()];
    const versions: (readonly [string, string, number])[] = [];
    for (const [orderId, slug, content] of [
      [one, 'invoice', 'a'],
      [one, 'invoice', 'b'],
      [one, 'label', 'a'],
      [two, 'invoice', 'a'],
      [one, 'invoice', 'a'],
      [one, 'invoice', 'c'],
    ] as const) {
      const { document } = await add(documentOf({ orderId, slug, content }));
      versions.push([orderId, slug, document.version]);
    }
    assert.deepEqual(versions, [
      [one, 'invoice', 1],
      [one, 'invoice', 2],
      [one, 'label', 1],
      [two, 'invoice', 1],
      [one, 'invoice', 1],
      [one, 'invoice', 3],
    ]);
  });

  it('publishes the metadata in one order of members, and nothing of where the bytes are', async () => {
    const { document } = await add(documentOf({ orderId: newOrder(), fileName: 'Rechnung "März".pdf' }));
    const body = documentBody(document);
    assert.deepEqual(JSON.parse(body), {
      id: document.id,
      activityCode: 'ACM',
      orderId: document.orderId,
      orderUniqueID: 'U1',
      docSlug: 'invoice',
      version: 1,
      fileName: 'Rechnung "März".pdf',
      mediaType: 'application/pdf',
      size: 9,
      sha256: document.sha256,
      createdAt: new Date(document.createdAt).toISOString(),
    });
    assert.deepEqual(Object.keys(JSON.parse(body)), [
      'id',
      'activityCode',
      'orderId',
      'orderUniqueID',
      'docSlug',
      'version',
      'fileName',
      'mediaType',
      'size',
      'sha256',
      'createdAt',
    ]);
    assert.match(document.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    const { ACM: end = 0 } = await store.outbox.ends(['ACM']);
    const { entries } = await store.outbox.read(['ACM'], { ACM: end - 1 }, 1);
    assert.deepEqual(
      entries.map((entry) => [entry.kind, entry.body, entry.createdAt]),
      [['document', body, document.createdAt]],
    );
  });

  it('knows which names in the document storage are in use', async () => {
    const [first, second] = [
      await add(documentOf({ orderId: newOrder() })),
      await add(documentOf({ activity: 'BIO', orderId: newOrder() })),
    ];
    const strangers = Array.from({ length: 3000 }, () => randomUUID());
    const known = await store.documents.known([
      ...strangers,
      first.document.storedAs,
      'a "quoted" \\ name',
      second.document.storedAs,
      first.document.storedAs,
    ]);
    assert.deepEqual([...known].toSorted(), [first.document.storedAs, second.document.storedAs].toSorted());
    assert.equal((await store.documents.known([])).size, 0);
  });

  it('gives uploads at once one document per content, and versions without gaps', { timeout: 900_000 }, async () => {
    const opened = await Promise.all(
      Array.from({ length: engineUnderTest.parallel ? 4 : 1 }, async () => storeOn(await database.open())),
    );
    const orderId = newOrder();
    const results = await Promise.all(
      Array.from({ length: 48 }, (_, index) =>
        add(documentOf({ orderId, content: `content ${index % 6}` }), opened[index % opened.length]),
      ),
    );
    for (const own of opened) await own.close();
    assert.equal(results.filter(({ outcome }) => outcome === 'new').length, 6);
    const byContent = new Map<string, OrderDocument>(results.map(({ document }) => [document.sha256, document]));
    assert.deepEqual(
      [...byContent.values()].map(({ version }) => version).toSorted((a, b) => a - b),
      [1, 2, 3, 4, 5, 6],
    );
    for (const { document } of results) assert.deepEqual(document, byContent.get(document.sha256));
  });
}

function documentOf({
  content = 'content',
  ...given
}: Partial<NewDocument> & { readonly orderId: string; readonly content?: string }): NewDocument {
  const sha256 = createHash('sha256').update(content).digest('hex');
  return {
    activity: 'ACM',
    orderUniqueId: 'U1',
    slug: 'invoice',
    sha256,
    mediaType: 'application/pdf',
    size: 9,
    fileName: 'a.pdf',
    storedAs: randomUUID(),
    operationId: 'op',
    clientId: 'shop',
    ...given,
  };
}
