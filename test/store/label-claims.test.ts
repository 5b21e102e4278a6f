// Labels of requests with an Idempotency-Key, on every engine: whoever stood still while another request took its place
// asks no carrier.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { v7 as uuidv7 } from 'uuid';
import type { StoredLabel } from '../../src/store/labels.ts';
import type { RequestClaim } from '../../src/store/idempotency-contract.ts';
import type { Store } from '../../src/store/store.ts';
import { type EngineUnderTest, allEngines, storeOn } from '../contract/engines.ts';
import { reserveLabel } from '../contract/reserve-label.ts';

const noon = Date.UTC(2026, 10, 23, 12);

for (const engine of allEngines) {
  describe(`labels under a claim in ${engine.name}`, { skip: engine.skip }, () => {
    let database: Awaited<ReturnType<EngineUnderTest['create']>>;
    let store: Store;
    let label: StoredLabel;
    before(async () => {
      database = await engine.create();
      store = await storeOn(await database.open());
      await store.activities.add('NOR', 'North Trading');
      await store.carrierAccounts.put(
        {
          owner: 'NOR',
          context: 'north',
          carrier: 'sandbox',
          settings: {},
          secrets: null,
          sender: {},
          dailyLimit: null,
        },
        noon,
      );
      const account = await store.carrierAccounts.find(['NOR'], 'north', 'sandbox');
      assert.ok(account !== null);
      label = {
        owner: 'NOR',
        accountId: account.id,
        context: 'north',
        carrier: 'sandbox',
        id: uuidv7(),
        expeditionNumber: null,
        state: 'asked',
        requestKey: null,
        fingerprint: 'f',
        nDossier: null,
        orderId: null,
        request: '{}',
        result: null,
        operationId: uuidv7(),
        clientId: 'shop',
        createdAt: noon,
      };
    });
    after(async () => {
      await store.close();
      await database.remove();
    });
    const claimed = async (key: string): Promise<RequestClaim> => {
      const outcome = await store.idempotency.claim({ scope: 'scope', key, fingerprint: 'f' });
      assert.ok(outcome.state === 'claimed', outcome.state);
      return outcome.claim;
    };
    const endClaims = () =>
      store.db.updateTable('stored_answer').set({ claimed_until: 0 }).where('answer', 'is', null).execute();
    const reserve = async (claim: RequestClaim | null) =>
      reserveLabel(store, { ...label, id: uuidv7() }, noon, { claim });
    const noted = async (): Promise<readonly unknown[]> => [
      ...(await store.db.selectFrom('shipping_label').select('id').execute()),
      ...(await store.db.selectFrom('carrier_account').select('last_sequence').execute()),
    ];

    it('are noted for whoever holds it, ended or not, and without a key', async () => {
      const claim = await claimed('held');
      assert.deepEqual(await reserve(claim), { state: 'reserved', sequence: 1 });
      await endClaims();
      assert.deepEqual(await reserve(claim), { state: 'reserved', sequence: 2 });
      assert.deepEqual(await reserve(null), { state: 'reserved', sequence: 3 });
    });

    for (const [what, next] of [
      ['is at work', async () => undefined],
      [
        'was answered, as when the carrier refused',
        (claim: RequestClaim) =>
          store.idempotency.store(claim, { problem: { slug: 'carrier-rejected', detail: 'No.', extra: {} } }),
      ],
      ['has given it back', (claim: RequestClaim) => store.idempotency.release(claim)],
    ] as const) {
      it(`are not noted once another has taken it over that ${what}`, async () => {
        const first = await claimed(what);
        await endClaims();
        await next(await claimed(what));
        const before = await noted();
        assert.deepEqual(await reserve(first), { state: 'taken-over' });
        assert.deepEqual(await noted(), before);
      });
    }
  });
}
