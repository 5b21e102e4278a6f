// The account test of DHL: what it asks, and what it says where DHL judges nothing, or judges against it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dhl } from '../../../src/carriers/dhl/dhl.ts';
import { startDhlSimulator } from '../../../simulators/dhl.ts';
import { answer, carrierAccount, callCarrier, failureOf, replay, resultOf } from '../drive.ts';

const account = carrierAccount(dhl, {
  clientId: 'app-1',
  clientSecret: 'secret-99',
  username: 'shop',
  password: 'pass word&1',
  billingNumbers: '33333333330102,33333333335401',
});
const json = (body: unknown, status = 200) =>
  answer(JSON.stringify(body), status, { 'content-type': 'application/json' });
const token = json({ access_token: 'tok.1', token_type: 'Bearer', expires_in: 28_799 });
const item = (status: number, ...validationMessages: readonly object[]) =>
  json({ status: { statusCode: status }, items: [{ sstatus: { status }, validationMessages }] }, status);
const wrong = (property: string, validationMessage: string) => ({
  property,
  validationMessage,
  validationState: 'Error',
});
const tested = (...answers: readonly ReturnType<typeof json>[]) =>
  replay(dhl.probe?.(account, 0) ?? assert.fail('no account test'), [token, ...answers]);

describe('the account test of DHL', () => {
  it('has DHL judge a shipment of each product that has a billing number', async () => {
    const driven = await tested(item(200), item(200));
    assert.equal(resultOf(driven), 'DHL accepts the user for labels. It would make labels of V01PAK, V54EPAK.');
    assert.deepEqual(
      driven.requests.slice(1).map(({ url, repeat, body }) => {
        const [shipment] = JSON.parse(body ?? '').shipments;
        return [new URL(url).search, repeat, shipment.product, shipment.billingNumber, shipment.consignee.country];
      }),
      [
        ['?validate=true', 'safe', 'V01PAK', '33333333330102', 'DEU'],
        ['?validate=true', 'safe', 'V54EPAK', '33333333335401', 'AUT'],
      ],
    );
  });

  it('says what the token shows where the user may try nothing', async () => {
    for (const status of [401, 403]) {
      const driven = await tested(json({ title: 'Forbidden', status }, status));
      assert.equal(
        resultOf(driven),
        `DHL accepts the user for labels. It lets the user try no shipment (status ${status}): whether it takes the ` +
          'billing numbers shows only with a label.',
      );
    }
  });

  it('says which product DHL would not take, in its words', async () => {
    const driven = await tested(item(200), item(400, wrong('product', 'The product is not booked')));
    assert.match(
      resultOf(driven),
      /It would make labels of V01PAK\. It would not make a label of V54EPAK: .*The product is not booked/,
    );
  });

  it('fails where a billing number is wrong, and where DHL does', async () => {
    const numbered = failureOf(await tested(item(400, wrong('billingNumber', 'The billing number is unknown'))));
    assert.equal(numbered.kind, 'configuration');
    assert.match(numbered.message, /billing number is unknown/);
    assert.equal(failureOf(await tested(json({}, 503))).kind, 'unavailable');
  });

  it('finds every product of the simulator', async (t) => {
    const simulator = await startDhlSimulator();
    t.after(() => simulator.close());
    const own = carrierAccount(dhl, simulator.settings);
    assert.match(
      resultOf(await callCarrier(dhl.probe?.(own, 0) ?? assert.fail('no account test'), dhl.origins(own))),
      /It would make labels of V01PAK, V62KP, V53WPAK, V54EPAK, V66WPI\.$/,
    );
  });
});
