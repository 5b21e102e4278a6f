// Pages of long records: each ends before it has too many bytes, and a walk goes on exactly after its last record.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createChecker } from '../../src/model/check.ts';
import type { QueryPair } from '../../src/model/cursor.ts';
import { planList } from '../../src/model/list.ts';
import type { IncomingRecord } from '../../src/model/record.ts';
import type { Resource } from '../../src/model/resource.ts';
import { article, articleStock } from '../../src/resources/index.ts';
import type { Engine } from '../../src/store/engine.ts';
import { createLists, type Lists } from '../../src/store/lists.ts';
import { sql } from '../../src/store/statement.ts';
import type { Page, Store } from '../../src/store/store.ts';
import { nextCursor } from '../contract/continuation.ts';
import { statementText } from '../contract/statement-text.ts';
import { type EngineUnderTest, engines } from '../contract/engines.ts';
import { storeOfSuite } from '../contract/opened-store.ts';

const activities = ['ACM', 'BIO'];
const perActivity = 15;
const maxBytes = 9000;
const noon = Date.UTC(2026, 0, 31, 12);
/** Bytes of filling, by record: most are short, one is longer than a page by itself. */
const lengths = [0, 0, 1500, 0, 9000, 3000, 3000, 3000, 0, 0, 5000, 0, 0, 8000, 0];
const queries: readonly (readonly QueryPair[])[] = [
  [],
  [['limit', '4']],
  [['limit', '1']],
  [['sort', 'articleReference']],
  [
    ['sort', '-articleReference'],
    ['limit', '7'],
  ],
  [['filter', 'articleReference=ge=A03']],
  [
    ['filter', 'articleReference=ge=A03'],
    ['sort', '-articleReference'],
  ],
];

for (const engine of engines) {
  describe(`pages of long records on ${engine.name}`, { skip: engine.skip }, () => pageTests(engine));
}

function pageTests(engineUnderTest: EngineUnderTest): void {
  let engine: Engine;
  let store: Store;
  storeOfSuite(engineUnderTest, async (opened) => {
    ({ engine, store } = opened);
    for (const activity of activities) {
      await store.activities.add(activity, activity);
      await store.records.write(article, activity, recordsOf(article, activity));
      const draft = await store.images.draft(articleStock, activity, noon);
      await draft.write(recordsOf(articleStock, activity));
      await draft.publish();
      await lengthen(activity);
    }
  });

  /** Makes the stored texts as long as `lengths` says: the same length in bytes as `render` would have made. */
  const lengthen = async (activity: string): Promise<void> => {
    for (const [index, length] of lengths.entries()) {
      const key = keyOf(index);
      for (const { table } of [article, articleStock])
        await engine.writeOnce(sql`
          update ${sql.quoted(table)} set body = replace(body, ${`"${key}"`}, ${`"${key}${'é'.repeat(length / 2)}"`})
          where owner = ${activity} and ${sql.quoted('articleReference')} = ${key}
        `);
    }
  };

  /** Gives a record of the first activity a new place in change order, as a write does. */
  const rewrite = async (key: string): Promise<void> => {
    const newest = sql`select last_change from revision where owner = 'ACM' and resource = ${article.name}`;
    await engine.writeOnce(sql`
      update revision set last_change = last_change + 1 where owner = 'ACM' and resource = ${article.name}
    `);
    await engine.writeOnce(sql`
      update article set change_number = (${newest}) where owner = 'ACM' and natural_key = ${key}
    `);
  };

  const walk = async (lists: Lists, resource: Resource, query: readonly QueryPair[]): Promise<readonly Page[]> => {
    const pages: Page[] = [];
    for (let asked = query; pages.length < 100; ) {
      const planned = planList({
        resource,
        endpoint: 'test',
        activities,
        fixed: [],
        query: asked,
        now: Date.now(),
        secret: 'secret',
        history: store.history,
      });
      const page = await lists.page(planned.plan, await lists.revision(resource, activities), { client: 'test' });
      pages.push(page);
      if (!page.more) return pages;
      asked = [['cursor', nextCursor(planned, page.next, page.walkStarts)]];
    }
    throw new Error('the walk does not end');
  };

  for (const resource of [article, articleStock])
    for (const query of queries) {
      it(`has each record once: ${resource.name} ${JSON.stringify(query)}`, async () => {
        const whole = (await walk(createLists(engine, 1_000_000), resource, query)).flatMap(keysOf);
        const pages = await walk(createLists(engine, maxBytes), resource, query);
        assert.deepEqual(pages.flatMap(keysOf), whole);
        assert.equal(new Set(whole).size, whole.length);
        assert.ok(whole.length >= 2 * (perActivity - 3));
        for (const { bytes, count } of pages) {
          assert.ok(count > 0);
          assert.ok(bytes.length <= maxBytes + 200 || count === 1, `${bytes.length} bytes of ${count} records`);
        }
      });
    }

  it('is not read where only columns of a record are asked for', async () => {
    const seen: string[] = [];
    const read: Engine['read'] = async (statement) => {
      const rows = await engine.read(statement);
      seen.push(JSON.stringify(rows));
      return rows;
    };
    const asked = ['articleReference', 'shortArticleDescription'];
    const found = await createLists({ ...engine, read, readShort: read }).find(
      article,
      activities,
      asked[0] ?? '',
      keyOf(4),
      asked,
    );
    assert.deepEqual(
      found.map(({ activity, values }) => [activity, values[0]]),
      activities.map((activity) => [activity, keyOf(4)]),
    );
    assert.ok(seen.join('').length < 500, seen.join(''));
  });

  for (const query of [[], [['sort', 'articleReference']]] as const)
    it(`shows what is rewritten while it is read: ${JSON.stringify(query)}`, async () => {
      for (let number = 0; number < lengths.length; number++) {
        let rewritten = false;
        const read: Engine['read'] = async (statement) => {
          const rows = await engine.read(statement);
          if (!rewritten && statementText(statement).includes('as length')) {
            rewritten = true;
            await rewrite(keyOf(number));
          }
          return rows;
        };
        const keys = (await walk(createLists({ ...engine, read, readShort: read }, maxBytes), article, query)).flatMap(
          keysOf,
        );
        assert.ok(rewritten);
        assert.equal(new Set(keys).size, 2 * perActivity, `of ${keys.length}`);
      }
    });

  it('has short records on full pages, as many as are asked for', async () => {
    const pages = await walk(store.lists, article, [['limit', '20']]);
    assert.deepEqual(
      pages.map(({ count }) => count),
      [20, 10],
    );
  });
}

const checkArticle = createChecker(article);
const checkStock = createChecker(articleStock);

function recordsOf(resource: Resource, activity: string): readonly IncomingRecord[] {
  const context = { activity, activityName: activity };
  return lengths.map((_length, index) => {
    const own = { articleReference: keyOf(index) };
    const checked =
      resource === article
        ? checkArticle({ ...own, longArticleDescription: 'L', shortArticleDescription: 'S' }, context)
        : checkStock({ ...own, stockImageExtractionDate: new Date(noon).toISOString() }, context);
    if (!checked.ok) throw new Error(JSON.stringify(checked.reasons));
    return checked.record;
  });
}

function keyOf(index: number): string {
  return `A${String(index).padStart(2, '0')}`;
}

function keysOf({ bytes }: Page): readonly string[] {
  const records: unknown = JSON.parse(bytes.toString());
  if (!Array.isArray(records)) throw new Error('a page is an array');
  return records.map(({ activityCode, articleReference }) => `${activityCode} ${String(articleReference).slice(0, 3)}`);
}
