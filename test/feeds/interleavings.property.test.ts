// Feeds, clients, withdrawals, replays and retention in any order of their steps: counts add up at every moment,
// what was accepted last is what there is, everybody who wrote it is told, and a client that follows a cursor
// misses nothing.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from '../contract/properties.ts';
import { createFeedTurns } from '../../src/feeds/feed-turns.ts';
import { replayLines } from '../../src/feeds/replay.ts';
import { createChecker } from '../../src/model/check.ts';
import { type ListRequest, planList } from '../../src/model/list.ts';
import type { Incoming, IncomingRecord } from '../../src/model/record.ts';
import { withdrawalReader } from '../../src/model/withdrawal.ts';
import { article } from '../../src/resources/index.ts';
import type { FeedEntry, HeldMessage, NewMessage } from '../../src/store/feed-contract.ts';
import { LinesSettled } from '../../src/store/feed-contract.ts';
import { sql } from '../../src/store/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { feedLineTable, feedMessageTable, feedWithdrawalTable } from '../../src/store/tables/feeds.ts';
import { rowsIn } from '../contract/database.ts';
import { nextCursor } from '../contract/continuation.ts';
import { enginesAboveStorage, type EngineUnderTest } from '../contract/engines.ts';
import { storeOfSuite } from '../contract/opened-store.ts';
import { roundsOn } from '../contract/rounds.ts';

const keys = 5;
const sources = 3;

/** One thing that happens; `source` is a place at which one message at a time is being taken in. */
type Step =
  | {
      readonly kind: 'begin';
      readonly source: number;
      readonly feed: 'main' | 'other';
      readonly sequence: number | null;
    }
  | { readonly kind: 'apply'; readonly source: number; readonly entries: readonly Said[] }
  | { readonly kind: 'finish' | 'cut'; readonly source: number }
  | { readonly kind: 'client'; readonly said: Said }
  | { readonly kind: 'replay'; readonly message: number; readonly force: boolean }
  | { readonly kind: 'retention' };

/** A record and what is said of it: a version, null to withdraw it, or something that is refused. */
interface Said {
  readonly key: number;
  readonly version: number | null | 'refused';
}

const said = fc.record({
  key: fc.nat({ max: keys - 1 }),
  version: fc.oneof(fc.nat({ max: 2 }), fc.constantFrom(null, 'refused' as const)),
});
const source = fc.nat({ max: sources - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('begin' as const),
      source,
      feed: fc.constantFrom('main' as const, 'other' as const),
      sequence: fc.option(fc.integer({ min: 1, max: 6 })),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('apply' as const),
      source,
      entries: fc.array(said, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('finish' as const, 'cut' as const), source }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('client' as const),
      said: said.filter(({ version }) => version !== 'refused'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('replay' as const), message: fc.nat({ max: 7 }), force: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'retention' as const }) },
);

/** A message that comes after one with a higher number. */
const lateMessage: readonly Step[] = [2, 1].flatMap((sequence): readonly Step[] => [
  { kind: 'begin', source: sequence, feed: 'main', sequence },
  { kind: 'apply', source: sequence, entries: [{ key: 0, version: sequence }] },
]);

/** The refused line of a late message is replayed: it is as late as before. */
const lateReplayed: readonly Step[] = [
  { kind: 'begin', source: 2, feed: 'main', sequence: 2 },
  { kind: 'apply', source: 2, entries: [{ key: 0, version: 2 }] },
  { kind: 'begin', source: 1, feed: 'main', sequence: 1 },
  { kind: 'apply', source: 1, entries: [{ key: 0, version: 1 }] },
  { kind: 'finish', source: 1 },
  { kind: 'replay', message: 0, force: false },
];

/** A batch that says a record as it is stored, and then otherwise: the last line is the one that wrote it. */
const saidAgainAndChanged: readonly Step[] = [
  { kind: 'begin', source: 0, feed: 'main', sequence: 1 },
  { kind: 'apply', source: 0, entries: [{ key: 0, version: 1 }] },
  {
    kind: 'apply',
    source: 0,
    entries: [
      { key: 0, version: 1 },
      { key: 0, version: 0 },
    ],
  },
];

/** What a message withdraws before it has come does not come, nor what it withdraws a second time. */
const lateAfterWithdrawal: readonly Step[] = [
  { kind: 'begin', source: 0, feed: 'main', sequence: 2 },
  { kind: 'apply', source: 0, entries: [{ key: 0, version: 0 }] },
  { kind: 'begin', source: 1, feed: 'main', sequence: 3 },
  { kind: 'apply', source: 1, entries: [{ key: 0, version: null }] },
  { kind: 'begin', source: 2, feed: 'main', sequence: 6 },
  {
    kind: 'apply',
    source: 2,
    entries: [
      { key: 0, version: null },
      { key: 1, version: null },
    ],
  },
  ...[0, 1, 2].map((source): Step => ({ kind: 'finish', source })),
  { kind: 'begin', source: 0, feed: 'main', sequence: 5 },
  {
    kind: 'apply',
    source: 0,
    entries: [
      { key: 0, version: 1 },
      { key: 1, version: 1 },
      { key: 1, version: null },
      { key: 2, version: 1 },
    ],
  },
  { kind: 'begin', source: 1, feed: 'other', sequence: 5 },
  { kind: 'apply', source: 1, entries: [{ key: 1, version: 1 }] },
];

/** Numbers before the first that came are not missing, but may come. */
const lateBeforeFirst: readonly Step[] = [
  ...([3, 4] as const).flatMap((sequence): readonly Step[] => [
    { kind: 'begin', source: 0, feed: 'main', sequence },
    { kind: 'apply', source: 0, entries: [{ key: sequence, version: sequence === 3 ? 0 : null }] },
    { kind: 'finish', source: 0 },
  ]),
  { kind: 'begin', source: 0, feed: 'main', sequence: 1 },
  { kind: 'apply', source: 0, entries: [{ key: 4, version: 1 }] },
];

/** The number of a message says who has the last word also when the rest of it has had its time. */
const lateAfterRetention: readonly Step[] = [
  { kind: 'begin', source: 0, feed: 'main', sequence: 2 },
  { kind: 'apply', source: 0, entries: [{ key: 0, version: 0 }] },
  { kind: 'begin', source: 2, feed: 'main', sequence: 1 },
  { kind: 'retention' },
  { kind: 'apply', source: 2, entries: [{ key: 0, version: 1 }] },
];

for (const engine of enginesAboveStorage) {
  describe(`feeds in any order of steps on ${engine.name}`, { skip: engine.skip }, () => interleavingTests(engine));
}

function interleavingTests(engineUnderTest: EngineUnderTest): void {
  let store: Store;
  let codes = 0;
  storeOfSuite(engineUnderTest, (opened) => {
    ({ store } = opened);
  });

  it('add up, keep what was accepted last, and are followed by a cursor', { timeout: 900_000 }, async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        codes += 1;
        const activity = codes.toString(36).toUpperCase().padStart(3, '0');
        await store.activities.add(activity, 'Acme');
        const world = createWarehouse(store, activity);
        for (const each of steps) {
          await world.take(each);
          await world.check();
        }
        refused += world.olderCount();
      }),
      {
        numRuns: roundsOn(engineUnderTest, 300, 100),
        examples: [
          lateMessage,
          lateReplayed,
          saidAgainAndChanged,
          lateAfterWithdrawal,
          lateBeforeFirst,
          lateAfterRetention,
        ].map((each) => [[...each]]),
      },
    );
    assert.ok(refused > 0, 'some records were older than what was stored');
  });
}

/** What is stored of a key, as the rules say. */
interface Expected {
  /** Null: withdrawn. */
  version: number | null;
  /** Number of the message that wrote it, or said it again; null: a client. */
  writer: number | null;
  line: number | null;
}

interface Message {
  readonly held: HeldMessage;
  readonly feed: string;
  readonly sequence: number | null;
  next: number;
}

function createWarehouse(store: Store, activity: string) {
  const expected = new Map<number, Expected>();
  const running = new Map<number, Message>();
  const sequences = new Map<number, { readonly feed: string; readonly sequence: number | null }>();
  /** Feed and key → the message with a number that withdrew what was not there. */
  const notes = new Map<string, number>();
  const client = createFollower(store, activity);
  let clock = 0;
  let olderSeen = 0;

  const begin = async (at: number, feed: string, sequence: number | null): Promise<void> => {
    if (running.has(at)) return;
    clock += 1;
    const begun = await store.feeds.begin(article, newMessage({ activity, feed, sequence, messageId: `m${clock}` }));
    assert.ok(begun.state === 'begun');
    sequences.set(begun.held.row().id, { feed, sequence });
    running.set(at, { held: begun.held, feed, sequence, next: 1 });
  };

  const isHigher = (writer: number | null, { feed, sequence }: Pick<Message, 'feed' | 'sequence'>): boolean => {
    const by = sequences.get(writer ?? -1);
    if (sequence === null || by === undefined || by.feed !== feed) return false;
    return by.sequence !== null && by.sequence > sequence;
  };
  /** The rule: of the same feed, a higher number has the last word. @returns what it says; null: there is none */
  const lastWord = (message: Pick<Message, 'feed' | 'sequence'>, { key }: Said): Pick<Expected, 'version'> | null => {
    const stored = expected.get(key);
    if (stored !== undefined && isHigher(stored.writer, message)) return stored;
    return isHigher(notes.get(`${message.feed} ${key}`) ?? null, message) ? { version: null } : null;
  };
  /** Unless both say the same. */
  const isOlder = (message: Pick<Message, 'feed' | 'sequence'>, said: Said): boolean => {
    const last = lastWord(message, said);
    return last !== null && last.version !== said.version;
  };

  const apply = async (message: Message, entries: readonly Said[]): Promise<void> => {
    const { held, sequence, feed } = message;
    const { id } = held.row();
    const numbered = entries.map((entry, index) => ({ ...entry, line: message.next + index }));
    message.next += entries.length;
    const right = numbered.filter(({ version }) => version !== 'refused');
    const wanted = right.filter((entry) => isOlder(message, entry));
    const overtaken = sequence !== null && (await mayBeOvertaken(store, activity, feed, sequence));
    const older = await held.apply({
      entries: right.map(entryOf(activity)),
      refused: numbered
        .filter(({ version }) => version === 'refused')
        .map(({ line }) => ({
          number: line,
          line,
          element: null,
          reasons: [],
          naturalKey: null,
          kind: 'record',
          text: '{}',
        })),
      ...{ again: 0, warned: 0 },
      reached: {
        lines: message.next - 1,
        skipped: 0,
        skippedBy: null,
        lineCounts: null,
        bytes: 0,
        digest: '',
        warnings: null,
      },
    });
    assert.deepEqual(
      older.map(({ line }) => line),
      wanted.map(({ line }) => line),
      'refused as older than stored',
    );
    olderSeen += older.length;
    for (const entry of right) {
      if (wanted.includes(entry)) continue;
      const { key, version, line } = entry;
      if (version === 'refused') continue;
      const isNew = lastWord(message, entry) === null;
      const isWithdrawn = (expected.get(key)?.version ?? null) === null;
      if (version === null && isWithdrawn && isNew && sequence !== null) notes.set(`${feed} ${key}`, id);
      write(expected, { key, version }, { writer: id, line, confirms: overtaken && isNew });
    }
  };

  const replay = async (index: number, force: boolean): Promise<void> => {
    const messages = (await rowsIn(store, feedMessageTable, { activity }, { by: ['id'] })).filter(
      ({ state }) => state !== 'open',
    );
    const message = messages[index % Math.max(1, messages.length)];
    if (message === undefined) return;
    const lines = await rowsIn(store, feedLineTable, { activity, message: message.id, state: 'refused' });
    const made = await replayLines({
      ...{ store, resource: article, activity, activityName: 'Acme', message, records: null, force },
      ...{ actor: 'test', turns: createFeedTurns(), gtinLengths: [13] },
      audit: () => ({
        ...{ actorKind: 'command', actor: 'test', subject: null, action: 'feed.replay', activityCodes: [activity] },
        ...{ target: null, operationId: null, outcome: 'accepted', address: null, details: {} },
      }),
    }).catch((error: unknown) => {
      assert.ok(error instanceof LinesSettled, String(error));
      return null;
    });
    assert.equal(made === null, lines.length === 0);
    if (made === null) return;
    assert.equal(made.read, lines.length);
    const first = { feed: message.feed, sequence: sequences.get(message.id)?.sequence ?? null };
    sequences.set(made.id, first);
    await adopt(made.id, force ? null : first);
  };

  /**
   * Whatever the replay could write is there with its number; the other rules of replays have tests of their own.
   * @param first the message in which its lines came; null: the replay was forced
   */
  const adopt = async (id: number, first: Pick<Message, 'feed' | 'sequence'> | null): Promise<void> => {
    for (const [key, { version, writer, line }] of await stored(store, activity)) {
      if (writer !== id) continue;
      assert.ok(first === null || !isOlder(first, { key, version }), `a replay wrote A${key}, which was newer`);
      expected.set(key, { version, writer, line });
    }
    for (const { feed, naturalKey, message } of await rowsIn(store, feedWithdrawalTable, { activity }))
      if (message === id) notes.set(`${feed} ${keyOf(naturalKey)}`, id);
  };

  const take = async (each: Step): Promise<void> => {
    switch (each.kind) {
      case 'begin':
        return begin(each.source, each.feed, each.sequence);
      case 'apply': {
        const message = running.get(each.source);
        return message === undefined ? undefined : apply(message, each.entries);
      }
      case 'finish':
      case 'cut': {
        const message = running.get(each.source);
        running.delete(each.source);
        if (message === undefined) return;
        const { lines, skipped, skippedBy, lineCounts, bytes, digest, warnings } = message.held.row();
        const reached = { lines, skipped, skippedBy, lineCounts, bytes, digest, warnings };
        if (each.kind === 'cut') return message.held.release('open');
        await message.held.finish({ state: 'done', reached });
        return;
      }
      case 'client': {
        const { key, version } = each.said;
        if (version === 'refused') return;
        await store.records.write(article, activity, [itemOf(activity, each.said)]);
        return write(expected, { key, version }, { writer: null, line: null, confirms: false });
      }
      case 'replay':
        return replay(each.message, each.force);
      case 'retention':
        // As if all of it had had its time: the last message of a feed stays, and an older one ends where it is open.
        await store.feedRemoval.removeOld(activity, Date.now() + 86_400_000);
        for (const [at, { held }] of running)
          if ((await store.feeds.message(activity, held.row().id))?.state !== 'open') running.delete(at);
        for (const [about, id] of notes)
          if ((await store.feeds.message(activity, id))?.countsOnly === true) notes.delete(about);
    }
  };

  const check = async (): Promise<void> => {
    const kept = Map.groupBy(await rowsIn(store, feedLineTable, { activity }), ({ message }) => message);
    for (const message of await rowsIn(store, feedMessageTable, { activity })) {
      const { id, read, added, changed, unchanged, refused, countsOnly } = message;
      assert.equal(read, added + changed + unchanged + refused, `message ${id}`);
      assert.equal(kept.get(id)?.length ?? 0, countsOnly ? 0 : refused, `message ${id}: what was refused is kept`);
    }
    assert.deepEqual(new Map([...(await stored(store, activity))].toSorted()), new Map([...expected].toSorted()));
    const noted = await rowsIn(store, feedWithdrawalTable, { activity });
    assert.deepEqual(
      new Map(
        noted.map(({ feed, naturalKey, message }) => [`${feed} ${keyOf(naturalKey)}`, message] as const).toSorted(),
      ),
      new Map([...notes].toSorted()),
      'noted as withdrawn',
    );
    const live = [...expected].flatMap(([key, { version }]) => (version === null ? [] : [[`A${key}`, `v${version}`]]));
    assert.deepEqual(await client.follow(), new Map(live.toSorted().map(([key = '', text = '']) => [key, text])));
  };

  return { take, check, olderCount: () => olderSeen };
}

interface Writer {
  readonly writer: number | null;
  readonly line: number | null;
  /** The same again counts as written by who said it. */
  readonly confirms: boolean;
}

function write(
  expected: Map<number, Expected>,
  { key, version }: { readonly key: number; readonly version: number | null },
  { writer, line, confirms }: Writer,
): void {
  const known = expected.get(key);
  if (version === null && (known === undefined || known.version === null)) return;
  if (known?.version === version) {
    if (confirms) expected.set(key, { version, writer, line });
    return;
  }
  expected.set(key, { version, writer, line });
}

/** What the table has: version, and the message and line of the last write. */
async function stored(store: Store, activity: string): Promise<ReadonlyMap<number, Expected>> {
  const rows = await store.engine.read(
    sql`select natural_key, withdrawn_at, feed_message, feed_line, body from article where owner = ${activity}`,
  );
  return new Map(
    rows.map(([key, withdrawnAt, message, line, body]) => {
      const { longArticleDescription: text } = JSON.parse(String(body));
      const number = (value: unknown): number | null => (value === null ? null : Number(value));
      return [
        keyOf(String(key)),
        {
          version: withdrawnAt === null ? Number(String(text).slice(1)) : null,
          writer: number(message),
          line: number(line),
        },
      ];
    }),
  );
}

function keyOf(naturalKey: string): number {
  return Number(JSON.parse(naturalKey)[0].slice(1));
}

async function mayBeOvertaken(store: Store, activity: string, feed: string, sequence: number): Promise<boolean> {
  const known = (await store.feeds.list([activity])).find((each) => each.feed === feed);
  if (known === undefined || known.lastSequence === null) return true;
  return known.lastSequence < sequence - 1 || known.missing.some(([from]) => from < sequence);
}

/** A client that holds the list and follows its changes. */
function createFollower(
  store: Store,
  activity: string,
): { readonly follow: () => Promise<ReadonlyMap<string, string>> } {
  const held = new Map<string, string>();
  let cursor: string | null = null;
  const follow = async (): Promise<ReadonlyMap<string, string>> => {
    for (;;) {
      const asked: ListRequest = {
        ...{ resource: article, endpoint: 'test', activities: [activity], fixed: [], now: Date.now() },
        query: cursor === null ? [['limit', '2']] : [['cursor', cursor]],
        ...{ secret: 'secret', history: store.history },
      };
      const planned = planList(asked);
      const revision = await store.lists.revision(article, [activity]);
      const page = await store.lists.page(planned.plan, revision, { client: 'test' });
      const records: readonly Record<string, string>[] = JSON.parse(page.bytes.toString());
      // One that was withdrawn comes emptied.
      for (const { articleReference = '', longArticleDescription = '' } of records)
        if (longArticleDescription === '') held.delete(articleReference);
        else held.set(articleReference, longArticleDescription);
      cursor = nextCursor(planned, page.next, page.walkStarts);
      if (!page.more) return new Map([...held].toSorted());
    }
  };
  return { follow };
}

const checkArticle = createChecker(article);
const readWithdrawal = withdrawalReader(article);

function itemOf(activity: string, { key, version }: Said): Incoming {
  const context = { activity, activityName: 'Acme' };
  if (version === null) {
    const read = readWithdrawal({ articleReference: `A${key}` }, context);
    assert.ok(read.ok);
    return read.withdrawal;
  }
  const checked = checkArticle(recordOf(key, version), context);
  assert.ok(checked.ok);
  const record: IncomingRecord = checked.record;
  return record;
}

function recordOf(key: number, version: unknown): object {
  return { articleReference: `A${key}`, longArticleDescription: `v${version}`, shortArticleDescription: 's' };
}

function entryOf(activity: string): (entry: Said & { readonly line: number }) => FeedEntry {
  return (entry) => ({
    number: entry.line,
    element: null,
    text: JSON.stringify(
      entry.version === null ? { withdraw: { articleReference: `A${entry.key}` } } : recordOf(entry.key, entry.version),
    ),
    item: { ...itemOf(activity, entry), line: entry.line },
  });
}

function newMessage(given: Pick<NewMessage, 'activity' | 'feed' | 'sequence' | 'messageId'>): NewMessage {
  return {
    ...{ channel: 'http', source: null, requestKey: null, mapping: null, replayOf: null, actor: 'test' },
    ...given,
  };
}
