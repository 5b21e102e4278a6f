// Repeated requests on every engine: carried out once, answered alike, whatever happens in between.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { repeatable, type RepeatableRequest } from '../../src/api/idempotency.ts';
import type { Answer, AuditedFailure, Call } from '../../src/http/route.ts';
import { Problem } from '../../src/model/problem.ts';
import type { Engine } from '../../src/store/engine.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import type { Store } from '../../src/store/store.ts';
import { claimLeaseMs } from '../../src/store/idempotency-records.ts';
import { type EngineUnderTest, engines, storeOn } from '../contract/engines.ts';

for (const engine of engines) {
  describe(`repeated requests on ${engine.name}`, { skip: engine.skip }, () => idempotencyTests(engine));
}

const done: Answer = { status: 200, headers: { 'Cache-Control': 'no-store' }, body: '{"done":true}', type: null };

function idempotencyTests(engine: EngineUnderTest): void {
  let database: Awaited<ReturnType<EngineUnderTest['create']>>;
  let store: Store;
  let keys = 0;
  before(async () => {
    database = await engine.create();
    store = await storeOn(await database.open());
    await store.activities.add('NOR', 'North Trading');
  });
  after(async () => {
    await store.close();
    await database.remove();
  });
  const newKey = (): string => `key-${++keys}`;
  const ask = async (
    key: string | undefined,
    work: (request: RepeatableRequest) => Promise<Answer>,
    about: Partial<Asked> = {},
    on: Store = store,
  ): Promise<Answer> => {
    const identity = { fingerprint: () => about.body ?? 'body' };
    return answerOf(repeatable({ store: on }, callOf({ ...usual, ...about, key }), identity, work));
  };
  /** Does nothing but count, and answers. */
  const counting = (answer: Answer = done): { readonly work: () => Promise<Answer>; readonly times: () => number } => {
    let times = 0;
    const work = async (): Promise<Answer> => {
      times += 1;
      return answer;
    };
    return { work, times: () => times };
  };
  const writing =
    (operationId: string) =>
    ({ write }: RepeatableRequest): Promise<Answer> =>
      answerOf(
        write(['NOR'], async (unit) => {
          await unit.audit(entryOf(operationId));
          return done;
        }),
      );
  const written = async (operationId: string): Promise<number> =>
    (await store.audit.read({ ...everything, operationId })).length;

  describe('a key is refused', () => {
    const refused = [
      '',
      '""',
      'two words',
      '"two words"',
      '"open',
      'x'.repeat(256),
      `"${'x'.repeat(256)}"`,
      '"a\\b"',
      '"a";b=c',
      '"a", "a"',
      'é',
      'a\tb',
      '\u0000',
    ];
    for (const key of refused) {
      it(`that is ${JSON.stringify(key.slice(0, 20))} of ${key.length}, and nothing is done`, async () => {
        const { work, times } = counting();
        const problem = await problemOf(ask(key, work));
        assert.equal(problem.slug, 'invalid-parameter');
        assert.deepEqual(Object.keys(problem.extra.errors ?? {}), ['Idempotency-Key']);
        assert.equal(times(), 0);
      });
    }
  });

  it('without a key is carried out each time', async () => {
    const { work, times } = counting();
    assert.equal(await ask(undefined, work), done);
    assert.equal(await ask(undefined, work), done);
    assert.equal(times(), 2);
  });

  it('is answered as before, and says so', async () => {
    const { work, times } = counting();
    const key = newKey();
    assert.equal(await ask(key, work), done);
    assert.deepEqual(await ask(key, work), { ...done, headers: { ...done.headers, 'Idempotency-Replayed': 'true' } });
    assert.equal(times(), 1);
  });

  it('knows a key with quotes and without as the same, and takes any visible character', async () => {
    for (const [bare, quoted] of [
      ['k'.repeat(255), `"${'k'.repeat(255)}"`],
      ['a"b\\c', '"a\\"b\\\\c"'],
      ["!#$%&'()*+,-./:;<=>?@[]^_`{|}~", '"!#$%&\'()*+,-./:;<=>?@[]^_`{|}~"'],
    ] as const) {
      const { work, times } = counting();
      await ask(bare, work);
      await ask(quoted, work);
      assert.equal(times(), 1, bare);
    }
  });

  it('refuses another body or query under the same key, and keeps the answer of the first', async () => {
    const key = newKey();
    await ask(key, counting().work);
    const { work, times } = counting();
    for (const about of [{ body: 'other' }, { queryText: 'dryRun=true' }])
      assert.equal((await problemOf(ask(key, work, about))).slug, 'idempotency-key-reused');
    assert.equal(times(), 0);
    assert.equal((await ask(key, work)).headers['Idempotency-Replayed'], 'true');
  });

  it('takes the same key of another caller, path or method for another', async () => {
    const key = newKey();
    await ask(key, counting().work);
    const { work, times } = counting();
    for (const about of [{ clientId: 'other' }, { subject: 'other' }, { path: '/v1/other' }, { method: 'PUT' }])
      await ask(key, work, about);
    assert.equal(times(), 4);
  });

  it('is told to wait while the first one runs', async () => {
    const key = newKey();
    const { work, times } = counting();
    const answer = await ask(key, async () => {
      const problem = await problemOf(ask(key, work));
      assert.equal(problem.slug, 'idempotency-in-progress');
      assert.equal(problem.headers['retry-after'], '1');
      return done;
    });
    assert.equal(answer, done);
    assert.equal((await ask(key, work)).headers['Idempotency-Replayed'], 'true');
    assert.equal(times(), 0);
  });

  /** Lets all claims end in so many milliseconds from now. */
  const endClaimsIn = async (engine: Engine, milliseconds: number): Promise<void> => {
    await store.db
      .updateTable('stored_answer')
      .set({ claimed_until: (await engine.now()) + milliseconds })
      .where('answer', 'is', null)
      .execute();
  };

  it('is told to wait for the rest of the claim where the first one gives no sign of life, and then takes its place', async (t) => {
    // The clock of whoever dies stands still.
    t.mock.timers.enable({ apis: ['setInterval'] });
    const engine = await database.open();
    const key = newKey();
    const started = Promise.withResolvers<void>();
    const dead = Promise.withResolvers<Answer>();
    const first = ask(key, () => {
      started.resolve();
      return dead.promise;
    });
    await started.promise;
    for (const [left, longest] of [
      [6000, 6],
      [1500, 2],
    ] as const) {
      await endClaimsIn(engine, left);
      const wait = Number((await problemOf(ask(key, counting().work))).headers['retry-after']);
      assert.ok(Number.isInteger(wait) && wait >= 1 && wait <= longest, String(wait));
    }
    await endClaimsIn(engine, -1);
    const { work, times } = counting();
    assert.equal(await ask(key, work), done);
    assert.equal(times(), 1);
    dead.resolve(done);
    await first;
    await engine.close();
  });

  it('keeps its place as long as it lives, however long it takes', { timeout: 60_000 }, async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const engine = await database.open();
    const key = newKey();
    const lasts = async (): Promise<number> => {
      const { until } = await store.db
        .selectFrom('stored_answer')
        .select((select) => select.fn.max('claimed_until').as('until'))
        .where('answer', 'is', null)
        .executeTakeFirstOrThrow();
      return Number(until) - (await engine.now());
    };
    const answer = await ask(key, async () => {
      for (let round = 0; round < 3; round += 1) {
        await endClaimsIn(engine, 2000);
        t.mock.timers.tick(claimLeaseMs / 3);
        while ((await lasts()) < claimLeaseMs / 2) await pause(5);
        assert.equal((await problemOf(ask(key, counting().work))).headers['retry-after'], '1');
      }
      return done;
    });
    assert.equal(answer, done);
    assert.equal((await ask(key, counting().work)).headers['Idempotency-Replayed'], 'true');
    await engine.close();
  });

  it('stops renewing when it is done, has failed, or has been taken over, and goes on where storage is away for a moment', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    const renewals: boolean[] = [];
    let away = false;
    const on: Store = {
      ...store,
      idempotency: {
        ...store.idempotency,
        renew: async (claim) => {
          if (away) throw new Error('away');
          const held = await store.idempotency.renew(claim);
          renewals.push(held);
          return held;
        },
      },
    };
    const tick = async (): Promise<number> => {
      const before = renewals.length;
      t.mock.timers.tick(claimLeaseMs / 3);
      for (let turn = 0; turn < 50 && renewals.length === before; turn += 1) await pause(1);
      // Room for one too many.
      await pause(1);
      return renewals.length - before;
    };
    const key = newKey();
    await ask(
      key,
      async () => {
        away = true;
        assert.equal(await tick(), 0);
        away = false;
        assert.equal(await tick(), 1);
        await store.db.updateTable('stored_answer').set({ claimed_until: 0 }).execute();
        await ask(key, async () => done);
        assert.deepEqual([await tick(), renewals.at(-1)], [1, false]);
        assert.equal(await tick(), 0);
        return done;
      },
      {},
      on,
    );
    await ask(newKey(), async () => done, {}, on);
    assert.equal(await tick(), 0);
    await assert.rejects(ask(newKey(), () => Promise.reject(new Error('broken')), {}, on));
    assert.equal(await tick(), 0);
  });

  it('meets the problem of the first again, with all that it said', async () => {
    const key = newKey();
    const first = new Problem('validation-failed', 'Wrong.', { errors: { a: ['Wrong.'] }, more: 7 });
    assert.equal(await problemOf(ask(key, () => Promise.reject(first))), first);
    const { work, times } = counting();
    const again = await problemOf(ask(key, work));
    assert.deepEqual(
      [again.slug, again.detail, again.extra, again.headers],
      [first.slug, first.detail, first.extra, { 'Idempotency-Replayed': 'true' }],
    );
    assert.equal(times(), 0);
  });

  for (const [what, fail] of [
    ['a failure', () => Promise.reject(new Error('broken'))],
    ['a problem of the service', () => Promise.reject(new Problem('unavailable', 'Later.'))],
    ['a problem that waiting helps', () => Promise.reject(new Problem('quota-exceeded', 'Later.'))],
    ['a body that came too slowly', () => Promise.reject(new Problem('request-timeout', 'Later.'))],
    ['an answer of the service’s own failure', async () => ({ ...done, status: 502 })],
    ['an answer that cannot be stored', async () => ({ ...done, body: Readable.from(['x']) })],
  ] as const) {
    it(`is carried out anew after ${what}, also when it asks for something else`, async () => {
      for (const about of [{}, { body: 'other' }]) {
        const key = newKey();
        await ask(key, fail).catch(() => undefined);
        const { work, times } = counting();
        assert.equal(await ask(key, work, about), done);
        assert.equal(times(), 1);
      }
    });
  }

  it('gets the answer that was written with the work, even if its request failed after that', async () => {
    const key = newKey();
    const crashed = ask(key, async (request) => {
      await writing(key)(request);
      throw new Error('the connection broke');
    });
    await assert.rejects(crashed, /the connection broke/);
    assert.equal((await ask(key, writing(key))).headers['Idempotency-Replayed'], 'true');
    assert.equal(await written(key), 1);
  });

  it('is carried out anew where the transaction that kept its answer did not come through', async () => {
    const key = newKey();
    const full: Store = {
      ...store,
      records: {
        ...store.records,
        submit: (activities, work) =>
          store.records.submit(activities, async (unit) => {
            await work(unit);
            throw new Error('no space left');
          }),
      },
    };
    const undone = ask(key, writing(key), {}, full);
    await assert.rejects(undone, /no space left/);
    assert.equal(await written(key), 0);
    assert.equal(await ask(key, writing(key)), done);
    assert.equal(await written(key), 1);
  });

  it('writes nothing once a later one has taken its place', async () => {
    const key = newKey();
    const late = ask(key, async (request) => {
      await store.db.updateTable('stored_answer').set({ claimed_until: 0 }).execute();
      assert.equal(await ask(key, writing(`${key} later`)), done);
      return writing(key)(request);
    });
    assert.equal((await problemOf(late)).slug, 'idempotency-in-progress');
    assert.deepEqual([await written(key), await written(`${key} later`)], [0, 1]);
    assert.equal((await ask(key, writing(key))).headers['Idempotency-Replayed'], 'true');
  });

  it('is carried out once, however many come at once to several processes', {
    skip: !engine.parallel && 'one connection',
  }, async () => {
    const stores = [store, await storeOn(await database.open()), await storeOn(await database.open())];
    for (let round = 0; round < 5; round++) {
      const key = newKey();
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, async (_, index) => {
          const on = stores[index % 3] ?? store;
          try {
            return (await ask(key, writing(key), {}, on)).headers['Idempotency-Replayed'] === 'true'
              ? 'replayed'
              : 'done';
          } catch (error) {
            return error instanceof Problem ? error.slug : String(error);
          }
        }),
      );
      assert.equal(outcomes.filter((outcome) => outcome === 'done').length, 1, outcomes.join());
      assert.ok(
        outcomes.every((outcome) => ['done', 'replayed', 'idempotency-in-progress'].includes(outcome)),
        outcomes.join(),
      );
      assert.equal(await written(key), 1);
    }
    for (const other of stores.slice(1)) await other.close();
  });
}

/** The answer; throws where the request came to nothing. */
async function answerOf(outcome: Promise<Answer | AuditedFailure>): Promise<Answer> {
  const answer = await outcome;
  if ('error' in answer) throw answer.error;
  return answer;
}

interface Asked {
  readonly clientId: string;
  readonly subject: string;
  readonly method: string;
  readonly path: string;
  readonly queryText: string;
  readonly body?: string;
}

const usual: Asked = { clientId: 'shop', subject: 'anna', method: 'POST', path: '/v1/articles', queryText: '' };

function callOf({
  clientId,
  subject,
  method,
  path,
  queryText,
  key,
}: Asked & { readonly key: string | undefined }): Call {
  const noBody = (): never => assert.fail('the body was read before');
  return {
    method,
    path,
    queryText,
    params: {},
    query: [],
    requestId: 'r',
    address: '127.0.0.1',
    isGone: () => false,
    gone: AbortSignal.any([]),
    turn: async () => false,
    body: noBody,
    bodyStream: noBody,
    caller: { kind: 'client', clientId, subject, activityCodes: ['NOR'], readOnly: false },
    header: (name) => (name === 'idempotency-key' ? key : undefined),
  };
}

const everything = {
  activityCodes: null,
  operationId: null,
  action: null,
  actor: null,
  since: null,
  until: null,
  after: null,
  newestFirst: false,
  limit: 100,
};

function entryOf(operationId: string): NewAuditEntry {
  return {
    actorKind: 'client',
    actor: 'shop',
    subject: null,
    action: 'test',
    activityCodes: [],
    target: null,
    operationId,
    outcome: 'accepted',
    address: null,
    details: null,
  };
}

async function problemOf(promise: Promise<unknown>): Promise<Problem> {
  const error: unknown = await promise.then(
    () => assert.fail('must be refused'),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof Problem, String(error));
  return error;
}
