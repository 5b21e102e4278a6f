// Repeated requests on every engine, of all kinds: carried out once, answered alike, whatever happens in between and
// however many come at once; of labels one parcel a key.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { repeatable, type RepeatableRequest } from '../../src/idempotency.ts';
import type { Answer, AuditedFailure, Call } from '../../src/http/route.ts';
import { Problem } from '../../src/model/problem.ts';
import type { Engine } from '../../src/store/engine.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import type { Store } from '../../src/store/store.ts';
import { claimLeaseMs } from '../../src/store/idempotency-records.ts';
import { engines, storeOn, type EngineUnderTest, type TestDatabase } from '../contract/engines.ts';
import { storeOfSuite } from '../contract/opened-store.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDiskStorage } from '../../src/documents/disk.ts';
import type { DocumentStorage } from '../../src/documents/storage.ts';
import { sweepDocuments } from '../../src/documents/sweep.ts';
import { createChecker } from '../../src/model/check.ts';
import { order } from '../../src/resources/index.ts';
import { pdf } from '../documents/samples.ts';
import { filesIn } from './uploads.ts';
import { writeServer } from './write-server.ts';
import { once } from 'node:events';
import type { Answered } from '../contract/running-app.ts';
import {
  labels,
  numberOf,
  problem,
  sender,
  shipment,
  startShipping,
  type Shipping,
  wish,
  wishWithoutSender,
} from './shipping/fixture.ts';
import { changeRows, removeRows, rowsIn } from '../contract/database.ts';
import { orderDocumentTable, storedAnswerTable } from '../../src/store/tables/writes.ts';

for (const engine of engines) {
  describe(`repeated requests on ${engine.name}`, { skip: engine.skip }, () => idempotencyTests(engine));
}

const done: Answer = { status: 200, headers: { 'Cache-Control': 'no-store' }, body: '{"done":true}', type: null };

function idempotencyTests(engine: EngineUnderTest): void {
  let database: TestDatabase;
  let store: Store;
  let keys = 0;
  storeOfSuite(engine, async (opened) => {
    ({ database, store } = opened);
    await store.activities.add('NOR', 'North Trading');
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
      '"two"words"',
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

  it('takes every structured string, with blanks too, and frees the key of what is refused with 400', async () => {
    const { work, times } = counting();
    await ask('"a key of \\"two\\" words "', work);
    assert.equal((await ask('"a key of \\"two\\" words "', work)).headers['Idempotency-Replayed'], 'true');
    assert.equal(times(), 1);
    const key = newKey();
    await problemOf(ask(key, () => Promise.reject(new Problem('validation-failed', 'Wrong.'))));
    await ask(key, work, { body: 'corrected' });
    assert.equal(times(), 2);
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
    await changeRows(store, storedAnswerTable, { claimedUntil: (await engine.now()) + milliseconds }, { answer: null });
  };

  it('waits for the rest of the claim of one that gives no sign of life, and then takes its place', async (t) => {
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
      const claims = await rowsIn(store, storedAnswerTable, { answer: null });
      return Math.max(...claims.map(({ claimedUntil }) => claimedUntil)) - (await engine.now());
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

  it('stops renewing when it is done, failed or taken over, and goes on after an outage of storage', async (t) => {
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
        await changeRows(store, storedAnswerTable, { claimedUntil: 0 });
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
    const first = new Problem('carrier-rejected', 'Wrong.', { errors: { a: ['Wrong.'] }, more: 7 });
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
    ['a request that has to be corrected', () => Promise.reject(new Problem('validation-failed', 'Wrong.'))],
    ['something that was not there', () => Promise.reject(new Problem('resource-not-found', 'No such order.'))],
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
      await changeRows(store, storedAnswerTable, { claimedUntil: 0 });
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
    standAside: () => undefined,
    confirmAccess: async () => undefined,
    isGone: () => false,
    gone: AbortSignal.any([]),
    turn: async () => false,
    body: noBody,
    bodyStream: noBody,
    bodyArrived: noBody,
    principal: { kind: 'client', clientId, subject, activityCodes: ['NOR'], readOnly: false },
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

for (const engine of engines) {
  describe(`two uploads with one key on ${engine.name}`, { skip: engine.skip }, () => {
    let database: Awaited<ReturnType<typeof engine.create>>;
    let store: Store;
    let storage: DocumentStorage;
    const folder = mkdtempSync(join(tmpdir(), 'same-key-'));
    before(async () => {
      database = await engine.create();
      store = await storeOn(await database.open());
      await store.activities.add('NOR', 'North Trading');
      const checked = createChecker(order)(
        { ...order.example, activityCode: 'NOR', activityName: 'North Trading', orderUniqueID: 'O-1' },
        { activity: 'NOR', activityName: 'North Trading' },
      );
      assert.ok(checked.ok);
      await store.records.write(order, 'NOR', [checked.record]);
      storage = createDiskStorage({ folder, database: store.epoch, failed: () => undefined });
    });
    after(async () => {
      await store.close();
      await database.remove();
      rmSync(folder, { recursive: true });
    });

    it('at once: the second is told to wait, and then gets the answer of the first', async () => {
      const {
        storage: slow,
        arrived: [arrived],
        release: [release],
      } = heldStorage(storage, 1);
      const server = writeServer(store, slow);
      const [file, headers] = [{ content: pdf('at once') }, { 'idempotency-key': 'at-once' }];
      const first = server.upload('O-1', file, headers);
      await arrived;
      const second = await server.upload('O-1', file, headers);
      assert.deepEqual([second.status, /idempotency-in-progress/.test(second.text)], [409, true]);
      assert.match(String(second.headers['retry-after']), /^(?:[1-9]|1[0-5])$/);
      const other = await server.upload('O-1', { content: pdf('something else') }, headers);
      assert.equal(other.status, 422);
      release?.();
      const { status, text } = await first;
      const again = await server.upload('O-1', file, headers);
      assert.deepEqual([status, again.text, again.headers['idempotency-replayed']], [200, text, 'true']);
      await server.close();
    });

    for (const [held, what] of [
      [1, 'does it'],
      [2, 'is doing it'],
    ] as const) {
      it(`of which the first outlasts its claim, while the second ${what}: the first writes nothing`, async (t) => {
        // It gives no sign of life meanwhile.
        t.mock.timers.enable({ apis: ['setInterval'] });
        const { storage: slow, arrived, release } = heldStorage(storage, held);
        const server = writeServer(store, slow);
        const [file, headers] = [{ content: pdf(what) }, { 'idempotency-key': `too-slow-${held}` }];
        const ends = await store.outbox.ends(['NOR']);
        const first = server.upload('O-1', file, headers);
        await arrived[0];
        await changeRows(store, storedAnswerTable, { claimedUntil: 0 }, { answer: null });
        const second = server.upload('O-1', file, headers);
        await (arrived[1] ?? second);
        release[0]?.();
        const late = await first;
        assert.deepEqual(
          [late.status, /idempotency-in-progress/.test(late.text), late.headers['retry-after']],
          [409, true, '1'],
        );
        // Nor has it taken the claim from the second one.
        if (held === 2) assert.equal((await server.upload('O-1', file, headers)).status, 409);
        release[1]?.();
        assert.equal((await second).body.status, 200);
        assert.deepEqual(await store.outbox.ends(['NOR']), { NOR: (ends.NOR ?? 0) + 1 });
        assert.equal((await server.upload('O-1', file, headers)).text, (await second).text);
        await sweepDocuments({ storage, known: store.documents.known, now: Date.now() + 2 * 3_600_000 });
        assert.equal(filesIn(folder).length, (await rowsIn(store, orderDocumentTable)).length);
        await server.close();
      });
    }
  });
}

/** A storage that keeps each of its first documents only when it is told to go on. */
function heldStorage(
  storage: DocumentStorage,
  count: number,
): {
  readonly storage: DocumentStorage;
  readonly arrived: readonly Promise<void>[];
  readonly release: readonly (() => void)[];
} {
  const gates = Array.from({ length: count }, () => ({
    arrived: Promise.withResolvers<void>(),
    open: Promise.withResolvers<void>(),
  }));
  let seen = 0;
  return {
    arrived: gates.map(({ arrived }) => arrived.promise),
    release: gates.map(({ open }) => open.resolve),
    storage: {
      ...storage,
      receive: async (content, limits) => {
        const received = await storage.receive(content, limits);
        return {
          ...received,
          keep: async (name) => {
            const gate = gates[seen];
            seen += 1;
            gate?.arrived.resolve();
            await gate?.open.promise;
            await received.keep(name);
          },
        };
      },
    },
  };
}

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

let labelKeys = 0;
const newLabelKey = (): string => `key-${++labelKeys}`;

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
    void (await removeRows(world().running.app.store, storedAnswerTable));

  it('are made once, and answered byte for byte alike', async () => {
    const key = newLabelKey();
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
    const key = newLabelKey();
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
    const key = newLabelKey();
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
    const key = newLabelKey();
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
    const key = newLabelKey();
    const first = await send(labels(context), key, wishWithoutSender);
    await world().context({ name: context, sender: { ...sender, expAddr1: 'Another name' }, dailyLimit: 1 });
    for (const _kept of [true, false]) {
      assert.deepEqual((await send(labels(context), key, wishWithoutSender)).bytes, first.bytes);
      await forgetAnswers();
    }
    problem(await send(labels(context), newLabelKey(), wishWithoutSender), 429, 'quota-exceeded');
  });

  it('are told to wait while the first one is being made, and then get its answer', async () => {
    const key = newLabelKey();
    const made = await parcelsOf(async () => {
      const { arrived, release } = heldCarrier(world());
      const first = send(labels('north'), key);
      await arrived;
      const second = await send(labels('north'), key);
      problem(second, 409, 'idempotency-in-progress');
      assert.equal(second.headers['retry-after'], '1');
      problem(await send(labels('north'), key, { ...wish, weight: '9' }), 422, 'idempotency-key-reused');
      release();
      const { bytes } = await first;
      assert.deepEqual((await send(labels('north'), key)).bytes, bytes);
    });
    assert.equal(made, 1);
  });

  it('that take so long that a later request takes over are asked for once: 504, and the label is kept', async () => {
    const key = newLabelKey();
    const made = await parcelsOf(async () => {
      const { arrived, release } = heldCarrier(world());
      const first = send(labels('north'), key);
      await arrived;
      await changeRows(world().running.app.store, storedAnswerTable, { claimedUntil: 0 }, { answer: null });
      assert.match(
        String(problem(await send(labels('north'), key), 504, 'carrier-timeout').detail),
        /not known whether it made a label/,
      );
      release();
      const { bytes, status } = await first;
      assert.equal(status, 200);
      assert.deepEqual((await send(labels('north'), key)).bytes, bytes);
    });
    assert.equal(made, 1);
  });

  it('whose first process died are not kept from their own request by another one under the key', async () => {
    const key = newLabelKey();
    const { arrived, release } = heldCarrier(world());
    const first = send(labels('north'), key);
    await arrived;
    await changeRows(world().running.app.store, storedAnswerTable, { claimedUntil: 0 }, { answer: null });
    const other = await send(labels('north'), key, { ...wish, weight: '1201' });
    assert.match(String(problem(other, 422, 'idempotency-key-reused').detail), /another label/);
    release();
    const { bytes } = await first;
    const again = await send(labels('north'), key);
    assert.deepEqual([again.status, again.bytes, again.headers['idempotency-replayed']], [200, bytes, 'true']);
  });

  it('of two contexts, carriers or clients are not the same', async () => {
    const key = newLabelKey();
    const [one, other] = [await world().context(), await world().context()];
    const numbers = [
      await send(labels(one), key),
      await send(labels(other), key),
      await send(labels('north', 'sandbox'), key),
      await world().south.send(labels('south'), wish, { headers: { 'idempotency-key': key } }),
    ].map(numberOf);
    assert.equal(new Set(numbers).size, 4);
  });

  it('that nobody knows of whether they were made answer 504 each time, and no second parcel is made', async () => {
    for (const [reply, status] of [
      ['hang up', 502],
      [{ status: 200, body: {} }, 502],
    ] as const) {
      const key = newLabelKey();
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
    const key = newLabelKey();
    for (let round = 0; round < 2; round += 1)
      problem(
        await send(labels('north', 'sandbox'), key, { ...wish, nDossier: 'SANDBOX-SLOW' }),
        504,
        'carrier-timeout',
      );
  });

  it('that failed for sure can be asked for again with the same key', async () => {
    const key = newLabelKey();
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

  it('that the carrier refused are refused alike again; once that is no longer kept, it is asked anew', async () => {
    const key = newLabelKey();
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
    await send(labels(context), newLabelKey());
    const key = newLabelKey();
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
    const [arrived, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let asked = 0;
    world().carrier.play(async () => {
      asked += 1;
      const number = `TWIN-${asked}`;
      if (asked === 1) {
        arrived.resolve();
        await release.promise;
      }
      return { status: 201, body: shipment(number) };
    });
    const slow = send(labels(context), { ...wish, nDossier: 'D-13' });
    await arrived.promise;
    assert.equal(twin(await send(labels(context), { ...wish, nDossier: 'D-13' })), undefined);
    release.resolve();
    assert.deepEqual([twin(await slow), numberOf(await slow)], ['TWIN-2', 'TWIN-1']);
    world().carrier.play(null);
  });

  it('are no duplicates without nDossier, with another field, order or context, or of none that was made', async () => {
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
function heldCarrier({ carrier }: Shipping): { readonly arrived: Promise<void>; readonly release: () => void } {
  const gate = new EventTarget();
  const arrived = once(gate, 'arrived').then(() => undefined);
  const opened = once(gate, 'opened');
  carrier.play(async () => {
    gate.dispatchEvent(new Event('arrived'));
    await opened;
    carrier.play(null);
    return { status: 201, body: shipment(`HELD${++held}`) };
  });
  return { arrived, release: () => void gate.dispatchEvent(new Event('opened')) };
}

let held = 0;
