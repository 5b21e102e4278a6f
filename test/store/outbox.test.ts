// What the outbox promises, on every engine: each entry to each consumer, in order, and kept until all have it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { beforeEach, describe, it } from 'node:test';
import type { ChangePosition } from '../../src/model/plan.ts';
import type { IncomingRecord } from '../../src/model/record.ts';
import { article, order } from '../../src/resources/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import { appendEntries, createOutbox } from '../../src/store/outbox.ts';
import { withPipeline } from '../../src/store/pipelined-statements.ts';
import type { OutboxEntry } from '../../src/store/outbox-contract.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import type { NewDocument, Store, WriteUnit } from '../../src/store/store.ts';
import { type EngineUnderTest, allEngines, storeOn, type TestDatabase } from '../contract/engines.ts';
import { activityMaker, storeOfSuite } from '../contract/opened-store.ts';
import { changeRows, rowIn } from '../contract/database.ts';
import { activityTable } from '../../src/store/tables/activities.ts';
import { outboxEntryTable } from '../../src/store/tables/writes.ts';
import { sql } from '../../src/store/statement.ts';
import { leftToServer } from '../contract/rounds.ts';

for (const engine of allEngines) {
  describe(`outbox on ${engine.name}`, { skip: engine.skip }, () => outboxTests(engine));
}

function outboxTests(engineUnderTest: EngineUnderTest): void {
  let database: TestDatabase;
  let engine: Engine;
  let store: Store;
  storeOfSuite(engineUnderTest, (opened) => {
    ({ database, engine, store } = opened);
  });
  // Removal goes over all activities that have consumers.
  beforeEach(async () => {
    for (const { consumer } of await store.outbox.consumers()) await store.outbox.forget(consumer);
  });
  const newActivity = activityMaker(() => store);
  /** Writes articles as a client does; the change numbers are 1, 2, 3, … in a new activity. */
  const write = async (activity: string, ...references: readonly string[]): Promise<void> => {
    await store.records.submit([activity], (unit) =>
      unit.write(article, activity, references.map(articleRecord), 'op'),
    );
  };
  /** So many entries, 1, 2, 3, …, faster than clients write. */
  const append = async (activity: string, count: number): Promise<void> => {
    const entries = Array.from(
      { length: count },
      (_, index): OutboxEntry => ({
        activity,
        changeNumber: index + 1,
        kind: 'article',
        body: '{}',
        operationId: 'op',
        createdAt: index + 1,
      }),
    );
    await engine.write((transaction) =>
      withPipeline(async (pipeline) => appendEntries(transaction, pipeline, entries)),
    );
    await changeRows(engine, activityTable, { lastChange: count }, { code: activity });
  };
  const numbersOf = (entries: readonly OutboxEntry[]): readonly string[] =>
    entries.map(({ activity, changeNumber }) => `${activity}:${changeNumber}`);
  const progressIn = async (consumer: string, activity: string) => {
    const [progress] = await store.outbox.progress(consumer, [activity]);
    assert.ok(progress !== undefined);
    return { delivered: progress.delivered, acknowledged: progress.acknowledged, waiting: progress.waiting };
  };
  /** Gives the consumer everything, and has it acknowledge up to a position. */
  const take = async (consumer: string, activity: string, upTo: number): Promise<void> => {
    await store.outbox.noteDelivered(consumer, await store.outbox.ends([activity]));
    assert.equal(await store.outbox.acknowledge(consumer, { [activity]: upTo }), null);
  };
  const instantOf = async (activity: string, changeNumber: number): Promise<number> => {
    const row = await rowIn(engine, outboxEntryTable, { activity, changeNumber });
    return row.createdAt;
  };

  it('is empty for activities of which nothing was written, and for none', async () => {
    const activity = await newActivity();
    assert.deepEqual(await store.outbox.ends([activity]), { [activity]: 0 });
    assert.deepEqual(await store.outbox.removedTo([activity]), { [activity]: 0 });
    assert.deepEqual(await store.outbox.read([activity], {}, 10), {
      entries: [],
      next: { [activity]: 0 },
      more: false,
    });
    assert.deepEqual(await store.outbox.ends([]), {});
    assert.deepEqual(await store.outbox.read([], {}, 10), { entries: [], next: {}, more: false });
    assert.deepEqual(await store.outbox.progress('wms', []), []);
    await store.outbox.noteDelivered('wms', {});
    assert.equal(await store.outbox.acknowledge('wms', {}), null);
    assert.deepEqual(await store.outbox.consumers(), []);
  });

  it('takes nothing in of a transaction that is undone', async () => {
    const activity = await newActivity();
    await assert.rejects(
      store.records.submit([activity], async (unit) => {
        await unit.write(article, activity, [articleRecord('A1')], 'op');
        throw new Error('undone');
      }),
      /undone/,
    );
    assert.deepEqual(await store.outbox.ends([activity]), { [activity]: 0 });
    assert.deepEqual((await store.outbox.read([activity], {}, 10)).entries, []);
  });

  it('takes in what clients wrote, in change order, and nothing else', async () => {
    const activity = await newActivity();
    await write(activity, 'A1', 'A2');
    await store.records.write(order, activity, [
      { value: { orderUniqueID: 'O1' }, naturalKey: 'O1', contentHash: 'O1' },
    ]);
    await write(activity, 'A1');
    await store.records.submit([activity], async (unit) => {
      await unit.addDocument(documentOf(activity, 'invoice'));
      await unit.write(article, activity, [articleRecord('A3')], 'op 2');
    });
    const { entries } = await store.outbox.read([activity], {}, 10);
    assert.deepEqual(
      entries.map(({ changeNumber, kind, operationId }) => [changeNumber, kind, operationId]),
      [
        [1, 'article', 'op'],
        [2, 'article', 'op'],
        [4, 'document', 'op'],
        [5, 'article', 'op 2'],
      ],
    );
    assert.deepEqual(await store.outbox.ends([activity]), { [activity]: 5 });
    const bodies = entries.map(({ body }): Record<string, unknown> => JSON.parse(body));
    assert.deepEqual(
      bodies.map((body) => body.articleReference ?? body.docSlug),
      ['A1', 'A2', 'invoice', 'A3'],
    );
    const stored = sql`select body from article where owner = ${activity} and "articleReference" = 'A3'`;
    const [row] = await engine.read(stored);
    assert.equal(String(row?.[0]), entries.at(-1)?.body);
    assert.ok(
      entries.every(({ createdAt }, index) => createdAt > 0 && createdAt >= (entries[index - 1]?.createdAt ?? 0)),
    );
  });

  it('gives each version of an article, whoever changed it before it was taken', async () => {
    const activity = await newActivity();
    const version = (reference: string, text: string): IncomingRecord => {
      const record = articleRecord(reference);
      return { ...record, value: { ...record.value, longArticleDescription: text }, contentHash: text };
    };
    const submitVersions = (...records: readonly IncomingRecord[]) =>
      store.records.submit([activity], (unit) => unit.write(article, activity, records, 'op'));
    await submitVersions(version('A', 'A1'), version('B', 'B1'), version('C', 'C1'));
    await submitVersions(version('A', 'A2'));
    await store.records.write(article, activity, [
      version('A', 'A3, from the warehouse'),
      version('B', 'B2, from the warehouse'),
      version('B', 'B3, from the warehouse'),
    ]);
    await store.records.submit([activity], async (unit) => {
      await unit.write(article, activity, [version('A', 'A4'), version('D', 'D1')], 'op');
      await unit.write(article, activity, [version('A', 'A5'), version('D', 'D2')], 'op');
    });
    await store.records
      .submit([activity], async (unit) => {
        await unit.write(article, activity, [version('C', 'C2')], 'op');
        throw new Error('undone');
      })
      .catch(() => undefined);
    // Changed and changed back: another text in between, and another change number.
    await store.records.write(article, activity, [version('D', 'D3'), version('D', 'D2')]);
    const { entries } = await store.outbox.read([activity], {}, 100);
    const texts = entries.map(({ body }): unknown => JSON.parse(body).longArticleDescription);
    assert.deepEqual(texts, ['A1', 'B1', 'C1', 'A2', 'A4', 'D1', 'A5', 'D2']);
    const kept = await engine.read(sql`
        select change_number from outbox_entry where owner = ${activity} and body is null order by change_number
      `);
    assert.equal(kept.length, 2, 'C1 and A5 are what the articles say now: their text is not stored again');
  });

  it('says that a text is lost rather than hand out an entry without one', async () => {
    const activity = await newActivity();
    await write(activity, 'A1');
    await engine.write((transaction) =>
      transaction.query(sql`update article set change_number = 77 where owner = ${activity}`),
    );
    await assert.rejects(
      store.outbox.read([activity], {}, 100),
      new RegExp(`the text of outbox entry 1 of ${activity} is lost`),
    );
  });

  it('is read activity after activity, with an exact word on whether there is more', async () => {
    const activities = [await newActivity(), await newActivity(), await newActivity(), await newActivity()];
    const [first = '', second = '', third = '', fourth = ''] = activities;
    await write(first, 'A1', 'A2', 'A3');
    await write(third, 'C1', 'C2');
    await write(fourth, 'D1');
    const pages: (readonly string[])[] = [];
    let position: ChangePosition = {};
    for (let more = true; more; ) {
      // The order and the repetition of the activities that are asked for make no difference.
      const page = await store.outbox.read([...activities.toReversed(), first], position, 2);
      pages.push(numbersOf(page.entries));
      assert.deepEqual(Object.keys(page.next).toSorted(), activities);
      ({ next: position, more } = page);
    }
    assert.deepEqual(pages, [
      [`${first}:1`, `${first}:2`],
      [`${first}:3`, `${third}:1`],
      [`${third}:2`, `${fourth}:1`],
    ]);
    assert.deepEqual(position, { [first]: 3, [second]: 0, [third]: 2, [fourth]: 1 });
    assert.deepEqual(await store.outbox.read(activities, position, 2), { entries: [], next: position, more: false });
    assert.deepEqual(numbersOf((await store.outbox.read([third], { [first]: 1, [third]: 1 }, 9)).entries), [
      `${third}:2`,
    ]);
    assert.equal((await store.outbox.read(activities, {}, 5)).more, true);
    assert.equal((await store.outbox.read(activities, {}, 6)).more, false);
    await store.outbox.noteDelivered('wms', { [third]: 2 });
    await store.outbox.acknowledge('wms', { [third]: 2 });
    await store.outbox.removeAcknowledged(Number.MAX_SAFE_INTEGER);
    // What was removed is not announced.
    assert.equal((await store.outbox.read([first, third], {}, 3)).more, false);
  });

  it('is read in portions of so many bytes, each entry once, the long ones too', async () => {
    const [first = '', second = ''] = [await newActivity(), await newActivity()].toSorted();
    // Articles whose text stands with the record, but for the third, which was changed since.
    await write(first, 'A1', 'A2', 'A3', 'A4', 'A5', 'A6');
    await write(second, 'B1', 'B2');
    const lengths = [10, 2000, 6000, 9000, 1500, 10];
    for (const [index, length] of lengths.entries())
      for (const activity of [first, second])
        await engine.writeOnce(sql`
          update article set body = ${JSON.stringify('x'.repeat(length))} where owner = ${activity} and
          change_number = ${index + 1}
        `);
    const changed = { ...articleRecord('A3'), contentHash: 'other' };
    await store.records.submit([first], async (unit) => void (await unit.write(article, first, [changed], 'op')));
    const whole = await store.outbox.read([first, second], {}, 100);
    assert.equal(whole.entries.length, 9);
    for (const limit of [1, 3, 100]) {
      const seen: number[] = [];
      const read: Engine['read'] = async (statement) => {
        const rows = await engine.read(statement);
        seen.push(JSON.stringify(rows).length);
        return rows;
      };
      const outbox = createOutbox({ ...engine, read }, 5000);
      const entries: OutboxEntry[] = [];
      let position: ChangePosition = {};
      for (let more = true; more; ) {
        const page = await outbox.read([first, second], position, limit);
        const bytes = page.entries.reduce((sum, { body }) => sum + body.length, 0);
        assert.ok(page.entries.length === 1 || bytes <= 5000, `${bytes} bytes of ${page.entries.length} entries`);
        assert.ok(page.entries.length > 0);
        entries.push(...page.entries);
        ({ next: position, more } = page);
      }
      assert.deepEqual(entries, whole.entries);
      // The longest by itself, and what every row has besides.
      assert.ok(Math.max(...seen) < 9000 + 2000, `${Math.max(...seen)} characters were read at once`);
    }
  });

  it('lets a consumer acknowledge what it was given and no more, in all activities or in none', async () => {
    const [activity, other] = [await newActivity(), await newActivity()];
    await write(activity, 'A1', 'A2', 'A3');
    await write(other, 'A1');
    assert.deepEqual(await store.outbox.acknowledge('wms', { [activity]: 1 }), { [activity]: 0 });
    await store.outbox.noteDelivered('wms', { [activity]: 2, [other]: 1 });
    assert.deepEqual(await store.outbox.acknowledge('wms', { [activity]: 3, [other]: 1 }), { [activity]: 2 });
    assert.deepEqual(await progressIn('wms', other), { delivered: 1, acknowledged: 0, waiting: 1 });
    assert.equal(await store.outbox.acknowledge('wms', { [activity]: 2 }), null);
    assert.deepEqual(await progressIn('wms', activity), { delivered: 2, acknowledged: 2, waiting: 1 });
    assert.deepEqual(await store.outbox.acknowledge('another', { [activity]: 2 }), { [activity]: 0 });
  });

  it('moves no consumer backwards, and changes nothing when the same comes again', async () => {
    const activity = await newActivity();
    await write(activity, 'A1', 'A2', 'A3');
    await store.outbox.noteDelivered('wms', { [activity]: 3 });
    await store.outbox.acknowledge('wms', { [activity]: 2 });
    const [earlier] = await store.outbox.progress('wms', [activity]);
    await store.outbox.noteDelivered('wms', { [activity]: 1 });
    assert.equal(await store.outbox.acknowledge('wms', { [activity]: 1 }), null);
    assert.equal(await store.outbox.acknowledge('wms', { [activity]: 2 }), null);
    assert.deepEqual(await store.outbox.progress('wms', [activity]), [earlier]);
    assert.deepEqual(await progressIn('wms', activity), { delivered: 3, acknowledged: 2, waiting: 1 });
  });

  it('leaves an audit entry with each acknowledgement that changes something, however many come at once', async () => {
    const activity = await newActivity();
    await write(activity, 'A1', 'A2');
    const audit: NewAuditEntry = {
      actorKind: 'platform-key',
      actor: activity,
      subject: null,
      action: 'outbox.acknowledge',
      activityCodes: [activity],
      target: 'wms',
      operationId: null,
      outcome: 'accepted',
      address: null,
      details: null,
    };
    const count = async () =>
      (
        await store.audit.read({
          activityCodes: null,
          operationId: null,
          action: null,
          actor: activity,
          since: null,
          until: null,
          after: null,
          newestFirst: false,
          limit: 99,
        })
      ).length;
    assert.notEqual(await store.outbox.acknowledge('wms', { [activity]: 1 }, audit), null);
    assert.equal(await count(), 0);
    await store.outbox.noteDelivered('wms', { [activity]: 2 });
    await Promise.all(Array.from({ length: 6 }, () => store.outbox.acknowledge('wms', { [activity]: 1 }, audit)));
    assert.equal(await count(), 1);
    await store.outbox.acknowledge('wms', { [activity]: 2 });
    assert.equal(await count(), 1);
  });

  it('keeps the progress of each consumer for itself, and lists all', async () => {
    const activity = await newActivity();
    await write(activity, 'A1', 'A2');
    await store.outbox.noteDelivered('b', { [activity]: 2 });
    await store.outbox.noteDelivered('a', { [activity]: 0 });
    await store.outbox.acknowledge('b', { [activity]: 1 });
    const listed = await store.outbox.consumers();
    assert.deepEqual(
      listed.map(({ consumer, delivered, acknowledged, waiting }) => [consumer, delivered, acknowledged, waiting]),
      [
        ['a', 0, 0, 2],
        ['b', 2, 1, 1],
      ],
    );
    assert.equal((await store.outbox.consumers()).length, 2);
    assert.ok(listed.every(({ updatedAt }) => updatedAt > 0));
    assert.deepEqual(await progressIn('unknown', activity), { delivered: 0, acknowledged: 0, waiting: 2 });
    assert.equal((await store.outbox.consumers()).length, 2);
  });

  it('counts what waits for a consumer up to ten thousand, and knows the age of the oldest', async () => {
    const activity = await newActivity();
    await append(activity, 13_000);
    const waiting = async (consumer: string) => {
      const [progress] = await store.outbox.progress(consumer, [activity]);
      return [progress?.waiting, progress?.waitingSince];
    };
    assert.deepEqual(await waiting('new'), [10_000, 1]);
    await take('away', activity, 1500);
    assert.deepEqual(await waiting('away'), [10_000, 1501]);
    await take('away', activity, 3001);
    assert.deepEqual(await waiting('away'), [9999, 3002]);
    assert.deepEqual(
      (await store.outbox.consumers()).map((each) => [each.waiting, each.waitingSince]),
      [[9999, 3002]],
    );
    await take('away', activity, 13_000);
    assert.deepEqual(await waiting('away'), [0, null]);
  });

  it('notes the file of an export until it was handed over', async () => {
    const activity = await newActivity();
    await write(activity, 'A1');
    const exportOf = async () => (await store.outbox.progress('files', [activity]))[0]?.export;
    await store.outbox.noteExport('files', activity, null);
    assert.equal((await store.outbox.consumers()).length, 0);
    await store.outbox.noteExport('files', activity, { file: 'outbox-1.ndjson', to: 1 });
    assert.deepEqual(await exportOf(), { file: 'outbox-1.ndjson', to: 1 });
    await take('files', activity, 1);
    await store.outbox.noteExport('files', activity, { file: 'outbox-2.ndjson', to: 2 });
    assert.deepEqual(await exportOf(), { file: 'outbox-2.ndjson', to: 2 });
    await store.outbox.noteExport('files', activity, null);
    assert.equal(await exportOf(), null);
    assert.deepEqual(await progressIn('files', activity), { delivered: 1, acknowledged: 1, waiting: 0 });
  });

  it('removes nothing where there is no consumer, and nothing that a slow one has not taken', async () => {
    const [activity, lonely] = [await newActivity(), await newActivity()];
    await write(activity, 'A1', 'A2', 'A3', 'A4');
    await write(lonely, 'A1');
    await take('fast', activity, 4);
    await take('slow', activity, 1);
    const all = Number.MAX_SAFE_INTEGER;
    assert.equal(await store.outbox.removeAcknowledged(all), 1);
    assert.deepEqual(await store.outbox.removedTo([activity, lonely]), { [activity]: 1, [lonely]: 0 });
    assert.deepEqual(numbersOf((await store.outbox.read([activity], {}, 9)).entries), [
      `${activity}:2`,
      `${activity}:3`,
      `${activity}:4`,
    ]);
    assert.equal(await store.outbox.removeAcknowledged(all), 0);
    await store.outbox.noteDelivered('slow', { [lonely]: 0 });
    assert.equal(await store.outbox.removeAcknowledged(all), 0);
    assert.equal(await store.outbox.forget('slow'), true);
    assert.equal(await store.outbox.forget('slow'), false);
    assert.equal(await store.outbox.removeAcknowledged(all), 3);
    assert.deepEqual(await store.outbox.removedTo([activity]), { [activity]: 4 });
    assert.deepEqual(await store.outbox.ends([activity]), { [activity]: 4 });
    assert.deepEqual(await progressIn('late', activity), { delivered: 4, acknowledged: 4, waiting: 0 });
    await store.outbox.noteDelivered('late', { [activity]: 2 });
    assert.deepEqual(await progressIn('late', activity), { delivered: 4, acknowledged: 4, waiting: 0 });
    await write(activity, 'A5');
    assert.deepEqual(numbersOf((await store.outbox.read([activity], { [activity]: 4 }, 9)).entries), [`${activity}:5`]);
  });

  it('removes only what is older than the instant, from the oldest on without a gap', async () => {
    const activity = await newActivity();
    for (const reference of ['A1', 'A2', 'A3', 'A4']) await write(activity, reference);
    await take('wms', activity, 4);
    assert.equal(await store.outbox.removeAcknowledged(await instantOf(activity, 1)), 0);
    assert.equal(await store.outbox.removeAcknowledged(await instantOf(activity, 3)), 2);
    // A clock that was set back: the entry behind it must not go before it.
    await changeRows(engine, outboxEntryTable, { createdAt: 1 }, { activity, changeNumber: 4 });
    assert.equal(await store.outbox.removeAcknowledged(await instantOf(activity, 3)), 0);
    assert.deepEqual(await store.outbox.removedTo([activity]), { [activity]: 2 });
    assert.equal(await store.outbox.removeAcknowledged((await instantOf(activity, 3)) + 1), 2);
  });

  it('removes any number, also when two processes do so while clients write', { timeout: 900_000 }, async () => {
    const activity = await newActivity();
    await append(activity, 3000);
    await take('wms', activity, 2500);
    const other = await storeOn(await database.open());
    const [here, there] = await Promise.all([
      store.outbox.removeAcknowledged(Number.MAX_SAFE_INTEGER),
      other.outbox.removeAcknowledged(Number.MAX_SAFE_INTEGER),
      write(activity, 'B1'),
      write(activity, 'B2'),
    ]);
    await other.close();
    assert.equal(here + there, 2500);
    assert.deepEqual(await store.outbox.removedTo([activity]), { [activity]: 2500 });
    const { entries } = await store.outbox.read([activity], { [activity]: 2500 }, 1000);
    assert.deepEqual(
      numbersOf(entries),
      Array.from({ length: 502 }, (_, index) => `${activity}:${2501 + index}`),
    );
  });

  it('never takes away what a consumer that appears at that moment was promised', {
    timeout: 900_000,
    skip: leftToServer(engineUnderTest),
  }, async () => {
    const other = await storeOn(await database.open());
    for (let round = 0; round < 25; round += 1) {
      const activity = await newActivity();
      await write(activity, 'A1', 'A2', 'A3');
      await take('old', activity, 3);
      await Promise.all([
        store.outbox.noteDelivered('new', { [activity]: 1 }),
        other.outbox.removeAcknowledged(Number.MAX_SAFE_INTEGER),
      ]);
      const { acknowledged } = await progressIn('new', activity);
      assert.deepEqual(await store.outbox.removedTo([activity]), { [activity]: acknowledged });
      assert.equal(
        (await store.outbox.read([activity], { [activity]: acknowledged }, 9)).entries.length,
        3 - acknowledged,
      );
    }
    await other.close();
  });

  it('brings a consumer to the furthest that two processes note at once', {
    timeout: 900_000,
    skip: leftToServer(engineUnderTest),
  }, async () => {
    const activities = [await newActivity(), await newActivity()];
    const [first = '', second = ''] = activities;
    for (const activity of activities) await write(activity, ...Array.from({ length: 40 }, (_, index) => `A${index}`));
    const other = await storeOn(await database.open());
    const notes = Array.from({ length: 40 }, async (_, index) => {
      const own = index % 2 === 0 ? store : other;
      // The two write the activities in opposite order.
      const position =
        index % 2 === 0 ? { [first]: index + 1, [second]: index + 1 } : { [second]: index + 1, [first]: index + 1 };
      await own.outbox.noteDelivered('twins', position);
      assert.equal(await own.outbox.acknowledge('twins', position), null);
      if (index === 20) await other.outbox.forget('nobody');
    });
    await Promise.all(notes);
    await other.close();
    for (const activity of activities)
      assert.deepEqual(await progressIn('twins', activity), { delivered: 40, acknowledged: 40, waiting: 0 });
  });

  it('gives a reader every entry of twelve concurrent writers exactly once, in order', {
    timeout: 900_000,
    skip: !engineUnderTest.parallel && 'one connection',
  }, async () => {
    const activities = [await newActivity(), await newActivity(), await newActivity()];
    const [writers, rounds] = [12, 20];
    const opened = await Promise.all(Array.from({ length: writers }, async () => storeOn(await database.open())));
    let writing = true;
    const written = Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        const own = opened[writer % opened.length] ?? store;
        for (let round = 0; round < rounds; round += 1) {
          const chosen = activities.filter((_activity, index) => (writer + round + index) % 3 !== 0).toReversed();
          await own.records
            .submit(chosen, async (unit) => {
              for (const activity of chosen) await writeBoth(unit, activity, `${writer}-${round}`);
              if (round % 7 === 3) throw new Error('undone');
            })
            .catch((error) => assert.match(String(error), /undone/));
        }
      }),
    ).finally(() => {
      writing = false;
    });
    const read: OutboxEntry[] = [];
    let position: ChangePosition = {};
    for (let last = false; !last; ) {
      last = !writing;
      const page = await store.outbox.read(activities, position, 17);
      read.push(...page.entries);
      position = page.next;
      await store.outbox.noteDelivered('reader', position);
      assert.equal(await store.outbox.acknowledge('reader', position), null);
      if (read.length % 5 === 0) await store.outbox.removeAcknowledged(Number.MAX_SAFE_INTEGER);
      if (page.entries.length > 0 || page.more) last = false;
      else await new Promise((resolve) => setImmediate(resolve));
    }
    await written;
    for (const own of opened) await own.close();
    for (const activity of activities) {
      const numbers = read.filter((entry) => entry.activity === activity).map(({ changeNumber }) => changeNumber);
      assert.deepEqual(
        numbers,
        numbers.map((_, index) => index + 1),
        'numbers come in order and without gaps',
      );
    }
    const expected = Array.from({ length: writers * rounds }, (_, index) => ({
      writer: Math.floor(index / rounds),
      round: index % rounds,
    })).filter(({ round }) => round % 7 !== 3);
    assert.equal(read.length, expected.length * 2 * 2, 'each entry of what was not undone came once');
    const names = read.map(({ activity, body }) => {
      const { articleReference, fileName }: Record<string, unknown> = JSON.parse(body);
      return `${activity} ${articleReference ?? fileName}`;
    });
    assert.equal(new Set(names).size, read.length);
    assert.deepEqual(await store.outbox.ends(activities), position);
  });
}

async function writeBoth(unit: WriteUnit, activity: string, name: string): Promise<void> {
  await unit.write(article, activity, [articleRecord(`A${name}`)], 'op');
  await unit.addDocument({ ...documentOf(activity, 'label'), fileName: `${name}.pdf` });
}

function articleRecord(articleReference: string): IncomingRecord {
  return {
    value: { articleReference, barcodes: [], logisticalVariants: [] },
    naturalKey: articleReference,
    contentHash: articleReference,
  };
}

function documentOf(activity: string, slug: string): NewDocument {
  const name = randomBytes(32).toString('hex');
  return {
    activity,
    orderId: 'O1',
    orderUniqueId: 'O1',
    slug,
    sha256: name,
    mediaType: 'application/pdf',
    size: 9,
    fileName: 'a.pdf',
    storedAs: name,
    operationId: 'op',
    clientId: 'shop',
  };
}
