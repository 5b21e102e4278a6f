// What the audit trail promises, on every engine: every entry as it was given, found by any filter, in pages without
// gaps.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { appendAudit, pageStatement } from '../../src/store/audit.ts';
import type { Engine } from '../../src/store/engine.ts';
import { sql } from '../../src/store/statement.ts';
import type { AuditEntry, AuditQuery, NewAuditEntry } from '../../src/store/audit-contract.ts';
import type { Store } from '../../src/store/store.ts';
import { type EngineUnderTest, allEngines, storeOn, type TestDatabase } from '../contract/engines.ts';
import { storeOfSuite } from '../contract/opened-store.ts';
import { rounds } from '../contract/rounds.ts';
import { addRows, removeRows } from '../contract/database.ts';
import { revisionTable } from '../../src/store/tables/activities.ts';
import { auditEntryTable } from '../../src/store/tables/writes.ts';

for (const engine of allEngines) {
  describe(`audit trail on ${engine.name}`, { skip: engine.skip }, () => auditTests(engine));
}

function auditTests(engineUnderTest: EngineUnderTest): void {
  let database: TestDatabase;
  let engine: Engine;
  let store: Store;
  storeOfSuite(engineUnderTest, async (opened) => {
    ({ database, engine, store } = opened);
    await store.activities.add('ACM', 'Acme');
    // Some tests plant entries with numbers below those that the store gives.
    await addRows(engine, revisionTable, [{ activity: '', resource: 'audit', lastChange: 1_000_000 }]);
  });
  const by = (actor: string): Promise<readonly AuditEntry[]> => store.audit.read({ ...everything, actor });

  it('finds what concerns a rare activity by an index, where the engine has one for that', {
    skip: engineUnderTest.name === 'SQLite' ? 'it has none' : false,
  }, async () => {
    const columns = sql`actor_kind, actor, subject, action, target, operation_id, outcome, address, details`;
    await store.audit.append({ ...entry, actor: 'many' });
    // Codes that no other test asks for.
    await engine.write((transaction) =>
      transaction.query(sql`
        insert into audit_entry (id, change_number, at, activity_codes, ${columns}) select 'many-' || n, 100000 + n, 1,
        case when n % 5000 = 0 then '["RRR"]' else '["FFF"]' end, ${columns} from audit_entry,
        generate_series(1, 20000) n where actor = 'many'
      `),
    );
    try {
      await engine.optimize();
      const statement = pageStatement({ ...everything, activityCodes: ['RRR'] });
      const plan = await engine.read(sql`explain ${statement}`);
      assert.match(plan.flat().join('\n'), /audit_entry_by_activity/);
      assert.equal((await store.audit.read({ ...everything, activityCodes: ['RRR'] })).length, 4);
    } finally {
      await engine.write((transaction) =>
        transaction.query(sql`delete from audit_entry where id like 'many-%' returning id`),
      );
    }
  });

  it('keeps nothing of a transaction that is undone', async () => {
    const actor = randomUUID();
    await assert.rejects(
      store.records.submit(['ACM'], async (unit) => {
        await unit.audit({ ...entry, actor });
        throw new Error('undone');
      }),
      /undone/,
    );
    assert.deepEqual(await by(actor), []);
  });

  it('gives back an entry as it was given, with an id and the time', async () => {
    const actor = randomUUID();
    const details: unknown = { position: 'ACM:1', count: 0, list: [null, 'é'], 'a\0b': '\ud800' };
    const earlier = await engine.now();
    await store.audit.append({ ...entry, actor });
    const full: NewAuditEntry = {
      actorKind: 'platform-key',
      actor,
      subject: 'user',
      action: 'outbox.acknowledge',
      activityCodes: ['ACM', 'B'],
      target: 'wms',
      operationId: randomUUID(),
      outcome: 'partly',
      address: '2001:db8::1',
      details,
    };
    await store.records.submit(['ACM'], (unit) => unit.audit(full));
    const read = await by(actor);
    assert.deepEqual(
      read.map(({ id: _id, at: _at, ...given }) => given),
      [{ ...entry, actor }, full],
    );
    for (const { id, at } of read) {
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
      assert.ok(at >= earlier && at <= earlier + 60_000);
    }
  });

  it('stores what no database takes as text in a readable form', async () => {
    const actor = randomUUID();
    await store.audit.append({ ...entry, actor, target: 'a\0b\ud800', activityCodes: ['\0', 'ACM', '\udfff'] });
    const [read] = await by(actor);
    assert.deepEqual([read?.target, read?.activityCodes], ['a\u{fffd}b\u{fffd}', ['\u{fffd}', 'ACM', '\u{fffd}']]);
    assert.equal((await store.audit.read({ ...everything, actor, activityCodes: ['\0'] })).length, 1);
    assert.deepEqual(await by('\0'), []);
  });

  it('refuses to read more than a page at once', async () => {
    await assert.rejects(store.audit.read({ ...everything, limit: 1001 }), /at most 1000/);
  });

  it('takes no activity for another whose code holds it, and no list for a code', async () => {
    const actor = randomUUID();
    for (const activityCodes of [['AB', 'C'], ['A'], ['ABC'], []])
      await store.audit.append({ ...entry, actor, activityCodes });
    const having = async (...codes: string[]) =>
      (await store.audit.read({ ...everything, actor, activityCodes: codes })).map(({ activityCodes }) =>
        activityCodes.join(),
      );
    assert.deepEqual(await having('A'), ['A']);
    assert.deepEqual(await having('AB', 'ABC'), ['AB,C', 'ABC']);
    assert.deepEqual(await having('AB","C'), []);
    assert.deepEqual(await having('%'), []);
    assert.deepEqual(await having('ab'), []);
    assert.deepEqual(await having(), []);
    assert.deepEqual(await having(...Array.from({ length: 3000 }, (_, index) => `Z${index}`), 'C'), ['AB,C']);
  });

  it('finds by any filter what JavaScript finds, page by page, from either end', { timeout: 900_000 }, async () => {
    const planted = await plant(store, engine);
    const codes = fc.subarray(['ACM', 'B', 'AC', 'A', 'ZZZ'], { minLength: 1 });
    const instant = fc.constantFrom(...planted.map(({ at }) => at), 1, 5_000_000);
    const query = fc.record({
      activityCodes: fc.option(codes),
      action: fc.option(fc.constantFrom('a', 'b', 'c')),
      operationId: fc.option(fc.constantFrom('op1', 'op2', 'op9')),
      since: fc.option(instant),
      until: fc.option(instant),
      newestFirst: fc.boolean(),
      limit: fc.integer({ min: 1, max: 40 }),
    });
    await fc.assert(
      fc.asyncProperty(query, async (asked) => {
        const seen: string[] = [];
        let after: string | null = null;
        for (;;) {
          const page: readonly AuditEntry[] = await store.audit.read({ ...asked, actor: 'planted', after });
          assert.ok(page.length <= asked.limit);
          if (page.length === 0) break;
          seen.push(...page.map(({ id }) => id));
          after = seen.at(-1) ?? null;
          assert.ok(seen.length <= planted.length, 'paging ends');
        }
        const fitting = planted.filter(
          (each) =>
            (asked.activityCodes?.some((code) => each.activityCodes.includes(code)) ?? true) &&
            (asked.action ?? each.action) === each.action &&
            (asked.operationId ?? each.operationId) === each.operationId &&
            each.at >= (asked.since ?? 0) &&
            each.at < (asked.until ?? Number.POSITIVE_INFINITY),
        );
        assert.deepEqual(
          seen,
          (asked.newestFirst ? fitting.toReversed() : fitting).map(({ id }) => id),
        );
      }),
      { numRuns: rounds(150) },
    );
  });

  it('has the entries of many writers at once, those of one in their order', { timeout: 900_000 }, async () => {
    const action = randomUUID();
    const opened = await Promise.all(
      Array.from({ length: engineUnderTest.parallel ? 4 : 1 }, async () => storeOn(await database.open())),
    );
    await Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let index = 0; index < 12; index += 1)
          await opened[writer % opened.length]?.audit.append({ ...entry, action, actor: `${writer}`, details: index });
      }),
    );
    for (const own of opened) await own.close();
    const read = await store.audit.read({ ...everything, action });
    for (let writer = 0; writer < 8; writer += 1) {
      assert.deepEqual(
        read.filter(({ actor }) => actor === `${writer}`).map(({ details }) => details),
        Array.from({ length: 12 }, (_, index) => index),
      );
    }
  });

  it('loses nothing to whoever goes on after the last entry that it got, however long a writer takes', {
    timeout: 900_000,
  }, async () => {
    const action = randomUUID();
    const other = await storeOn(await database.open());
    const [audited, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = store.records.submit(['ACM'], async (unit) => {
      await unit.audit({ ...entry, action, actor: 'slow' });
      audited.resolve();
      await mayEnd.promise;
    });
    await audited.promise;
    const quick = Promise.all(
      Array.from({ length: 5 }, (_, index) => other.audit.append({ ...entry, action, actor: `quick ${index}` })),
    );
    const poll = poller(store, action, 2);
    // On the other engines one writer waits for the other.
    if (engine.dialect === 'postgres' && engineUnderTest.parallel) await quick;
    if (engineUnderTest.parallel) await poll();
    mayEnd.resolve();
    await Promise.all([slow, quick]);
    const seen = await poll();
    await other.close();
    assert.deepEqual(seen.map(({ actor }) => actor).toSorted(), [
      'quick 0',
      'quick 1',
      'quick 2',
      'quick 3',
      'quick 4',
      'slow',
    ]);
  });

  it('gives whoever reads beside many writers every entry exactly once, and none of what is undone', {
    timeout: 900_000,
    skip: !engineUnderTest.parallel && 'one connection',
  }, async () => {
    const action = randomUUID();
    const [writers, rounds] = [8, 25];
    const codes = Array.from({ length: writers }, (_, writer) => `W${writer}`);
    for (const code of codes) await store.activities.add(code, code);
    const opened = await Promise.all(Array.from({ length: writers }, async () => storeOn(await database.open())));
    let writing = true;
    const written = Promise.all(
      codes.map(async (code, writer) => {
        for (let round = 0; round < rounds; round += 1) {
          await opened[writer % opened.length]?.records
            .submit([code], async (unit) => {
              await unit.audit({ ...entry, action, actor: `${writer} ${round}`, activityCodes: [code] });
              for (let turn = (writer * 7 + round * 3) % 11; turn > 0; turn -= 1)
                await new Promise((resolve) => setImmediate(resolve));
              if (round % 5 === 4) throw new Error('undone');
            })
            .catch((error) => assert.match(String(error), /undone/));
        }
      }),
    ).finally(() => {
      writing = false;
    });
    const poll = poller(store, action, 3);
    while (writing) await poll();
    await written;
    const seen = (await poll()).map(({ actor }) => actor);
    for (const own of opened) await own.close();
    const expected = codes.flatMap((_code, writer) =>
      Array.from({ length: rounds }, (_, round) => `${writer} ${round}`).filter((_name, round) => round % 5 !== 4),
    );
    assert.deepEqual(seen.toSorted(), expected.toSorted());
  });

  it('gives nothing after an entry that is not there, from either end, and knows which are there', async () => {
    await store.audit.append(entry);
    const [known] = await store.audit.read({ ...everything, newestFirst: true, limit: 1 });
    assert.equal(await store.audit.has(known?.id ?? ''), true);
    for (const after of [randomUUID(), '']) {
      assert.equal(await store.audit.has(after), false);
      for (const newestFirst of [true, false])
        assert.deepEqual(await store.audit.read({ ...everything, after, newestFirst }), []);
    }
  });

  it('gives a place to entries that came without one, as in a backup of PostgreSQL, after all others', async () => {
    await store.audit.append({ ...entry, actor: 'placed' });
    const [last] = await store.audit.read({ ...everything, newestFirst: true, limit: 1 });
    const waiting = [2, 1].map((at) => rowOf({ ...entry, id: randomUUID(), at, actor: `waiting ${at}` }, -at));
    await addRows(engine, auditEntryTable, waiting);
    const next = await store.audit.read({ ...everything, after: last?.id ?? '' });
    assert.deepEqual(
      next.map(({ actor }) => actor),
      ['waiting 1', 'waiting 2'],
    );
  });

  it('lets no write wait for another, and gives a reader each entry that is committed later after what it has', {
    skip: engineUnderTest.name === 'PostgreSQL server' ? false : 'one transaction writes at a time',
  }, async () => {
    const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = engine.write(async (transaction) => {
      await appendAudit(transaction, { ...entry, actor: 'slow' });
      begun.resolve();
      await held.promise;
    });
    await begun.promise;
    await store.audit.append({ ...entry, actor: 'quick' });
    const [quick] = await store.audit.read({ ...everything, newestFirst: true, limit: 1 });
    assert.equal(quick?.actor, 'quick');
    held.resolve();
    await slow;
    const next = await store.audit.read({ ...everything, after: quick?.id ?? '' });
    assert.deepEqual(
      next.map(({ actor }) => actor),
      ['slow'],
    );
  });

  it('removes what is older than an instant, however much it is, and nothing else', async () => {
    await removeRows(engine, auditEntryTable);
    const rows = Array.from({ length: 2001 }, (_, index) =>
      rowOf({ ...entry, id: randomUUID(), at: index + 1 }, 10_000 - index),
    );
    for (let from = 0; from < rows.length; from += 500)
      await addRows(engine, auditEntryTable, rows.slice(from, from + 500));
    await store.audit.append(entry);
    assert.equal(await store.audit.removeBefore(1), 0);
    assert.equal(await store.audit.removeBefore(2001), 2000);
    assert.deepEqual(
      (await store.audit.read({ ...everything, until: 5000 })).map(({ at }) => at),
      [2001],
    );
    assert.equal((await store.audit.read(everything)).length, 2);
  });
}

const entry: NewAuditEntry = {
  actorKind: 'client',
  actor: 'shop',
  subject: null,
  action: 'articles.submit',
  activityCodes: ['ACM'],
  target: null,
  operationId: null,
  outcome: 'accepted',
  address: null,
  details: null,
};
const everything: AuditQuery = {
  activityCodes: null,
  operationId: null,
  action: null,
  actor: null,
  since: null,
  until: null,
  after: null,
  newestFirst: false,
  limit: 1000,
};

/** Reads on to the end at each call, page by page; the answer is all that it ever got. */
function poller(store: Store, action: string, limit: number): () => Promise<readonly AuditEntry[]> {
  const seen: AuditEntry[] = [];
  return async () => {
    for (;;) {
      const page = await store.audit.read({ ...everything, action, after: seen.at(-1)?.id ?? null, limit });
      seen.push(...page);
      if (page.length === 0) return seen;
    }
  };
}

/** Entries with values of which many coincide, in the order of their numbers, which is not that of their ids. */
async function plant(store: Store, engine: Engine): Promise<readonly AuditEntry[]> {
  const pick = <T>(values: readonly T[], index: number): T => {
    const value = values[index % values.length];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  };
  const entries = Array.from(
    { length: 120 },
    (_, index): AuditEntry => ({
      ...entry,
      id: randomUUID(),
      at: 1000 + Math.floor(index / 3) * 10,
      actor: 'planted',
      action: pick(['a', 'b'], index),
      operationId: pick([null, 'op1', 'op2'], index),
      activityCodes: pick([['ACM'], ['B', 'ACM'], ['AC'], [], ['A', 'AC', 'B']], index * 7),
    }),
  );
  await addRows(
    engine,
    auditEntryTable,
    entries.map((each, index) => rowOf(each, index + 1)),
  );
  await store.audit.append({ ...entry, actor: 'somebody else' });
  return entries;
}

/** @param number below those that the store gives */
function rowOf(given: AuditEntry, number: number) {
  return {
    changeNumber: number,
    id: given.id,
    at: given.at,
    actorKind: given.actorKind,
    actor: given.actor,
    subject: given.subject,
    action: given.action,
    activityCodes: given.activityCodes,
    target: given.target,
    operationId: given.operationId,
    outcome: given.outcome,
    address: given.address,
    details: given.details === null ? null : JSON.stringify(given.details),
  };
}
