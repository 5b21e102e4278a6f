// Feeds with many messages on a real PostgreSQL: what is looked for among them is found by an index that leads to it,
// whatever the server knows of the tables.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { article } from '../../src/resources/index.ts';
import type { Engine, RunStatement } from '../../src/store/engine.ts';
import type { NewMessage } from '../../src/store/feed-contract.ts';
import { isLate } from '../../src/store/feed-order.ts';
import { compile, planAnew, type Statement, sql } from '../../src/store/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { auditEntry } from '../contract/audit.ts';
import { plain } from '../contract/database.ts';
import { allEngines, type EngineUnderTest, storeOn } from '../contract/engines.ts';

const server = allEngines.find(({ name }) => name === 'PostgreSQL server');
const many = 40_000;
/** Rows that a plan may look at: a page of them, and a few besides. */
const most = 300;

/** What the server knows of the tables. */
const knowledge = {
  'of which it knows nothing': async () => undefined,
  'of which it knows how they were when they held another activity only': async (engine: Engine) => {
    await fill(engine, 'AAA', 500);
    await engine.optimize();
  },
  'of which it knows all': async () => undefined,
} as const;

for (const [name, prepare] of Object.entries(knowledge)) {
  describe(`feeds with many messages ${name}`, { skip: server?.skip }, () => {
    let database: Awaited<ReturnType<EngineUnderTest['create']>>;
    let engine: Engine;
    let store: Store;
    const seen: { readonly rows: number; readonly plan: string; readonly text: string }[] = [];
    before(async () => {
      assert.ok(server);
      database = await server.create();
      engine = await database.open();
      store = await storeOn(watched(engine));
      for (const table of ['feed_message', 'feed_line'])
        await run(engine, `alter table ${table} set (autovacuum_enabled = false)`);
      await store.activities.add('ACM', 'Acme');
      await store.activities.add('AAA', 'Other');
      await prepare(engine);
      await fill(engine, 'ACM', many);
      if (name.endsWith('all')) await engine.optimize();
    });
    after(async () => {
      await store.close();
      await database.remove();
    });

    /** The same engine, which notes of each statement about feeds how many rows it looks at. */
    function watched(own: Engine): Engine {
      const noting =
        (runStatement: RunStatement): RunStatement =>
        async (statement) => {
          const { text } = compile(statement, 'postgres');
          if (/^\s*select /.test(text) && /feed_(?:message|line)/.test(text)) {
            const [[plan] = []] = await runStatement(explained(statement));
            const root: unknown = JSON.parse(String(plan))[0].Plan;
            seen.push({ rows: rowsSeen(root), plan: JSON.stringify(root), text });
          }
          return runStatement(statement);
        };
      return {
        ...own,
        read: noting(own.read),
        readShort: noting(own.readShort),
        write: (work) => own.write((transaction) => work({ ...transaction, query: noting(transaction.query) })),
        writeInBackground: (work) =>
          own.writeInBackground((transaction) => work({ ...transaction, query: noting(transaction.query) })),
      };
    }

    const looksAtFew = async (work: () => Promise<unknown>, statements: number): Promise<void> => {
      seen.length = 0;
      await work();
      assert.ok(seen.length >= statements, `${seen.length} statements`);
      for (const { rows, plan, text } of seen)
        assert.ok(rows <= most, `${rows} rows were looked at by ${text}: ${plan}`);
    };

    const message: NewMessage = {
      ...{ activity: 'ACM', feed: 'main', channel: 'command', source: 'new.json', messageId: null, requestKey: null },
      ...{ sequence: null, mapping: null, replayOf: null, actor: 'test' },
    };
    const begin =
      (more: Partial<NewMessage>, bySource = false) =>
      async () => {
        const begun = await store.feeds.begin(article, { ...message, ...more }, { bySource });
        assert.equal(begun.state, 'begun');
      };

    it('know by its id, its key or its file that a message is new', async () => {
      await looksAtFew(begin({ messageId: 'new' }), 2);
      await looksAtFew(begin({ requestKey: 'new' }), 2);
      await looksAtFew(begin({ source: 'new file' }, true), 2);
      await looksAtFew(begin({ messageId: 'newer', source: 'newer.json' }, true), 2);
    });

    it('know by its id, its key or its file which message comes again', async () => {
      const again = async (more: Partial<NewMessage>) => {
        const found = await store.feeds.begin(article, { ...message, ...more });
        return found.state === 'known' ? [found.message.id, found.by] : [found.state];
      };
      await looksAtFew(
        async () => assert.deepEqual(await again({ messageId: `M${many - 7}` }), [many - 7, 'message-id']),
        1,
      );
      const same = { messageId: `M${many - 7}`, sequence: many - 7 };
      await looksAtFew(
        async () => assert.deepEqual(await again({ ...same, requestKey: `R${many - 7}` }), [many - 7, 'request']),
        1,
      );
    });

    it('know whether a higher number has come', async () => {
      for (const [sequence, isLater] of [
        [many, false],
        [many - 1, true],
      ] as const) {
        const place = { activity: 'ACM', resource: 'articles', feed: 'main', sequence };
        const late = (): Promise<boolean> => watched(engine).write((transaction) => isLate(transaction, place));
        await looksAtFew(async () => assert.equal(await late(), isLater), 1);
      }
    });

    it('list the messages of a state, and count the lines that wait', async () => {
      const ofState = (state: 'refused' | 'duplicate') =>
        store.feeds.messages({ activities: ['ACM'], resource: 'articles', feed: 'main', state, limit: 50 });
      await looksAtFew(async () => assert.equal((await ofState('refused')).length, 1), 1);
      await looksAtFew(async () => assert.equal((await ofState('duplicate')).length, 0), 1);
      await looksAtFew(async () => assert.equal((await store.feedLines.waiting(['ACM'])).get('ACM'), 1), 1);
    });

    it('list and drop the refused lines of a message or of all', async () => {
      const lines = (more: { readonly message?: number; readonly resource?: string }) =>
        store.feedLines.list({
          ...{ activities: ['ACM'], message: null, resource: null, state: 'refused', after: null, limit: 50 },
          ...more,
        });
      for (const [more, count] of [
        [{}, 1],
        [{ message: many - 50 }, 0],
        [{ message: many - 50, resource: 'articles' }, 0],
        [{ resource: 'articles' }, 1],
        [{ resource: 'orders' }, 0],
        [{ message: many - 40 }, 1],
      ] as const)
        await looksAtFew(async () => assert.equal((await lines(more)).length, count), 1);
      const drop = (message: number): Promise<number> =>
        store.feedLines.drop({ activity: 'ACM', message }, null, { actor: 'test', audit: auditEntry('feed.drop') });
      await looksAtFew(async () => assert.equal(await drop(many - 50), 0), 1);
      await looksAtFew(async () => assert.equal(await drop(many - 40), 1), 3);
    });

    it('look for what retention has to remove only where it has not been', async () => {
      await looksAtFew(async () => {
        const { messages } = await store.feedRemoval.countOld('ACM', many - 99);
        assert.equal(messages, 0);
      }, 1);
    });
  });
}

function explained(statement: Statement<unknown>): Statement {
  return planAnew(sql`explain (analyze, format json) ${statement}`);
}

/**
 * Messages of one feed, one a millisecond: the older half without numbers, all but the last hundred past their
 * retention. One has many lines that were replayed, and another one line that waits.
 */
async function fill(engine: Engine, activity: string, count: number): Promise<void> {
  await run(
    engine,
    'insert into feed_message (owner, id, resource, feed, channel, source, message_id, sequence, request_key, state, ' +
      'lines, skipped, read, added, changed, unchanged, refused, warned, withdrawn, bytes, digest, counts_only, ' +
      `actor, received_at, touched_at) select '${activity}', n, 'articles', 'main', 'command', 'f' || n, ` +
      `case when n % 2 = 1 then 'M' || n end, case when n > ${count / 2} then n end, 'R' || n, ` +
      `case when n = 5 then 'refused' else 'done' end, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '', ` +
      `case when n <= ${count - 100} then 1 else 0 end, 'test', n, n from generate_series(1, ${count}) as n`,
  );
  await run(
    engine,
    'insert into feed_line (owner, message, record, resource, line, state, reasons, kind, changed_at) select ' +
      `'${activity}', case when n = ${count} then ${count - 40} else ${count - 50} end, n, 'articles', n, ` +
      `case when n = ${count} then 'refused' else 'replayed' end, '[]', 'record', 1 ` +
      `from generate_series(1, ${count}) as n`,
  );
  await run(
    engine,
    `insert into revision (owner, resource, last_change) values ('${activity}', 'feed-message', ${count})`,
  );
}

async function run(engine: Engine, text: string): Promise<void> {
  await engine.write((transaction) => transaction.query(planAnew(plain(text))));
}

/** Rows that the nodes of a plan gave or threw away, all together. */
function rowsSeen(node: unknown): number {
  if (typeof node !== 'object' || node === null) return 0;
  if (Array.isArray(node)) return node.reduce((sum: number, each) => sum + rowsSeen(each), 0);
  const numbers = new Map(Object.entries(node));
  const of = (name: string): number => Number(numbers.get(name) ?? 0);
  const own =
    (of('Actual Rows') + of('Rows Removed by Filter') + of('Rows Removed by Index Recheck')) *
    Math.max(1, of('Actual Loops'));
  return own + rowsSeen(numbers.get('Plans'));
}
