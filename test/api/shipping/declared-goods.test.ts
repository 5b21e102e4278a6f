// Labels whose goods are declared to customs, over the whole HTTP path: from the order and its articles in the store to
// the carrier's simulator.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startColissimoSimulator } from '../../../simulators/colissimo/colissimo.ts';
import { startGlsSimulator } from '../../../simulators/gls.ts';
import type { Simulator } from '../../../simulators/server.ts';
import { article, order } from '../../../src/resources/index.ts';
import { shippingLabelTable } from '../../../src/store/tables/shipping.ts';
import { rowsIn } from '../../contract/database.ts';
import { engines } from '../../contract/engines.ts';
import type { Answered } from '../../contract/running-app.ts';
import { numberOf, output, pathOf, problem, type Shipping, startShipping, untouched, wish } from './fixture.ts';

const { articleReference: _reference, ...anyArticle } = article.example;
const goods = (reference: string, netWeightPerUVC: number | null) => ({
  ...anyArticle,
  activityCode: 'NOR',
  activityName: 'North Trading',
  articleReference: reference,
  netWeightPerUVC,
  grossWeightPerUVC: null,
});
const [line] = order.example.orderEntries;
const toGeneva = { ...wish, modeLiv: 'DOS', destCity: 'Genève', destZip: '1200', destCountry: 'CH' };

function orderOf(
  orderUniqueID: string,
  changes: object,
  activity: readonly [string, string] = ['NOR', 'North Trading'],
) {
  const [activityCode, activityName] = activity;
  return { ...order.example, activityCode, activityName, orderUniqueID, orderSubOrders: [], ...changes };
}

for (const engine of engines) {
  describe(`goods that are declared on ${engine.name}`, { skip: engine.skip }, () => {
    let shipping: Shipping;
    let simulator: Simulator;
    before(async () => {
      [shipping, simulator] = await Promise.all([startShipping(engine), startColissimoSimulator()]);
      await shipping.context({ name: 'north', carrier: 'colissimo', settings: simulator.settings });
      await shipping.running.load(article, 'NOR', [goods('TEE-ORG-NVY-M', 0.18), goods('NO-WEIGHT', null)]);
      await shipping.running.load(order, 'NOR', [
        ...['OF-SWISS', 'OF-PAPER', 'OF-PARCELS', 'OF-AT-ONCE', 'OF-GLS'].map((name) => orderOf(name, {})),
        orderOf('OF-EMPTY', { orderEntries: [] }),
        orderOf('OF-HEAVY', { orderEntries: [{ ...line, quantityToPrepare: 20 }] }),
        orderOf('OF-COSTLY', { orderEntries: [{ ...line, unitPriceHT: 900 }] }),
        orderOf('OF-BARE', {
          orderEntries: [
            { orderLineID: '1', articleReference: 'NO-WEIGHT', quantityToPrepare: 1, unitPriceHT: 3 },
            { ...line, orderLineID: '2', articleOriginCountry: null, articleReference: 'GONE' },
          ],
        }),
        orderOf('OF-MANY', {
          orderEntries: Array.from({ length: 1000 }, (_, index) => ({ ...line, orderLineID: String(index) })),
        }),
      ]);
      await shipping.running.load(order, 'SOU', [orderOf('OF-SOUTH', {}, ['SOU', 'South Trading'])]);
    });
    after(() => Promise.all([shipping.close(), simulator.close()]));
    const send = (query: string, body: object, headers: Readonly<Record<string, string>> = {}): Promise<Answered> =>
      shipping.north.send(`/v1/shippings/labels/north/colissimo${query}`, body, { headers });
    const refused = async (query: string, body: object = toGeneva): Promise<readonly string[]> => {
      const { errors } = problem(await untouched(shipping, () => send(query, body)), 400, 'validation-failed');
      return Object.keys(Object(errors));
    };

    it('are said to the carrier, which gives the form beside the label', async () => {
      const made = await send('?orderId=OF-SWISS', toGeneva);
      assert.match(output(made, 'CustomsUrl'), /^https:\/\/api\.logistics\.example\/v1\/shippings\/files\//);
      for (const [name, word] of [
        ['PdfUrl', 'label'],
        ['CustomsUrl', 'customs'],
        ['InvoiceUrl', 'invoice'],
      ] as const) {
        const { headers } = await shipping.north.get(pathOf(output(made, name)));
        assert.equal(headers['content-disposition'], `inline; filename="${word}-${numberOf(made)}.pdf"`);
      }
      const [row] = await rowsIn(shipping.running.app.store, shippingLabelTable, {
        expeditionNumber: numberOf(made),
      });
      assert.equal(row?.state, 'made');
    });

    it('go to GLS by its Customs API, where the account says so, and the key comes with the label', async (t) => {
      const gls = await startGlsSimulator();
      t.after(() => gls.close());
      const settings = { ...gls.settings, incoterm: '20', customsApi: 'yes' };
      await shipping.context({ name: 'north', carrier: 'gls', settings });
      const ask = (changes: object) =>
        shipping.north.send('/v1/shippings/labels/north/gls?orderId=OF-GLS', {
          ...{ ...toGeneva, modeLiv: 'PARCEL', destMail: 'camille@example.ch' },
          ...changes,
        });
      const { errors } = problem(await untouched(shipping, () => ask({})), 400, 'validation-failed');
      assert.deepEqual(Object.keys(Object(errors)), ['expMail']);
      const made = await ask({ expMail: 'depot@example.com' });
      assert.match(output(made, 'CustomsConsignment'), /^\S{22}$/);
      assert.match(output(made, 'InvoiceUrl'), /\/v1\/shippings\/files\//);
      assert.ok(!made.body.includes('Warning'));
    });

    it('stand on an invoice that we draw, and in no other label', async () => {
      const link = output(await send('?orderId=OF-PAPER', toGeneva), 'InvoiceUrl');
      const paper = await shipping.north.get(pathOf(link));
      assert.deepEqual([paper.status, paper.headers['content-type']], [200, 'application/pdf']);
      assert.match(paper.body, /^%PDF-/);
      const { outputs } = (await send('?orderId=OF-PAPER', { ...wish, modeLiv: 'DOM' })).object();
      assert.ok(!JSON.stringify(outputs).includes('InvoiceUrl'));
    });

    it('need an order, where there is a border and only there', async () => {
      assert.deepEqual(await refused(''), ['orderId']);
      assert.deepEqual(await refused('?dryRun=true'), ['orderId']);
      numberOf(await send('', { ...wish, modeLiv: 'DOM' }));
      numberOf(await send('?orderId=OF-EMPTY', { ...wish, modeLiv: 'DOM' }));
    });

    it('are refused with every field that is missing, before the carrier is asked', async () => {
      assert.deepEqual(await refused('?orderId=OF-EMPTY'), ['orderId/orderEntries']);
      assert.deepEqual(await refused('?orderId=OF-MANY'), ['orderId/orderEntries']);
      assert.deepEqual(await refused('?orderId=OF-HEAVY'), ['weight']);
      assert.deepEqual(await refused('?orderId=OF-BARE'), [
        'orderId/orderEntries/0/articleBLDesignation',
        'orderId/orderEntries/0/articleReference',
        'orderId/orderEntries/1/articleReference',
        'orderId/orderEntries/1/articleOriginCountry',
      ]);
    });

    it('are declared once: another parcel of an order is refused while the first label is in force', async () => {
      const first = numberOf(await send('?orderId=OF-PARCELS', toGeneva));
      for (const query of ['?orderId=OF-PARCELS', '?orderId=OF-PARCELS&dryRun=true']) {
        const { detail, errors } = problem(
          await untouched(shipping, () => send(query, { ...toGeneva, nDossier: 'SECOND-PARCEL' })),
          400,
          'validation-failed',
        );
        assert.deepEqual(Object.keys(Object(errors)), ['orderId']);
        assert.match(String(detail), new RegExp(`label ${first} of colissimo \\(context north\\)`));
      }
      numberOf(await send('?orderId=OF-PARCELS', { ...wish, modeLiv: 'DOM' }));
      numberOf(await send('?orderId=OF-PARCELS', { ...toGeneva, destCountry: 'GB', destZip: 'SW1A 1AA' }));
      await shipping.running.app.store.records.submit([], async (unit) => {
        const [row] = await rowsIn(shipping.running.app.store, shippingLabelTable, { expeditionNumber: first });
        await unit.putLabel({ ...(row ?? assert.fail()), state: 'voided' }, []);
      });
      numberOf(await send('?orderId=OF-PARCELS', toGeneva));
    });

    it('are declared by one of several labels that are asked for at once', async () => {
      const answers = await Promise.all(
        Array.from({ length: 4 }, (_, index) =>
          send('?orderId=OF-AT-ONCE', { ...toGeneva, nDossier: `PARCEL-${index}` }),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 400, 400, 400]);
    });

    it('of another activity look as if they did not exist', async () => {
      problem(await untouched(shipping, () => send('?orderId=OF-SOUTH', toGeneva)), 404, 'resource-not-found');
    });

    it('of much value want the account to have its number at customs, which the operator must give', async () => {
      const answer = await untouched(shipping, () => send('?orderId=OF-COSTLY', toGeneva));
      assert.match(String(problem(answer, 502, 'carrier-unavailable').detail), /setting eori/);
    });

    it('get the same label again under their key, whatever became of the order', async () => {
      const headers = { 'idempotency-key': '"declared-goods"' };
      await shipping.running.load(order, 'NOR', [orderOf('OF-CHANGES', {})]);
      const first = await send('?orderId=OF-CHANGES', toGeneva, headers);
      await shipping.running.load(order, 'NOR', [orderOf('OF-CHANGES', { orderEntries: [] })]);
      shipping.clock.now += 3 * 86_400_000;
      assert.equal(numberOf(await send('?orderId=OF-CHANGES', toGeneva, headers)), numberOf(first));
    });
  });
}
