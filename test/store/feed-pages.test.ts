// Messages and refused lines are listed page by page: every filter is served by an index, and no page misses any.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { FeedMessage, MessageQuery } from '../../src/store/feed-contract.ts';
import type { Engine, RunStatement } from '../../src/store/engine.ts';
import { createFeedLines, type FeedLineQuery } from '../../src/store/feed-lines.ts';
import { listMessages, pageOfFeeds } from '../../src/store/feed-message-pages.ts';
import { perEngine, sql, type Statement } from '../../src/store/statement.ts';
import { feedLineTable, feedMessageTable, feedTable } from '../../src/store/tables/feeds.ts';
import { engines, type EngineUnderTest } from '../contract/engines.ts';

const activities = ['AAA', 'BBB', 'CCC'] as const;
const feeds = [
  ['orders', 'main'],
  ['orders', 'shop'],
  ['movements', 'main'],
] as const;
const states = ['done', 'done', 'done', 'refused', 'interrupted'] as const;
const messagesOfEach = 3000;

const emptyMessage: FeedMessage = {
  ...{ activity: 'ACM', id: 1, resource: 'orders', feed: 'main', channel: 'command', state: 'done' },
  ...{ source: null, messageId: null, sequence: null, mapping: null, replayOf: null, fault: null, skippedBy: null },
  ...{ requestKey: null, warnings: null, notes: null, holder: null, lineCounts: null, countsOnly: false },
  ...{ lines: 0, skipped: 0, read: 0, added: 0, changed: 0, unchanged: 0, refused: 0, warned: 0, withdrawn: 0 },
  ...{ firstKey: null, lastKey: null, bytes: 0, digest: '', actor: 'x', receivedAt: 0, touchedAt: 0, finishedAt: null },
};

/** Many share their time with others, also of other activities. */
const all: readonly FeedMessage[] = activities.flatMap((activity, shift) =>
  Array.from({ length: messagesOfEach }, (_, index): FeedMessage => {
    const [resource = 'orders', feed = 'main'] = feeds[(index * 7) % 5] ?? feeds[index % 2] ?? [];
    const state = states[(index * 3) % 5] ?? 'done';
    return { ...emptyMessage, activity, id: index + 1, resource, feed, state, receivedAt: (index + shift) >> 2 };
  }),
);

for (const engine of engines)
  describe(`pages of feeds on ${engine.name}`, { skip: engine.skip }, () => pageTests(engine));

function pageTests(engineUnderTest: EngineUnderTest): void {
  let database: Awaited<ReturnType<EngineUnderTest['create']>>;
  let engine: Engine;
  before(async () => {
    database = await engineUnderTest.create();
    engine = await database.open();
    await engine.write(async (transaction) => {
      await transaction.putRows(feedMessageTable.target, all.map(feedMessageTable.toCells));
      const known = activities.flatMap((activity) =>
        feeds.map(([resource, feed]) => ({
          ...{
            activity,
            resource,
            feed,
            createdAt: 0,
            receivedAt: 0,
            lastMessage: 1,
            lastSequence: null,
            missing: '[]',
          },
        })),
      );
      await transaction.putRows(feedTable.target, known.map(feedTable.toCells));
      const lines = all.flatMap(({ activity, id, resource }) =>
        [1, 2].map((record) => ({
          ...({ activity, message: id, record, resource, line: record, state: 'refused', reasons: '[]' } as const),
          ...({
            kind: 'record',
            content: '{}',
            element: null,
            edited: null,
            replayedBy: null,
            actor: null,
            changedAt: 0,
          } as const),
        })),
      );
      await transaction.putRows(feedLineTable.target, lines.map(feedLineTable.toCells));
    });
    for (const name of ['feed_message', 'feed_line', 'feed'])
      await engine.write((transaction) => transaction.query(sql`analyze ${sql.quoted(name)}`));
  });
  after(async () => {
    await engine.close();
    await database.remove();
  });

  const filters: readonly Partial<MessageQuery>[] = [
    {},
    { resource: 'orders' },
    { feed: 'main' },
    { state: 'refused' },
    { resource: 'orders', feed: 'shop' },
    { resource: 'movements', state: 'interrupted' },
    { feed: 'main', state: 'done' },
    { resource: 'orders', feed: 'main', state: 'refused' },
    { resource: 'stock' },
    { feed: 'nowhere', state: 'done' },
  ];

  it('of messages give each once, newest first, whatever the filter', async () => {
    for (const filter of filters)
      for (const chosen of [activities, ['BBB']]) {
        const expected = all
          .filter(
            (each) =>
              chosen.includes(each.activity as 'AAA') &&
              Object.entries(filter).every(([name, value]) => each[name as keyof FeedMessage] === value),
          )
          .toSorted(
            (a, b) =>
              b.receivedAt - a.receivedAt || (a.activity < b.activity ? 1 : a.activity > b.activity ? -1 : b.id - a.id),
          );
        const found: FeedMessage[] = [];
        for (let more = true; more; ) {
          const last = found.at(-1);
          const page = await listMessages(engine, {
            ...{ activities: chosen, limit: 97, ...filter },
            ...(last !== undefined && { before: last }),
          });
          found.push(...page);
          more = page.length === 97;
        }
        const ids = (messages: readonly FeedMessage[]) => messages.map(({ activity, id }) => `${activity}:${id}`);
        assert.deepEqual(ids(found), ids(expected), JSON.stringify([filter, chosen]));
      }
  });

  /** The statements of a read, and how the engine does each of them. */
  const plansOf = async (read: (engine: Engine) => Promise<unknown>): Promise<readonly string[]> => {
    const asked: { readonly statement: Statement<unknown>; readonly way: 'read' | 'readShort' }[] = [];
    const noting =
      (way: 'read' | 'readShort'): RunStatement =>
      (statement) => {
        asked.push({ statement, way });
        return engine[way](statement);
      };
    await read({ ...engine, read: noting('read'), readShort: noting('readShort') });
    const plans: string[] = [];
    for (const { statement, way } of asked) {
      const explained = perEngine({
        sqlite: () => sql`explain query plan ${statement as Statement}`,
        postgres: () => sql`explain (costs off) ${statement as Statement}`,
      });
      plans.push((await engine[way](explained)).map((row) => row.join(' ')).join('\n'));
    }
    return plans;
  };
  /** Rows in the order of an index, until the page is full: nothing is sorted, and no table is read whole. */
  const isByIndex = (plan: string): void => {
    assert.doesNotMatch(plan, /TEMP B-TREE|SCAN feed_|SCAN m\b|Sort|Seq Scan on feed_(?:message|line)/, plan);
  };

  it('of messages are read by an index, whatever the filter', async () => {
    const place = all[messagesOfEach + 1500];
    assert.ok(place);
    for (const filter of filters)
      for (const before of [{}, { before: place }]) {
        const plans = await plansOf((asking) => listMessages(asking, { activities, limit: 50, ...filter, ...before }));
        const checked = plans.filter((each) => /feed_message/.test(each));
        assert.ok(checked.length > 0 || filter.resource === 'stock' || filter.feed === 'nowhere');
        for (const plan of checked) isByIndex(plan);
      }
  });

  it('of feeds are read with their last messages in two statements, by an index', async () => {
    const page = { missingOnly: false, after: null, limit: 8 };
    const found = await pageOfFeeds(engine, { activities, ...page });
    assert.deepEqual(
      found.map(({ feed, message }) => [feed.activity, message?.activity, message?.id]),
      ['AAA', 'AAA', 'AAA', 'BBB', 'BBB', 'BBB', 'CCC', 'CCC'].map((activity) => [activity, activity, 1]),
    );
    for (const some of [activities, ['BBB']]) {
      const plans = await plansOf((asking) => pageOfFeeds(asking, { activities: some, ...page }));
      assert.equal(plans.length, 2);
      isByIndex(plans[1] ?? '');
    }
  });

  it('of refused lines are read by an index, whatever the filter', async () => {
    const query = { activities, state: 'refused', limit: 50 } as const;
    const asked: readonly Omit<FeedLineQuery, 'activities' | 'state' | 'limit'>[] = [
      { message: null, resource: null, after: null },
      { message: null, resource: 'movements', after: null },
      { message: null, resource: 'movements', after: { activity: 'BBB', message: 1500, record: 1 } },
      { message: 40, resource: 'orders', after: null },
    ];
    for (const each of asked) {
      const plans = await plansOf((asking) => createFeedLines(asking).list({ ...query, ...each }));
      for (const plan of plans.filter((text) => /feed_line/.test(text))) isByIndex(plan);
    }
    const ofMovements = all.filter(({ resource }) => resource === 'movements').length;
    let count = 0;
    for (let after: FeedLineQuery['after'] = null; ; ) {
      const page = await createFeedLines(engine).list({ ...query, message: null, resource: 'movements', after });
      count += page.length;
      after = page.at(-1) ?? null;
      if (page.length < query.limit) break;
    }
    assert.equal(count, 2 * ofMovements);
  });
}
