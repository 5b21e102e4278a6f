// Repetitions of a request for a label after something else has changed: the label exists, and its key gets it again.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createChecker } from '../../../src/model/check.ts';
import { withdrawalReader } from '../../../src/model/withdrawal.ts';
import { order } from '../../../src/resources/index.ts';
import { storedAnswerTable } from '../../../src/store/tables/writes.ts';
import { removeRows } from '../../contract/database.ts';
import { engines } from '../../contract/engines.ts';
import type { Answered } from '../../contract/running-app.ts';
import {
  labels,
  numberOf,
  problem,
  sender,
  type Shipping,
  startShipping,
  untouched,
  wish,
  wishWithoutSender,
} from './fixture.ts';

for (const engine of engines) {
  describe(`a label that is asked for again on ${engine.name}`, { skip: engine.skip }, () => {
    let shipping: Shipping;
    before(async () => {
      shipping = await startShipping(engine);
    });
    after(() => shipping.close());
    describe('after settings changed', () => settingsTests(() => shipping));
    describe('after its order changed', () => orderTests(() => shipping));
  });
}

let keys = 0;
const newKey = (): string => `again-${++keys}`;

/** While the answer is stored, and when only the label is. */
async function sameAgain(world: Shipping, first: Answered, ask: () => Promise<Answered>): Promise<void> {
  for (const stored of [true, false]) {
    if (!stored) await removeRows(world.running.app.store, storedAnswerTable);
    const again = await untouched(world, ask);
    assert.equal(again.status, 200, again.body);
    assert.deepEqual(again.bytes, first.bytes);
    assert.equal(again.headers['idempotency-replayed'], 'true');
  }
}

function settingsTests(world: () => Shipping): void {
  const send = (context: string, key: string | null, body: unknown, carrier = 'karrio'): Promise<Answered> =>
    world().north.send(labels(context, carrier), body, key === null ? {} : { headers: { 'idempotency-key': key } });

  it('is the same, whatever the context presets by now', async () => {
    const [name, key] = [await world().context({ sender }), newKey()];
    const first = await send(name, key, wishWithoutSender);
    numberOf(first);
    await world().context({ name, sender: { expAddr1: 'North Trading' } });
    await sameAgain(world(), first, () => send(name, key, wishWithoutSender));
    const { errors } = problem(await send(name, newKey(), wishWithoutSender), 400, 'validation-failed');
    assert.deepEqual(Object.keys(Object(errors)).toSorted(), ['expCity', 'expCountry', 'expZip']);
  });

  it('is the same, whatever the carrier’s rules are for the account by now', async () => {
    const [name, key] = [await world().context({ settings: { carrierName: 'chronopost' } }), newKey()];
    const first = await send(name, key, wish);
    numberOf(first);
    await world().context({ name, settings: { carrierName: '' } });
    problem(await send(name, newKey(), wish), 502, 'carrier-unavailable');
    await sameAgain(world(), first, () => send(name, key, wish));
  });

  it('is refused where the request is another one by now, also one that no label could be made from', async () => {
    const [name, key] = [await world().context(), newKey()];
    numberOf(await send(name, key, wish));
    for (const body of [
      { ...wish, weight: 'heavy' },
      { ...wish, destCity: '' },
    ])
      problem(await untouched(world(), () => send(name, key, body)), 422, 'idempotency-key-reused');
    const { errors } = problem(await send(name, key, { ...wish, weight: 9, gift: 'yes' }), 400, 'validation-failed');
    assert.deepEqual(Object.keys(Object(errors)).toSorted(), ['gift', 'weight']);
  });

  it('is made where it was refused before: the key stayed free', async () => {
    const [name, key] = [await world().context({ sender: { expAddr1: 'North Trading' } }), newKey()];
    for (const _round of [1, 2])
      problem(await untouched(world(), () => send(name, key, wishWithoutSender)), 400, 'validation-failed');
    await world().context({ name, sender });
    numberOf(await send(name, key, wishWithoutSender));
  });
}

function orderTests(world: () => Shipping): void {
  const send = (key: string, orderId: string, dryRun = false): Promise<Answered> =>
    world().north.send(`${labels('north')}?orderId=${orderId}${dryRun ? '&dryRun=true' : ''}`, wish, {
      headers: { 'idempotency-key': key },
    });
  const write = async (orderUniqueID: string): Promise<void> => {
    const checked = createChecker(order)({ orderUniqueID }, { activity: 'NOR', activityName: 'North Trading' });
    assert.ok(checked.ok, JSON.stringify(checked));
    await world().running.app.store.records.write(order, 'NOR', [checked.record]);
  };
  const withdraw = async (orderUniqueID: string): Promise<void> => {
    const read = withdrawalReader(order)({ orderUniqueID }, { activity: 'NOR', activityName: 'North Trading' });
    assert.ok(read.ok, JSON.stringify(read));
    await world().running.app.store.records.write(order, 'NOR', [read.withdrawal]);
  };

  it('is the same, though the order was withdrawn, and when it is there again', async () => {
    const key = newKey();
    await write('OF-GONE-1');
    const first = await send(key, 'OF-GONE-1');
    numberOf(first);
    await withdraw('OF-GONE-1');
    await sameAgain(world(), first, () => send(key, 'OF-GONE-1'));
    await write('OF-GONE-1');
    await sameAgain(world(), first, () => send(key, 'OF-GONE-1'));
  });

  it('is the same, though the order that its id names was withdrawn', async () => {
    const key = newKey();
    await write('OF-GONE-3');
    const { store } = world().running.app;
    const [found] = await store.lists.find(order, ['NOR'], 'orderUniqueID', 'OF-GONE-3', ['id']);
    const id = String(found?.values[0]);
    const first = await send(key, id);
    numberOf(first);
    await withdraw('OF-GONE-3');
    await sameAgain(world(), first, () => send(key, id));
  });

  it('is not that of another order under a name that no order has', async () => {
    const key = newKey();
    await write('OF-OTHER-1');
    numberOf(await send(key, 'OF-OTHER-1'));
    problem(await untouched(world(), () => send(key, 'OF-TYPO')), 404, 'resource-not-found');
    await removeRows(world().running.app.store, storedAnswerTable);
    problem(await untouched(world(), () => send(key, 'OF-TYPO')), 404, 'resource-not-found');
  });

  it('is not found for an order that was withdrawn without a label, nor as a dry run', async () => {
    const key = newKey();
    await write('OF-GONE-2');
    await withdraw('OF-GONE-2');
    for (const dryRun of [false, true])
      problem(await untouched(world(), () => send(key, 'OF-GONE-2', dryRun)), 404, 'resource-not-found');
    await write('OF-GONE-2');
    numberOf(await send(key, 'OF-GONE-2'));
    problem(await send(key, 'OF-NOR'), 422, 'idempotency-key-reused');
    await withdraw('OF-GONE-2');
    problem(await untouched(world(), () => send(key, 'OF-GONE-2', true)), 404, 'resource-not-found');
  });
}
