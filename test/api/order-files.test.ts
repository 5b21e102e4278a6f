// What can be read back of an order's documents and labels, and with whom one can ship: over the whole HTTP path, on
// every engine.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { order } from '../../src/resources/index.ts';
import { shippingLabelTable } from '../../src/store/tables/shipping.ts';
import { changeRows } from '../contract/database.ts';
import { engines } from '../contract/engines.ts';
import { type RunningApp, startApp } from '../contract/running-app.ts';
import { pdf } from '../documents/samples.ts';
import { labels, numberOf, sender, type Shipping, startShipping, wish } from './shipping/fixture.ts';

for (const engine of engines) {
  describe(`documents and labels of orders on ${engine.name}`, { skip: engine.skip }, () => {
    let shipping: Shipping;
    before(async () => {
      shipping = await startShipping(engine);
      const example = { ...order.example, activityCode: 'NOR', activityName: 'North Trading' };
      await shipping.running.load(order, 'NOR', [{ ...example, orderUniqueID: 'OTHER' }]);
    });
    after(() => shipping.close());
    orderTests(() => shipping);
  });
}

function orderTests(world: () => Shipping): void {
  const docs = '/v1/orders/OF-NOR/docs';

  it('lists documents newest first, and gives their bytes to be saved', async () => {
    const { north } = world();
    assert.deepEqual((await north.get(docs)).list(), []);
    const [first, second] = [pdf('one'), pdf('two')];
    for (const content of [first, second, first])
      assert.equal((await north.upload(`${docs}/invoice`, { content, name: 'The invoice é.pdf' })).status, 200);
    const answer = await north.get(docs);
    assert.equal(answer.headers['cache-control'], 'no-store');
    const documents = answer.list();
    assert.deepEqual(
      documents.map(({ version, docSlug, fileName, size }) => [version, docSlug, fileName, size]),
      [
        [2, 'invoice', 'The invoice é.pdf', second.length],
        [1, 'invoice', 'The invoice é.pdf', first.length],
      ],
    );
    const file = await north.get(`${docs}/invoice/${String(documents[1]?.id)}`);
    assert.deepEqual(file.bytes, first);
    assert.equal(file.headers['content-type'], 'application/pdf');
    assert.match(String(file.headers['content-disposition']), /^attachment; filename\*=UTF-8''The%20invoice%20%C3%A9/);
  });

  it('tells nobody else of them', async () => {
    const { north, south } = world();
    const [document] = (await north.get(docs)).list();
    const file = `${docs}/invoice/${String(document?.id)}`;
    for (const path of [docs, file, '/v1/orders/OF-NOR/labels'])
      assert.equal((await south.get(path)).status, 404, path);
    // Nor under an order of one's own.
    assert.equal((await south.get(file.replace('OF-NOR', 'OF-SOU'))).status, 404);
    assert.equal((await north.get(docs, { token: null })).status, 401);
  });

  it('has no document under another kind, another order, or a name that is none', async () => {
    const { north } = world();
    const [document] = (await north.get(docs)).list();
    const id = String(document?.id);
    for (const path of [
      `${docs}/label/${id}`,
      `${docs}/nonsense/${id}`,
      `/v1/orders/OTHER/docs/invoice/${id}`,
      `${docs}/invoice/${id.toUpperCase()}x`,
      `${docs}/invoice/..%2F${id}`,
      `${docs}/invoice/00000000-0000-0000-0000-000000000000`,
      '/v1/orders/NONE/docs',
      `/v1/orders/${'x'.repeat(300)}/docs`,
    ])
      assert.equal((await north.get(path)).status, 404, path);
    assert.equal((await north.get(`${docs}?limit=5`)).status, 400);
  });

  it('lists the labels that were made for an order, those that are void too', async () => {
    const { running, north } = world();
    const made = await north.send(`${labels('north', 'sandbox')}?orderId=OF-NOR`, { ...wish, nDossier: 'D-9' });
    const number = numberOf(made);
    assert.equal((await north.send(labels('north', 'sandbox'), wish)).status, 200);
    const listed = async () => (await north.get('/v1/orders/OF-NOR/labels')).list();
    const [label, ...others] = await listed();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [label?.context, label?.carrier, label?.expeditionNumber, label?.nDossier, label?.isVoid],
      ['north', 'sandbox', number, 'D-9', false],
    );
    await changeRows(running.app.store, shippingLabelTable, { state: 'voided' }, { expeditionNumber: number });
    assert.equal((await listed())[0]?.isVoid, true);
  });

  it('says with whom one can ship and what a form has to know, without settings or secrets', async () => {
    const { north, south } = world();
    const answer = await north.get('/v1/shippings/accounts');
    assert.ok(!/key_hush|apiKey|baseUrl|companyPrefix/.test(answer.body));
    const accounts = answer.list();
    assert.ok(accounts.length > 2);
    assert.ok(accounts.every(({ activityCode }) => activityCode === 'NOR'));
    const sandbox = accounts.find(({ context, carrier }) => context === 'north' && carrier === 'sandbox');
    assert.deepEqual(sandbox?.presetFields, Object.keys(sender));
    assert.deepEqual(sandbox.choices, [
      { field: 'modeCol', values: ['CCC', 'REL'] },
      { field: 'modeLiv', values: ['HOM', '24R', '24L', 'LCC'] },
    ]);
    const { requiredFields } = sandbox;
    assert.ok(Array.isArray(requiredFields));
    assert.ok(requiredFields.includes('destAddr1') && requiredFields.includes('weight'));
    assert.ok(!requiredFields.includes('expCity'), 'what the context presets need not be given');
    const bare = accounts.find(({ context }) => context === 'bare');
    assert.ok(Array.isArray(bare?.requiredFields) && bare.requiredFields.includes('expCity'));
    assert.ok((await south.get('/v1/shippings/accounts')).list().every(({ activityCode }) => activityCode === 'SOU'));
  });
}

describe('an order of two activities', () => {
  let running: RunningApp;
  before(async () => {
    running = await startApp(engines[0] ?? assert.fail('there is no engine'));
    for (const [activityCode, activityName] of [
      ['NOR', 'North Trading'],
      ['SOU', 'South Trading'],
    ] as const)
      await running.load(order, activityCode, [
        { ...order.example, activityCode, activityName, orderUniqueID: 'BOTH' },
      ]);
  });
  after(() => running.close());

  it('is one that the request has to say the activity of', async () => {
    const both = { token: running.tokens.both };
    for (const list of ['docs', 'labels']) {
      const answer = await running.get(`/v1/orders/BOTH/${list}`, both);
      assert.equal(answer.status, 400);
      assert.match(String(answer.object().type), /ambiguous-reference$/);
      assert.deepEqual((await running.get(`/v1/orders/BOTH/${list}?activityCode=SOU`, both)).list(), []);
      for (const [asked, told] of [
        ['NONE/docs?activityCode=SOU', /in activity SOU\./],
        ['BOTH/docs?activityCode=WES', /activityCode names no activity of this token\./],
        ['BOTH/docs?activityCode=', /activityCode names no activity of this token\./],
        ['NONE/docs', /among the activities of this token\./],
      ] as const) {
        const refused = await running.get(`/v1/orders/${asked.replace('docs', list)}`, both);
        assert.equal(refused.status, 404);
        assert.match(String(refused.object().detail), told);
      }
    }
  });
});
