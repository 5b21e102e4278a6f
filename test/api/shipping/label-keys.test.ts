// Labels under an Idempotency-Key, on every engine: one parcel a key, the same answer for the same request, and what
// two identical requests without one are told.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, describe, it } from 'node:test';
import { engines } from '../../contract/engines.ts';
import type { Answered } from '../../contract/running-app.ts';
import {
  labels,
  numberOf,
  problem,
  sender,
  shipment,
  type Shipping,
  startShipping,
  wish,
  wishWithoutSender,
} from './fixture.ts';

for (const engine of engines) {
  describe(`labels under a key on ${engine.name}`, { skip: engine.skip }, () => {
    let shipping: Shipping;
    before(async () => {
      shipping = await startShipping(engine);
    });
    after(() => shipping.close());
    keyTests(() => shipping);
    duplicateTests(() => shipping);
  });
}

let keys = 0;
const newKey = (): string => `key-${++keys}`;

function keyTests(world: () => Shipping): void {
  const send = (path: string, key: string, body: unknown = wish): Promise<Answered> =>
    world().north.send(path, body, { headers: { 'idempotency-key': key } });
  const parcelsOf = async (ask: () => Promise<unknown>): Promise<number> => {
    const before = world().carrier.shipments();
    await ask();
    return world().carrier.shipments() - before;
  };
  /** As after the day in which an answer is kept, or where it was never stored. */
  const forgetAnswers = async (): Promise<void> =>
    void (await world().running.app.store.db.deleteFrom('stored_answer').execute());

  it('are made once, and answered byte for byte alike', async () => {
    const key = newKey();
    const made = await parcelsOf(async () => {
      const first = await send(labels('north'), key);
      numberOf(first);
      assert.equal(first.headers['idempotency-replayed'], undefined);
      for (let round = 0; round < 3; round += 1) {
        const again = await send(labels('north'), key);
        assert.deepEqual(
          [
            again.status,
            again.bytes,
            again.headers['idempotency-replayed'],
            again.headers['content-type'],
            again.headers['cache-control'],
          ],
          [200, first.bytes, 'true', first.headers['content-type'], first.headers['cache-control']],
        );
      }
    });
    assert.equal(made, 1);
  });

  it('are the same request however it is written: order, blanks, nulls, escapes', async () => {
    const key = newKey();
    const first = await send(labels('north'), key, wish);
    const other = `  ${JSON.stringify({
      nDossier: null,
      content: '',
      ...Object.fromEntries(Object.entries(wish).toReversed()),
    })
      .replace('é', '\\u00e9')
      .replace('"CCC"', '" CCC "')}\n`;
    const again = await send(labels('north'), key, other);
    assert.deepEqual([again.bytes, again.headers['idempotency-replayed']], [first.bytes, 'true']);
  });

  it('are another request with another field, order or query, whether the answer is still kept or not', async () => {
    const key = newKey();
    await send(labels('north'), key);
    for (const _kept of [true, false]) {
      for (const [path, body] of [
        [labels('north'), { ...wish, weight: '1201' }],
        [`${labels('north')}?orderId=OF-NOR`, wish],
      ] as const) {
        assert.equal(
          await parcelsOf(async () => problem(await send(path, key, body), 422, 'idempotency-key-reused')),
          0,
        );
      }
      await forgetAnswers();
    }
  });

  it('are found again when the answer was lost or is no longer kept, and there is no second parcel', async () => {
    const key = newKey();
    const first = await send(labels('north'), key, { ...wish, nDossier: 'L-1' });
    await forgetAnswers();
    const made = await parcelsOf(async () => {
      const again = await send(labels('north'), key, { ...wish, nDossier: 'L-1' });
      assert.deepEqual([again.status, again.bytes, again.headers['idempotency-replayed']], [200, first.bytes, 'true']);
    });
    assert.equal(made, 0);
  });

  it('are found again beyond the limit of the day, and after the presets of the context changed', async () => {
    const context = await world().context({ sender, dailyLimit: 1 });
    const key = newKey();
    const first = await send(labels(context), key, wishWithoutSender);
    await world().context({ name: context, sender: { ...sender, expAddr1: 'Another name' }, dailyLimit: 1 });
    for (const _kept of [true, false]) {
      assert.deepEqual((await send(labels(context), key, wishWithoutSender)).bytes, first.bytes);
      await forgetAnswers();
    }
    problem(await send(labels(context), newKey(), wishWithoutSender), 429, 'quota-exceeded');
  });

  it('are told to wait while the first one is being made, and then get its answer', async () => {
    const key = newKey();
    const made = await parcelsOf(async () => {
      const { arrived, goOn } = heldUp(world());
      const first = send(labels('north'), key);
      await arrived;
      const second = await send(labels('north'), key);
      problem(second, 409, 'idempotency-in-progress');
      assert.equal(second.headers['retry-after'], '1');
      problem(await send(labels('north'), key, { ...wish, weight: '9' }), 422, 'idempotency-key-reused');
      goOn();
      const { bytes } = await first;
      assert.deepEqual((await send(labels('north'), key)).bytes, bytes);
    });
    assert.equal(made, 1);
  });

  it('that take so long that a later request takes over are not asked for twice: 504, and the first one’s label is kept', async () => {
    const key = newKey();
    const made = await parcelsOf(async () => {
      const { arrived, goOn } = heldUp(world());
      const first = send(labels('north'), key);
      await arrived;
      await world()
        .running.app.store.db.updateTable('stored_answer')
        .set({ claimed_until: 0 })
        .where('answer', 'is', null)
        .execute();
      assert.match(
        String(problem(await send(labels('north'), key), 504, 'carrier-timeout').detail),
        /not known whether it made a label/,
      );
      goOn();
      const { bytes, status } = await first;
      assert.equal(status, 200);
      assert.deepEqual((await send(labels('north'), key)).bytes, bytes);
    });
    assert.equal(made, 1);
  });

  it('whose first process died are not kept from their own request by another one under the key', async () => {
    const key = newKey();
    const { arrived, goOn } = heldUp(world());
    const first = send(labels('north'), key);
    await arrived;
    await world()
      .running.app.store.db.updateTable('stored_answer')
      .set({ claimed_until: 0 })
      .where('answer', 'is', null)
      .execute();
    const other = await send(labels('north'), key, { ...wish, weight: '1201' });
    assert.match(String(problem(other, 422, 'idempotency-key-reused').detail), /another label/);
    goOn();
    const { bytes } = await first;
    const again = await send(labels('north'), key);
    assert.deepEqual([again.status, again.bytes, again.headers['idempotency-replayed']], [200, bytes, 'true']);
  });

  it('of two contexts, carriers or clients are not the same', async () => {
    const key = newKey();
    const [one, other] = [await world().context(), await world().context()];
    const numbers = [
      await send(labels(one), key),
      await send(labels(other), key),
      await send(labels('north', 'sandbox'), key),
      await world().south.send(labels('south'), wish, { headers: { 'idempotency-key': key } }),
    ].map(numberOf);
    assert.equal(new Set(numbers).size, 4);
  });

  it('that nobody knows whether they were made answer 504, now and ever, and no second parcel is asked for', async () => {
    for (const [reply, status] of [
      ['hang up', 502],
      [{ status: 200, body: {} }, 502],
    ] as const) {
      const key = newKey();
      const made = await parcelsOf(async () => {
        world().carrier.play(() => reply);
        assert.equal((await send(labels('north'), key)).status, status);
        world().carrier.play(null);
        for (let round = 0; round < 2; round += 1) {
          const again = await send(labels('north'), key);
          assert.match(String(problem(again, 504, 'carrier-timeout').detail), /nDossier.*new key/);
          assert.equal(again.headers['retry-after'], undefined);
        }
      });
      assert.equal(made, 1);
    }
    const key = newKey();
    for (let round = 0; round < 2; round += 1)
      problem(
        await send(labels('north', 'sandbox'), key, { ...wish, nDossier: 'SANDBOX-SLOW' }),
        504,
        'carrier-timeout',
      );
  });

  it('that failed for sure can be asked for again with the same key', async () => {
    const key = newKey();
    world().carrier.play(() => ({
      status: 401,
      body: { errors: [{ code: 'authentication_failed', message: 'No.' }] },
    }));
    problem(await send(labels('north'), key), 502, 'carrier-unavailable');
    world().carrier.play(null);
    const first = await send(labels('north'), key);
    numberOf(first);
    assert.equal(first.headers['idempotency-replayed'], undefined);
    assert.deepEqual((await send(labels('north'), key)).bytes, first.bytes);
  });

  it('that the carrier refused are refused alike again, for the same request; once that is no longer kept, it is asked anew', async () => {
    const key = newKey();
    world().carrier.play(() => ({ status: 424, body: { messages: [{ code: '15', message: 'refused' }] } }));
    const members = problem(await send(labels('north'), key), 422, 'carrier-rejected');
    world().carrier.play(null);
    assert.equal(
      await parcelsOf(async () => {
        const again = await send(labels('north'), key);
        const { carrierCode, detail } = problem(again, 422, 'carrier-rejected');
        assert.deepEqual(
          [carrierCode, detail, again.headers['idempotency-replayed']],
          [members.carrierCode, members.detail, 'true'],
        );
      }),
      0,
    );
    await forgetAnswers();
    assert.equal(await parcelsOf(async () => numberOf(await send(labels('north'), key))), 1);
  });

  it('that were over the limit of the day are made tomorrow with the same key', async () => {
    const context = await world().context({ dailyLimit: 1 });
    await send(labels(context), newKey());
    const key = newKey();
    problem(await send(labels(context), key), 429, 'quota-exceeded');
    world().clock.now += 86_400_000;
    const made = await send(labels(context), key);
    world().clock.now -= 86_400_000;
    numberOf(made);
  });
}

function duplicateTests(world: () => Shipping): void {
  const send = (path: string, body: unknown = wish, headers: Record<string, string> = {}): Promise<Answered> =>
    world().north.send(path, body, { headers });
  const twin = (answer: Answered): string | undefined => {
    assert.equal(answer.status, 200, answer.body);
    return answer.headers['label-duplicates'];
  };

  it('without one, identical and with the same nDossier, are both made, and the second names the first', async () => {
    const context = await world().context({ sender });
    const body = { ...wishWithoutSender, nDossier: 'D-7' };
    const first = await send(labels(context), body);
    assert.equal(twin(first), undefined);
    for (let round = 0; round < 12; round += 1) {
      const again = await send(labels(context), { ...body });
      assert.equal(twin(again), numberOf(first));
      assert.notEqual(numberOf(again), numberOf(first));
    }
  });

  it('at once are told too: the one that is done last names the other', async () => {
    const context = await world().context();
    const [arrived, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    world().carrier.play(async () => {
      asked += 1;
      const number = `TWIN-${asked}`;
      if (asked === 1) {
        arrived.resolve();
        await goOn.promise;
      }
      return { status: 201, body: shipment(number) };
    });
    const slow = send(labels(context), { ...wish, nDossier: 'D-13' });
    await arrived.promise;
    assert.equal(twin(await send(labels(context), { ...wish, nDossier: 'D-13' })), undefined);
    goOn.resolve();
    assert.deepEqual([twin(await slow), numberOf(await slow)], ['TWIN-2', 'TWIN-1']);
    world().carrier.play(null);
  });

  it('are not called duplicates without nDossier, with another field, order or context, or where the first was not made', async () => {
    const [context, other] = [await world().context(), await world().context()];
    for (const _time of [1, 2]) assert.equal(twin(await send(labels(context))), undefined);
    const body = { ...wish, nDossier: 'D-8' };
    await send(labels(context), body);
    for (const [path, changed] of [
      [labels(context), { ...body, weight: '1201' }],
      [labels(context), { ...body, nDossier: 'D-9' }],
      [`${labels(context)}?orderId=OF-NOR`, body],
      [labels(other), body],
    ] as const)
      assert.equal(twin(await send(path, changed)), undefined);
    for (const word of ['SANDBOX-NO-SERVICE', 'SANDBOX-SLOW']) {
      await send(labels('bare', 'sandbox'), { ...wish, nDossier: `D-10 ${word}` });
      assert.notEqual((await send(labels('bare', 'sandbox'), { ...wish, nDossier: `D-10 ${word}` })).status, 200);
    }
  });

  it('are not called duplicates by a dry run, and a dry run counts for none', async () => {
    const context = await world().context();
    const body = { ...wish, nDossier: 'D-11' };
    for (const [path, expected] of [
      [`${labels(context)}?dryRun=true`, undefined],
      [labels(context), undefined],
      [`${labels(context)}?dryRun=true`, undefined],
    ] as const)
      assert.equal(twin(await send(path, body)), expected);
  });

  it('have a header that can be sent, whatever numbers the carrier gives', async () => {
    const context = await world().context();
    world().carrier.play(() => ({ status: 201, body: shipment('KR 1: é€') }));
    for (const _time of [1, 2])
      assert.equal(twin(await send(labels(context), { ...wish, nDossier: 'D-12' })), undefined);
    world().carrier.play(null);
  });
}

/** The carrier gets the next request and keeps it, until it may go on. */
function heldUp({ carrier }: Shipping): { readonly arrived: Promise<void>; readonly goOn: () => void } {
  const gate = new EventTarget();
  const arrived = once(gate, 'arrived').then(() => undefined);
  const opened = once(gate, 'opened');
  carrier.play(async () => {
    gate.dispatchEvent(new Event('arrived'));
    await opened;
    carrier.play(null);
    return { status: 201, body: shipment(`HELD${++held}`) };
  });
  return { arrived, goOn: () => void gate.dispatchEvent(new Event('opened')) };
}

let held = 0;
