// What a page of refused lines holds: texts that are packed a thousandfold count as what they are.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { articleStock } from '../../src/resources/index.ts';
import type { NewAuditEntry } from '../../src/store/audit-contract.ts';
import type { Engine, WriteTransaction } from '../../src/store/engine.ts';
import { type HeldMessage, MessageTaken, type NewMessage } from '../../src/store/feed-contract.ts';
import type { FeedLine, FeedLineQuery } from '../../src/store/feed-lines.ts';
import { packed, unpackedWithin } from '../../src/store/packed-text.ts';
import type { Store } from '../../src/store/store.ts';
import { countRows, insert, selectRows, update } from '../../src/store/table-statements.ts';
import { feedLineTable, feedMessageTable } from '../../src/store/tables/feeds.ts';
import { type EngineUnderTest, allEngines, storeOn } from '../contract/engines.ts';
import { openedStore, storeOfSuite } from '../contract/opened-store.ts';
import { addRefusedLines } from '../feeds/refused-lines.ts';

for (const engine of allEngines) {
  describe(`a page of refused lines on ${engine.name}`, { skip: engine.skip }, () => lineTests(engine));
}

const count = 20;
/** As long as a refused line is kept; packed, some hundred bytes. */
const long = JSON.stringify({ comment: 'x'.repeat(4_000_000) });

function lineTests(under: EngineUnderTest): void {
  let store: Store;
  storeOfSuite(under, async (opened) => {
    ({ store } = opened);
    await store.activities.add('ACM', 'Acme');
    await addRefusedLines(store, 'ACM', 1, count);
  });
  const query: FeedLineQuery = {
    ...{ activities: ['ACM'], message: null, resource: null, state: 'refused', after: null, limit: 100 },
  };

  for (const column of ['content', 'edited'] as const)
    it(`leaves out what is long once it is unpacked: ${column}`, async () => {
      assert.ok(packed(long).length < 10_000);
      for (let record = 1; record <= count; record += 1)
        await store.engine.writeOnce(
          update(feedLineTable, { [column]: packed(long) }, { activity: 'ACM', message: 1, record }),
        );
      const lines = await store.feedLines.list(query);
      assert.equal(lines.length, count);
      assert.deepEqual(
        lines.map(({ content, edited, isLong }) => [content, edited, isLong]),
        lines.map(() => [null, null, true]),
      );
      const alone = await store.feedLines.find({ activity: 'ACM', message: 1, record: 1 });
      assert.equal(alone?.[column], long);
      assert.equal(alone?.isLong, false);
      await store.engine.writeOnce(update(feedLineTable, { [column]: packed('{}') }, { activity: 'ACM', message: 1 }));
    });

  it('lets other work have its turn between the lines', async () => {
    const text = JSON.stringify({ unheardOf: Array.from({ length: 20_000 }, () => []) });
    const changes = { content: packed(text), edited: packed(text), reasons: packed(text) };
    await store.engine.writeOnce(update(feedLineTable, changes, { activity: 'ACM', message: 1 }));
    const lines: FeedLine[] = [];
    let isOver = false;
    let turns = 0;
    const otherWork = (): void => {
      turns += 1;
      if (!isOver) setImmediate(otherWork);
    };
    for await (const line of store.feedLines.each(query)) {
      if (lines.length === 0) setImmediate(otherWork);
      lines.push(line);
    }
    isOver = true;
    assert.deepEqual(lines, await store.feedLines.list(query));
    assert.equal(lines[0]?.content, text);
    // Without turns it has none: the lines follow each other in one go.
    assert.ok(turns > 0, String(turns));
  });
}

for (const under of allEngines) {
  describe(`the refused lines of a message on ${under.name}`, { skip: under.skip }, () => {
    it('are dropped a thousand at a time, with one audit entry, and others write in between', async (t) => {
      const { engine, store } = await openedStore(t, under, ['ACM', 'Acme']);
      await addRefusedLines(store, 'ACM', 1, 2500);
      await addRefusedLines(store, 'ACM', 2, 10);
      const steps: number[] = [];
      const left = async (): Promise<number> =>
        (await engine.read(countRows(feedLineTable, { activity: 'ACM', state: 'refused' })))[0] ?? 0;
      const counted: Engine['write'] = async (work) => {
        const before = await left();
        const result = await engine.write(work);
        steps.push(before - (await left()));
        return result;
      };
      const { feedLines } = await storeOn({ ...engine, write: counted });
      steps.splice(0);
      assert.equal(await feedLines.drop({ activity: 'ACM', message: 1 }, null, by), 2500);
      assert.deepEqual(steps, [1000, 1000, 500]);
      assert.equal(await left(), 10);
      assert.equal(await feedLines.drop({ activity: 'ACM', message: 1 }, null, by), 0);
      assert.equal(await feedLines.drop({ activity: 'ACM', message: 2 }, [3, 10, 11], by), 2);
      const audit = {
        ...{ activityCodes: null, operationId: null, actor: null, since: null, until: null },
        after: null,
      };
      const entries = await store.audit.read({ ...audit, action: 'drop', newestFirst: false, limit: 10 });
      assert.equal(entries.length, 2, 'one for each that dropped something');
    });

    it('that are refused while they are dropped still wait, also those of a message that begins anew', async (t) => {
      const { engine, store } = await openedStore(t, under, ['ACM', 'Acme']);
      const refused = async (message: number): Promise<number> =>
        (await engine.read(countRows(feedLineTable, { activity: 'ACM', message, state: 'refused' })))[0] ?? 0;
      /** Drops the lines of a message; something happens after the first thousand. */
      const dropBeside = async (message: number, beside: (transaction: WriteTransaction) => Promise<unknown>) => {
        let isFirst = false;
        const interrupted: Engine['write'] = async (work) => {
          const result = await engine.write(work);
          if (isFirst) await engine.write(beside);
          isFirst = false;
          return result;
        };
        const { feedLines } = await storeOn({ ...engine, write: interrupted });
        isFirst = true;
        return feedLines.drop({ activity: 'ACM', message }, null, by);
      };
      for (const message of [1, 2]) await addRefusedLines(store, 'ACM', message, 1500);
      const [line] = await engine.read(selectRows(feedLineTable, { activity: 'ACM', message: 1, record: 1 }));
      assert.ok(line !== undefined);
      assert.equal(await dropBeside(1, ({ query }) => query(insert(feedLineTable, { ...line, record: 1501 }))), 1500);
      assert.equal(await refused(1), 1);
      const where = { activity: 'ACM', id: 2 };
      assert.equal(
        await dropBeside(2, ({ query }) => query(update(feedMessageTable, { holder: 'other' }, where))),
        1000,
      );
      assert.equal(await refused(2), 500);
    });

    it('of images are removed a thousand at a time where it is taken over, by whoever holds it', async (t) => {
      const { engine, store } = await openedStore(t, under, ['ACM', 'Acme']);
      const message: NewMessage = {
        ...{ activity: 'ACM', feed: 'main', channel: 'http', source: null, messageId: 'M1', sequence: null },
        ...{ requestKey: null, mapping: null, replayOf: null, actor: 'test' },
      };
      const begin = async ({ feeds }: Store): Promise<HeldMessage> => {
        const begun = await feeds.begin(articleStock, message);
        assert.ok(begun.state === 'begun');
        return begun.held;
      };
      const left = async (): Promise<number> =>
        (await engine.read(countRows(feedLineTable, { activity: 'ACM' })))[0] ?? 0;
      const first = await begin(store);
      await first.apply({
        ...{ entries: [], again: 0, warned: 0 },
        refused: Array.from({ length: 2500 }, (_none, index) => ({
          ...{ number: index + 1, line: index + 1, element: null, naturalKey: null, kind: 'text', text: 'no JSON' },
          reasons: [{ code: 'not-json', pointer: '', detail: 'no JSON' }],
        })),
        reached: { lines: 2500, skipped: 0, skippedBy: null, bytes: 1, digest: '', warnings: null, lineCounts: null },
      });
      await first.release('open');
      const steps: number[] = [];
      const counted: Engine['writeInBackground'] = async (work) => {
        const before = await left();
        const result = await engine.writeInBackground(work);
        steps.push(before - (await left()));
        return result;
      };
      const held = await begin(await storeOn({ ...engine, writeInBackground: counted }));
      assert.equal(await left(), 2500);
      await assert.rejects(first.clear(), MessageTaken);
      steps.splice(0);
      await held.clear();
      assert.deepEqual([...steps, await left()], [1000, 1000, 500, 0, 0]);
    });
  });
}

const entry: NewAuditEntry = {
  ...{ actorKind: 'command', actor: 'olga', subject: null, action: 'drop', activityCodes: ['ACM'] },
  ...{ target: null, operationId: null, outcome: 'accepted', address: null, details: null },
};
const by = { actor: 'olga', audit: entry };

describe('a packed text within a bound', () => {
  it('is given up to that many bytes, packed or not', () => {
    for (const text of ['', 'é'.repeat(100), 'é'.repeat(50_000), 'zstd:x']) {
      const bytes = Buffer.byteLength(text);
      assert.equal(unpackedWithin(packed(text), Math.max(bytes, 1)), text);
      if (bytes > 1) assert.equal(unpackedWithin(packed(text), bytes - 1), null);
    }
  });
});
