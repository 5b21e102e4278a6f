// What the tests of the demonstration share: stores on every engine, and whether storage holds what was played.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { playHistory } from '../../src/demo/demo.ts';
import type { PlainRecord } from '../../src/demo/catalogue.ts';
import { compositeKey } from '../../src/model/composite-key.ts';
import { sendable } from '../../src/demo/sendable.ts';
import { createWarehouse } from '../../src/demo/warehouse.ts';
import type { Resource } from '../../src/model/resource.ts';
import { reconcile } from '../../src/platform/reconcile.ts';
import { resources } from '../../src/resources/index.ts';
import type { Store } from '../../src/store/store.ts';
import { type EngineUnderTest, storeOn } from '../contract/engines.ts';
import { readAll } from '../feeds/fixture.ts';

export const both = ['ACM', 'BEL'];
const dayMs = 86_400_000;

/** An empty store in a database of its own. */
export async function storeOf(
  engine: EngineUnderTest,
): Promise<{ readonly store: Store; readonly close: () => Promise<void> }> {
  const database = await engine.create();
  const store = await storeOn(await database.open());
  const close = async (): Promise<void> => {
    await store.close();
    await database.remove();
  };
  return { store, close };
}

/**
 * What was played up to the clock of the demonstration is stored: every record as it was told last, every movement
 * once, nothing else; stock and movements reconcile, and no message is missing. For a warehouse into which nothing came
 * from outside.
 */
export async function assertAsPlayed(store: Store): Promise<void> {
  const { filledAt, playedTo } = (await store.demonstration.clock()) ?? assert.fail('there is no clock');
  const told = playHistory(createWarehouse(filledAt), playedTo);
  for (const activity of both) {
    for (const resource of resources) {
      if (resource.storage === 'images') continue;
      const expected = told.get(activity)?.records.get(resource.name) ?? [];
      const stored = await readAll(store, resource, [activity]);
      assert.equal(stored.length, expected.length, `${resource.name} of ${activity}`);
      const names = [...resource.key, ...movementKey].filter((name) => Object.hasOwn(resource.fields, name));
      const keyOf = (record: PlainRecord): string => compositeKey(...names.map((name) => String(record[name])));
      const byKey = Map.groupBy(stored, keyOf);
      for (const record of expected) {
        const sent = sendable(resource.name, record);
        const place = byKey.get(keyOf(sent))?.findIndex((found) => holds(found, published(resource, sent))) ?? -1;
        assert.ok(place >= 0, `${resource.name} of ${activity} lacks ${JSON.stringify(sent).slice(0, 300)}`);
        byKey.get(keyOf(sent))?.splice(place, 1);
      }
    }
    const { totals, places } = await reconcile(
      store,
      { activity, from: filledAt - 60 * dayMs, to: playedTo, after: null, all: false },
      { client: 'test' },
    );
    assert.deepEqual([totals.differing, places], [0, []], activity);
    assert.ok(totals.movements > 4000, `${totals.movements} movements`);
  }
  for (const feed of await store.feeds.list(both))
    assert.deepEqual(feed.missing, [], `${feed.activity} ${feed.resource}`);
  const messages = await store.feeds.messages({ activities: both, limit: 100_000 });
  assert.deepEqual(
    messages.filter(({ refused, state }) => refused > 0 || !['done', 'duplicate'].includes(state)),
    [],
  );
}

/** Fields by which a movement is looked for: it has no key. */
const movementKey = ['movementTimestamp', 'movementCode', 'articleReference'];

/** Whether a record that was read says all that was sent; it also has what the server adds. */
function holds(read: unknown, sent: unknown): boolean {
  if (Array.isArray(sent))
    return Array.isArray(read) && read.length === sent.length && sent.every((each, index) => holds(read[index], each));
  if (typeof sent === 'object' && sent !== null) {
    const found: PlainRecord = Object(read);
    return Object.entries(sent).every(([name, value]) => holds(found[name] ?? null, value ?? null));
  }
  if (typeof sent === 'string' && typeof read === 'string' && /^\d{4}-\d\d-\d\dT/.test(sent))
    return Date.parse(sent) === Date.parse(read);
  return isDeepStrictEqual(read, sent);
}

/** Without what is stored for other ends than reading. */
function published({ fields }: Resource, record: PlainRecord): PlainRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => Object.hasOwn(fields, name)));
}
