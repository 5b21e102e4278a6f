// What idempotency records promise, on every engine: one worker per key, one answer for all who repeat the request; and
// labels are noted by whoever holds the claim.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import type { Engine } from '../../src/store/engine.ts';
import type { RequestClaim, StoredAnswer } from '../../src/store/idempotency-contract.ts';
import type { Store } from '../../src/store/store.ts';
import { claimLeaseMs as leaseMs, holdsClaim } from '../../src/store/idempotency-records.ts';
import { allEngines, storeOn, type EngineUnderTest, type TestDatabase } from '../contract/engines.ts';
import { storeOfSuite } from '../contract/opened-store.ts';
import { rounds } from '../contract/rounds.ts';
import { v7 as uuidv7 } from 'uuid';
import type { NewLabel } from '../../src/store/labels.ts';
import { reserveLabel } from '../contract/reserve-label.ts';
import { addRows, changeRows, rowsIn } from '../contract/database.ts';
import { carrierAccountTable, shippingLabelTable } from '../../src/store/tables/shipping.ts';
import { storedAnswerTable } from '../../src/store/tables/writes.ts';
import { sql } from '../../src/store/statement.ts';

for (const engine of allEngines) {
  describe(`idempotency records on ${engine.name}`, { skip: engine.skip }, () => idempotencyRecordTests(engine));
}

function idempotencyRecordTests(engineUnderTest: EngineUnderTest): void {
  const atOnce = { timeout: 900_000, skip: !engineUnderTest.parallel && 'one connection' };
  let database: TestDatabase;
  let engine: Engine;
  let store: Store;
  let keys = 0;
  storeOfSuite(engineUnderTest, async (opened) => {
    ({ database, engine, store } = opened);
    await store.activities.add('ACM', 'Acme');
  });
  const newRequest = (): Request => {
    keys += 1;
    return { scope: 'shop POST /v1/articles', key: `key ${keys}`, fingerprint: 'what was asked' };
  };
  const claimed = async (request: Request, on: Store = store): Promise<RequestClaim> => {
    const outcome = await on.idempotency.claim(request);
    assert.ok(outcome.state === 'claimed', outcome.state);
    return outcome.claim;
  };
  const stateOf = async (request: Request): Promise<string> => (await store.idempotency.claim(request)).state;
  /** Lets so much time pass for all that is stored. */
  const pass = async (milliseconds: number): Promise<void> => {
    await changeRows(engine, storedAnswerTable, {
      claimedUntil: sql`claimed_until - ${milliseconds}`,
      expiresAt: sql`expires_at - ${milliseconds}`,
    });
  };

  it('tells whoever asks the same meanwhile to wait, and whoever asks something else under the key so', async () => {
    const request = newRequest();
    await claimed(request);
    assert.equal(await stateOf(request), 'running');
    assert.equal(await stateOf({ ...request, fingerprint: 'something else' }), 'other-request');
  });

  it('answers a repeated request with what was stored, and only that request', async () => {
    const request = newRequest();
    await store.idempotency.store(await claimed(request), answer);
    assert.deepEqual(await store.idempotency.claim(request), { state: 'answered', answer });
    assert.equal(await stateOf({ ...request, fingerprint: 'something else' }), 'other-request');
    assert.equal(await stateOf({ ...request, scope: 'another shop POST /v1/articles' }), 'claimed');
    assert.equal(await stateOf({ ...request, key: `${request.key} ` }), 'claimed');
  });

  it('gives a long answer back as it was, and one that an older version kept', async () => {
    for (const body of ['é\u{1f4e6}"\\\u0001 '.repeat(100_000), 'zstd:'.repeat(2000)]) {
      const request = newRequest();
      await store.idempotency.store(await claimed(request), { ...answer, body });
      assert.deepEqual(await store.idempotency.claim(request), { state: 'answered', answer: { ...answer, body } });
    }
    const request = newRequest();
    const long = { ...answer, body: 'x'.repeat(10_000) };
    const { claim } = await claimed(request);
    await changeRows(engine, storedAnswerTable, { answer: JSON.stringify(long) }, { claim });
    assert.deepEqual(await store.idempotency.claim(request), { state: 'answered', answer: long });
  });

  it('gives back any answer as it was stored', async () => {
    // Zero characters and halves of surrogate pairs among them.
    const text = fc.string({
      unit: fc.oneof(
        fc.constantFrom('\0', '\ud800', '"', '\\'),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      ),
    });
    const plain = { noNullPrototype: true } as const;
    const kept: fc.Arbitrary<StoredAnswer> = fc.oneof(
      fc.record(
        {
          status: fc.integer({ min: 200, max: 499 }),
          headers: fc.dictionary(fc.stringMatching(/^[a-z-]{1,9}$/), text, plain),
          body: text,
        },
        plain,
      ),
      fc.record(
        {
          problem: fc.record(
            {
              slug: text,
              detail: text,
              extra: fc.dictionary(
                fc.stringMatching(/^[a-z]{1,9}$/),
                fc.constantFrom(1, null, 'é', [1, { a: true }]),
                plain,
              ),
            },
            plain,
          ),
        },
        plain,
      ),
    );
    await fc.assert(
      fc.asyncProperty(kept, async (given) => {
        const request = newRequest();
        await store.idempotency.store(await claimed(request), given);
        assert.deepEqual(await store.idempotency.claim(request), { state: 'answered', answer: given });
      }),
      { numRuns: rounds(60) },
    );
  });

  it('stores no key in the clear', async () => {
    const request = { ...newRequest(), key: 'a key that is a secret' };
    await store.idempotency.store(await claimed(request), answer);
    const rows = await rowsIn(engine, storedAnswerTable);
    assert.equal(rows.filter((row) => JSON.stringify(row).includes(request.key)).length, 0);
  });

  it('works anew after a claim was given back', async () => {
    const request = newRequest();
    await store.idempotency.release(await claimed(request));
    await claimed({ ...request, fingerprint: 'corrected' });
  });

  it('does not give back what was answered, nor what another has claimed', async () => {
    const request = newRequest();
    const first = await claimed(request);
    await pass(leaseMs + 1000);
    const second = await claimed(request);
    await store.idempotency.release(first);
    assert.equal(await stateOf(request), 'running');
    await store.idempotency.store(second, answer);
    await store.idempotency.release(second);
    assert.equal(await stateOf(request), 'answered');
  });

  it('keeps a claim for its holder as long as that may live, then lets another take it over', async () => {
    const request = newRequest();
    await claimed(request);
    await pass(leaseMs - 5000);
    assert.equal(await stateOf(request), 'running');
    await pass(6000);
    await claimed({ ...request, fingerprint: 'something else' });
    assert.equal(await stateOf(request), 'other-request');
  });

  it('says how long a claim lasts yet, never longer than it does', async () => {
    const request = newRequest();
    await claimed(request);
    await pass(leaseMs - 5000);
    const outcome = await store.idempotency.claim(request);
    assert.ok(outcome.state === 'running');
    assert.ok(outcome.endsInMs > 0 && outcome.endsInMs <= 5000, String(outcome.endsInMs));
  });

  it('lets a claim last anew each time that its holder renews it', async () => {
    const request = newRequest();
    const claim = await claimed(request);
    for (let count = 0; count < 3; count += 1) {
      await pass(leaseMs - 1000);
      assert.equal(await store.idempotency.renew(claim), true);
    }
    await pass(leaseMs - 5000);
    assert.equal(await stateOf(request), 'running');
  });

  it('renews a claim that has ended as long as nobody took it over', async () => {
    const request = newRequest();
    const claim = await claimed(request);
    await pass(leaseMs + 1000);
    assert.equal(await store.idempotency.renew(claim), true);
    assert.equal(await stateOf(request), 'running');
  });

  it('renews nothing that was taken over, answered or given back, and changes nothing then', async () => {
    const request = newRequest();
    const first = await claimed(request);
    await pass(leaseMs + 1000);
    const second = await claimed(request);
    await pass(leaseMs - 5000);
    assert.equal(await store.idempotency.renew(first), false);
    await pass(6000);
    const third = await claimed(request);
    assert.equal(await store.idempotency.renew(second), false);
    await store.idempotency.store(third, answer);
    assert.equal(await store.idempotency.renew(third), false);
    assert.deepEqual(await store.idempotency.claim(request), { state: 'answered', answer });
    const other = newRequest();
    const given = await claimed(other);
    await store.idempotency.release(given);
    assert.equal(await store.idempotency.renew(given), false);
    assert.equal(await stateOf(other), 'claimed');
  });

  it('knows in a transaction whether a claim is held', async () => {
    const holds = (claim: RequestClaim): Promise<boolean> =>
      engine.write((transaction) => holdsClaim(transaction, claim));
    const request = newRequest();
    const first = await claimed(request);
    assert.equal(await holds(first), true);
    await pass(leaseMs + 1000);
    const second = await claimed(request);
    assert.deepEqual([await holds(first), await holds(second)], [false, true]);
    await store.idempotency.store(second, answer);
    assert.equal(await holds(second), false);
  });

  it('lets nobody take a claim over from a transaction that has found it held', {
    skip: !engineUnderTest.parallel && 'one connection',
  }, async () => {
    const other = await storeOn(await database.open());
    const request = newRequest();
    const claim = await claimed(request);
    await pass(leaseMs + 1000);
    const taking: { claimed?: Promise<string> } = {};
    const order: string[] = [];
    await engine.write(async (transaction) => {
      assert.equal(await holdsClaim(transaction, claim), true);
      taking.claimed = other.idempotency.claim(request).then(({ state }) => {
        order.push('taken over');
        return state;
      });
      // Time enough to be wrong in.
      await new Promise((resolve) => setTimeout(resolve, 100));
      order.push('done');
    });
    assert.equal(await taking.claimed, 'claimed');
    assert.deepEqual(order, ['done', 'taken over']);
    await other.close();
  });

  it('undoes all that a holder writes after its claim was taken over', async () => {
    const request = newRequest();
    const first = await claimed(request);
    await pass(leaseMs + 1000);
    const second = await claimed(request);
    const work = (claim: RequestClaim) =>
      store.records.submit(['ACM'], async (unit) => {
        await unit.audit({
          actorKind: 'client',
          actor: request.key,
          subject: null,
          action: 'test',
          activityCodes: ['ACM'],
          target: null,
          operationId: null,
          outcome: 'accepted',
          address: null,
          details: null,
        });
        if (!(await unit.storeAnswer(claim, answer))) throw new Error('taken over');
      });
    await assert.rejects(work(first), /taken over/);
    assert.equal(await auditedBy(store, request.key), 0);
    await work(second);
    await assert.rejects(work(second), /taken over/);
    assert.equal(await auditedBy(store, request.key), 1);
    assert.equal(await stateOf(request), 'answered');
  });

  it('lets a slow holder answer as long as nobody took its claim over', async () => {
    const request = newRequest();
    const slow = await claimed(request);
    await pass(leaseMs + 1000);
    await store.idempotency.removeExpired();
    await store.records.submit(['ACM'], (unit) => unit.storeAnswer(slow, answer));
    assert.equal(await stateOf(request), 'answered');
  });

  it('ignores an answer that comes outside a transaction from one whose claim was taken over', async () => {
    const request = newRequest();
    const first = await claimed(request);
    await pass(leaseMs + 1000);
    const second = await claimed(request);
    await store.idempotency.store(first, { ...answer, body: 'late' });
    assert.equal(await stateOf(request), 'running');
    await store.idempotency.store(second, answer);
    await store.idempotency.store(second, { ...answer, body: 'twice' });
    assert.deepEqual(await store.idempotency.claim(request), { state: 'answered', answer });
  });

  it('forgets an answer after a day, swept or not', async () => {
    const [kept, expired] = [newRequest(), newRequest()];
    await store.idempotency.store(await claimed(expired), answer);
    await pass(day - 60_000);
    assert.equal(await stateOf(expired), 'answered');
    await store.idempotency.store(await claimed(kept), answer);
    await pass(61_000);
    await claimed({ ...expired, fingerprint: 'something else' });
    await store.idempotency.removeExpired();
    assert.equal(await stateOf(kept), 'answered');
    assert.equal(await stateOf({ ...expired, fingerprint: 'something else' }), 'running');
  });

  it('sweeps all that has expired, however much it is, and nothing else', async () => {
    await pass(2 * day);
    await store.idempotency.removeExpired();
    const rows = Array.from({ length: 2100 }, (_, index) => ({
      scope: 'old',
      keyHash: `${index}`,
      fingerprint: '',
      claim: '',
      claimedUntil: 1,
      answer: index % 2 === 0 ? '{}' : null,
      expiresAt: 2,
    }));
    for (let from = 0; from < rows.length; from += 700)
      await addRows(engine, storedAnswerTable, rows.slice(from, from + 700));
    const kept = newRequest();
    await store.idempotency.store(await claimed(kept), answer);
    assert.equal(await store.idempotency.removeExpired(), 2100);
    assert.equal(await store.idempotency.removeExpired(), 0);
    assert.equal(await stateOf(kept), 'answered');
  });

  it('gives a key that many claim at once to exactly one, new, abandoned or expired', atOnce, async () => {
    const opened = await Promise.all(Array.from({ length: 4 }, async () => storeOn(await database.open())));
    const prepare: readonly ((request: Request) => Promise<unknown>)[] = [
      async () => undefined,
      async (request) => {
        await claimed(request);
        await pass(leaseMs + 1000);
      },
      async (request) => {
        await store.idempotency.store(await claimed(request), answer);
        await pass(day + 1000);
      },
    ];
    for (let round = 0; round < 30; round += 1) {
      const request = newRequest();
      await prepare[round % prepare.length]?.(request);
      const outcomes = await Promise.all(
        Array.from({ length: 16 }, (_, index) => (opened[index % opened.length] ?? store).idempotency.claim(request)),
      );
      const states = outcomes.map(({ state }) => state).toSorted();
      assert.deepEqual(states, ['claimed', ...Array.from({ length: 15 }, () => 'running')]);
    }
    for (const own of opened) await own.close();
  });

  it('never sweeps a claim that is made while it sweeps', atOnce, async () => {
    const other = await storeOn(await database.open());
    for (let round = 0; round < 40; round += 1) {
      const requests = Array.from({ length: 5 }, newRequest);
      for (const request of requests) await store.idempotency.store(await claimed(request), answer);
      await pass(day + 1000);
      await Promise.all([
        ...requests.map((request) => claimed(request)),
        other.idempotency.removeExpired(),
        other.idempotency.removeExpired(),
      ]);
      for (const request of requests) assert.equal(await stateOf(request), 'running');
    }
    await other.close();
  });

  it('does the work of a request once, however many send it at once and however often they try again', {
    timeout: 900_000,
  }, async () => {
    const opened = await Promise.all(
      Array.from({ length: engineUnderTest.parallel ? 4 : 1 }, async () => storeOn(await database.open())),
    );
    const requests = Array.from({ length: 8 }, newRequest);
    const send = async (own: Store, request: Request): Promise<StoredAnswer> => {
      for (;;) {
        const outcome = await own.idempotency.claim(request);
        if (outcome.state === 'answered') return outcome.answer;
        if (outcome.state === 'claimed') {
          await own.records.submit(['ACM'], async (unit) => {
            await unit.audit({
              actorKind: 'client',
              actor: request.key,
              subject: null,
              action: 'test',
              activityCodes: ['ACM'],
              target: null,
              operationId: null,
              outcome: 'accepted',
              address: null,
              details: null,
            });
            await unit.storeAnswer(outcome.claim, { ...answer, body: outcome.claim.claim });
          });
        }
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const answers = await Promise.all(
      opened.flatMap((own) => requests.flatMap((request) => [send(own, request), send(own, request)])),
    );
    assert.equal(new Set(answers.map((each) => JSON.stringify(each))).size, requests.length);
    for (const { key } of requests) assert.equal(await auditedBy(store, key), 1);
    for (const own of opened) await own.close();
  });
}

type Request = Parameters<Store['idempotency']['claim']>[0];

const day = 86_400_000;
const answer = { status: 200, headers: { 'content-type': 'application/json' }, body: '{"passed":["ACM/é"]}' } as const;

async function auditedBy(store: Store, actor: string): Promise<number> {
  const query = {
    activityCodes: null,
    operationId: null,
    action: null,
    actor,
    since: null,
    until: null,
    after: null,
    newestFirst: false,
    limit: 100,
  };
  return (await store.audit.read(query)).length;
}

const noon = Date.UTC(2026, 10, 23, 12);

for (const engine of allEngines) {
  describe(`labels under a claim in ${engine.name}`, { skip: engine.skip }, () => {
    let database: Awaited<ReturnType<EngineUnderTest['create']>>;
    let store: Store;
    let label: NewLabel;
    before(async () => {
      database = await engine.create();
      store = await storeOn(await database.open());
      await store.activities.add('NOR', 'North Trading');
      await store.carrierAccounts.put(
        {
          activity: 'NOR',
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
        activity: 'NOR',
        accountId: account.id,
        context: 'north',
        carrier: 'sandbox',
        id: uuidv7(),
        state: 'asked',
        fingerprint: 'f',
        request: '{}',
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
    const endClaims = () => changeRows(store, storedAnswerTable, { claimedUntil: 0 }, { answer: null });
    const reserve = async (claim: RequestClaim | null) =>
      reserveLabel(store, { ...label, id: uuidv7() }, noon, { claim });
    const noted = async (): Promise<readonly unknown[]> => [
      ...(await rowsIn(store, shippingLabelTable)),
      ...(await rowsIn(store, carrierAccountTable)),
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
