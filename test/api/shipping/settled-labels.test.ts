// Labels after their time, on every engine: what is still said of those whose data was removed, and of those of which
// somebody found out what the carrier made.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../contract/engines.ts';
import type { Answered } from '../../contract/running-app.ts';
import {
  labels,
  numberOf,
  output,
  pathOf,
  pdf,
  problem,
  type Shipping,
  start,
  startShipping,
  tracking,
  untouched,
  wish,
} from './fixture.ts';
import { removeRows, rowsIn } from '../../contract/database.ts';
import { shippingLabelTable } from '../../../src/store/tables/shipping.ts';
import { storedAnswerTable } from '../../../src/store/tables/writes.ts';

const day = 86_400_000;

for (const engine of engines) {
  describe(`labels after their time on ${engine.name}`, { skip: engine.skip }, () => {
    let shipping: Shipping;
    before(async () => {
      shipping = await startShipping(engine, { LABEL_RETENTION_DAYS: '30' });
    });
    after(() => shipping.close());
    describe('that are no longer kept', () => forgottenTests(() => shipping));
    describe('of which nobody knew', () => settledTests(() => shipping));
  });
}

let keys = 0;
const newKey = (): string => `key-${++keys}`;

function send(
  world: Shipping,
  context: string,
  key: string | null,
  body: unknown = wish,
  carrier = 'karrio',
): Promise<Answered> {
  return world.north.send(labels(context, carrier), body, key === null ? {} : { headers: { 'idempotency-key': key } });
}

function forgottenTests(world: () => Shipping): void {
  /** A label of a context of its own whose data is removed, after thirty days. */
  const forgotten = async (
    key: string | null,
    carrier = 'karrio',
  ): Promise<{ readonly context: string; readonly made: Answered }> => {
    world().clock.now = start;
    const context = await world().context({ carrier });
    const made = await send(world(), context, key, { ...wish, nDossier: 'D-1' }, carrier);
    const { store } = world().running.app;
    await removeRows(store, storedAnswerTable);
    world().clock.now = start + 30 * day;
    await store.labels.forget(start);
    return { context, made };
  };
  after(() => {
    world().clock.now = start;
  });

  it('have no outputs any more, in their own context, and the carrier is not asked', async () => {
    const { context, made } = await forgotten(null);
    const asked = world().carrier.asked().length;
    assert.deepEqual((await world().north.get(`${labels(context)}/${numberOf(made)}`)).object(), {
      status: '0',
      expeditionNumber: numberOf(made),
      outputs: [],
    });
    problem(await world().south.get(`${labels('south')}/${numberOf(made)}`), 404, 'resource-not-found');
    problem(await world().south.get(tracking('south', numberOf(made))), 404, 'resource-not-found');
    assert.equal(world().carrier.asked().length, asked);
    assert.equal(
      (await world().north.get(tracking(context, numberOf(made)))).status,
      200,
      'the carrier knows where it is',
    );
  });

  it('are still those of their key, activity and order, where labels are kept for longer by now', async () => {
    const [key, { store }] = [newKey(), world().running.app];
    const context = await world().context();
    world().clock.now = start;
    const made = await world().north.send(`${labels(context)}?orderId=OF-NOR`, wish, {
      headers: { 'idempotency-key': key },
    });
    await removeRows(store, storedAnswerTable);
    await store.labels.forget(start);
    const before = await rowsIn(store, shippingLabelTable, { context });
    const asked = world().carrier.asked().length;
    const read = await world().north.get(`${labels(context)}/${numberOf(made)}`);
    assert.deepEqual(read.object(), { status: '0', expeditionNumber: numberOf(made), outputs: [] });
    assert.equal(world().carrier.asked().length, asked);
    assert.deepEqual(await rowsIn(store, shippingLabelTable, { context }), before);
    assert.equal(before[0]?.state, 'past');
    problem(await world().south.get(`${labels('south')}/${numberOf(made)}`), 404, 'resource-not-found');
    assert.ok((await world().north.get('/v1/orders/OF-NOR/labels')).body.includes(numberOf(made)));
  });

  it('are unknown to the tracking of a carrier that knows nothing by itself', async () => {
    const { context, made } = await forgotten(null, 'sandbox');
    problem(await world().north.get(tracking(context, numberOf(made), 'sandbox')), 404, 'resource-not-found');
  });

  it('keep their key from making a second parcel', async () => {
    const key = newKey();
    const { context } = await forgotten(key);
    const refused = await untouched(world(), () => send(world(), context, key, { ...wish, nDossier: 'D-1' }));
    assert.match(String(problem(refused, 422, 'idempotency-key-reused').detail), /no longer kept.*new key/);
  });

  it('are no duplicates of later ones', async () => {
    const { context } = await forgotten(null);
    assert.equal(
      (await send(world(), context, null, { ...wish, nDossier: 'D-1' })).headers['label-duplicates'],
      undefined,
    );
  });

  it('were refused: nothing of the recipient was kept from the first moment on', async () => {
    const context = await world().context({ carrier: 'sandbox' });
    problem(
      await send(world(), context, newKey(), { ...wish, nDossier: 'SANDBOX-NO-SERVICE' }, 'sandbox'),
      422,
      'carrier-rejected',
    );
    const rows = await rowsIn(world().running.app.store, shippingLabelTable, { context });
    assert.deepEqual(
      rows.map(({ state, request }) => [state, request]),
      [['refused', '{}']],
    );
  });
}

function settledTests(world: () => Shipping): void {
  before(() => {
    world().clock.now = start;
  });

  it('keep the number of a parcel without label: for operator, audit trail, and whoever asks again', async () => {
    const [context, key] = [await world().context(), newKey()];
    world().carrier.play(() => ({
      status: 201,
      body: {
        id: 'shp_1',
        status: 'purchased',
        tracking_number: 'KRHALF01',
        shipping_documents: [{ category: 'label', format: 'PDF', base64: Buffer.from('<html>').toString('base64') }],
      },
    }));
    assert.match(
      String(problem(await send(world(), context, key), 502, 'carrier-unavailable').detail),
      /^The parcel KRHALF01 exists/,
    );
    world().carrier.play(null);
    const { labels: stored } = world().running.app.store;
    const unknown = async () =>
      (await stored.list({ activity: null, context, unknown: true, limit: 10 })).map(({ expeditionNumber, state }) => [
        expeditionNumber,
        state,
      ]);
    assert.deepEqual(await unknown(), [['KRHALF01', 'unknown']]);
    assert.deepEqual(Object(Object((await world().audit(context))[0]).details).parcels, ['KRHALF01']);
    assert.match(
      String(problem(await untouched(world(), () => send(world(), context, key)), 504, 'carrier-timeout').detail),
      /the parcel KRHALF01 exists/,
    );
    problem(await world().south.get(`${labels('south')}/KRHALF01`), 404, 'resource-not-found');
    output(await world().north.get(`${labels(context)}/KRHALF01`));
    assert.deepEqual(await unknown(), [['KRHALF01', 'unknown']], 'that its label was fetched does not free its key');
    problem(await untouched(world(), () => send(world(), context, key)), 504, 'carrier-timeout');
  });

  it('are told of as such, not as faults of the request, which the client would correct and send again', async () => {
    const [context, key] = [await world().context(), newKey()];
    world().carrier.play(({ path }) =>
      path === '/v1/shipments'
        ? { status: 201, body: { id: 'shp_1', status: 'purchased', tracking_number: 'KRHALF02' } }
        : { status: 400, body: { errors: [{ code: 'validation', message: 'The weight is too high' }] } },
    );
    const { detail, errors, carrierMessage } = problem(await send(world(), context, key), 502, 'carrier-unavailable');
    world().carrier.play(null);
    assert.match(
      String(detail),
      /^The parcel KRHALF02 exists at Karrio all the same\. .*The weight is too high.* Fetch its label by number/,
    );
    assert.match(String(detail), /before you send the request under another Idempotency-Key\.$/);
    assert.doesNotMatch(String(detail), /not known/);
    assert.deepEqual([errors, carrierMessage], [undefined, 'The weight is too high']);
  });

  it('belong to their activity with every parcel, whoever else has an account of the same company', async () => {
    const context = await world().context();
    world().carrier.play(() => ({
      status: 201,
      body: {
        id: 'shp_1',
        status: 'purchased',
        tracking_number: 'KRMANY01',
        meta: { tracking_numbers: ['KRMANY01', 'KRMANY02'] },
        shipping_documents: [{ category: 'label', format: 'PDF', base64: pdf.toString('base64') }],
      },
    }));
    assert.equal(numberOf(await send(world(), context, null, { ...wish, nbPackage: '2' })), 'KRMANY01');
    world().carrier.play(null);
    for (const number of ['KRMANY01', 'KRMANY02']) {
      problem(
        await untouched(world(), () => world().south.get(`${labels('south')}/${number}`)),
        404,
        'resource-not-found',
      );
      problem(await untouched(world(), () => world().south.get(tracking('south', number))), 404, 'resource-not-found');
      assert.equal((await world().north.get(tracking(context, number))).status, 200);
    }
  });

  for (const [name, number] of [
    ['more than a path can name', 'K'.repeat(65)],
    ['a line break', 'KR\r\nX: 1'],
    ['a character that no engine stores', 'KR\0'],
    ['half a character', 'KR\ud800'],
  ] as const) {
    it(`may exist where a carrier gives a number of ${name}: it could never be found again`, async () => {
      const [context, key] = [await world().context(), newKey()];
      world().carrier.play(() => ({
        status: 201,
        body: {
          id: 'shp_1',
          status: 'purchased',
          tracking_number: number,
          shipping_documents: [{ category: 'label', format: 'PDF', base64: pdf.toString('base64') }],
        },
      }));
      const { detail } = problem(await send(world(), context, key), 502, 'carrier-unavailable');
      world().carrier.play(null);
      assert.match(
        String(detail),
        /holds no number of 1 to 64 characters in one line.*Whether there is a parcel is not known/,
      );
      problem(await untouched(world(), () => send(world(), context, key)), 504, 'carrier-timeout');
    });
  }

  /** A label of which nobody knows, settled as the test says; and its context. */
  const settled = async (key: string, expeditionNumber: string | null): Promise<string> => {
    const context = await world().context();
    world().carrier.play(() => 'hang up');
    problem(await send(world(), context, key), 502, 'carrier-unavailable');
    world().carrier.play(null);
    problem(await send(world(), context, key), 504, 'carrier-timeout');
    const { labels: stored } = world().running.app.store;
    const [label] = await stored.list({ activity: null, context, unknown: true, limit: 10 });
    assert.ok(label !== undefined);
    assert.equal(await stored.settle(label, expeditionNumber), 'settled');
    return context;
  };

  it('are answered with their number under their key, once it has been found out; files are fetched once', async () => {
    const key = newKey();
    const context = await settled(key, 'FOUND-1');
    const again = await untouched(world(), () => send(world(), context, key));
    assert.deepEqual(
      [again.object(), again.headers['idempotency-replayed']],
      [{ status: '0', expeditionNumber: 'FOUND-1', outputs: [] }, 'true'],
    );
    const fetched = await world().north.get(`${labels(context)}/FOUND-1`);
    assert.deepEqual((await world().running.get(pathOf(output(fetched)), { token: null })).bytes, pdf);
    const asked = world().carrier.asked().length;
    assert.deepEqual((await world().north.get(`${labels(context)}/FOUND-1`)).bytes, fetched.bytes);
    assert.equal(world().carrier.asked().length, asked);
    const [label] = await world().running.app.store.labels.list({
      activity: null,
      context,
      unknown: false,
      limit: 10,
    });
    assert.deepEqual([label?.state, label?.requestKey === null], ['made', false], 'it is still the label of its key');
    assert.equal((await world().north.get(tracking(context, 'FOUND-1'))).status, 200);
  });

  it('are still those of their activity alone', async () => {
    await settled(newKey(), 'FOUND-2');
    problem(await world().south.get(`${labels('south')}/FOUND-2`), 404, 'resource-not-found');
  });

  it('can be asked for again under their old key when there is no parcel', async () => {
    const key = newKey();
    const context = await settled(key, null);
    const before = world().carrier.shipments();
    const made = await send(world(), context, key);
    numberOf(made);
    assert.deepEqual((await send(world(), context, key)).bytes, made.bytes);
    assert.equal(world().carrier.shipments() - before, 1);
  });
}
