// Gauges of feeds: when something last came, what is missing, what ended before its lines did, and what was refused and
// waits for correction.
import { Gauge, type Registry } from 'prom-client';
import { dayMs } from '../model/instant.ts';
import { textBlock } from '../model/text-block.ts';
import type { Feed, UnfinishedMessages } from '../store/feed-contract.ts';
import type { Store } from '../store/store.ts';

/** What the gauges show. */
interface FeedState {
  readonly feeds: readonly Feed[];
  readonly unfinished: readonly UnfinishedMessages[];
  /** Refused lines that wait for correction, by activity. */
  readonly refused: ReadonlyMap<string, number>;
}

/**
 * The most feeds of one activity whose last message has a series of its own: the names come from outside, and scrapers
 * keep each series for ever.
 */
const maxShown = 20;

/** Reads the state at an instant (milliseconds). @throws what storage throws */
export async function readFeedState(
  { feeds, feedLines }: Pick<Store, 'feeds' | 'feedLines'>,
  activities: readonly string[],
  now: number,
): Promise<FeedState> {
  return {
    feeds: await feeds.list(activities),
    unfinished: await feeds.unfinished(now - 7 * dayMs),
    refused: await feedLines.waiting(activities),
  };
}

/** The gauges of feeds, empty until they are set. */
export function feedGauges(registers: Registry[]): {
  readonly clear: () => void;
  readonly set: (state: FeedState) => void;
} {
  const perFeed = { labelNames: ['activity', 'resource', 'feed'] as const, registers };
  const perActivity = { labelNames: ['activity'] as const, registers };
  const received = new Gauge({
    name: 'logistics_feed_last_message_timestamp_seconds',
    help: `When the last message of a feed came; of the ${maxShown} feeds of an activity that sent something last.`,
    ...perFeed,
  });
  const count = new Gauge({
    name: 'logistics_feeds',
    help: 'Feeds of an activity; those that sent something last have series of their own.',
    ...perActivity,
  });
  const missing = new Gauge({
    name: 'logistics_feed_missing_messages',
    help: 'Sequence numbers of a feed that have not come; only of feeds whose messages are numbered.',
    ...perFeed,
  });
  const unfinished = new Gauge({
    name: 'logistics_feed_unfinished_messages',
    help: textBlock`
      Messages of a feed that ended before their lines did: open, waiting to be gone on with; or interrupted, of the
      last seven days.
    `,
    labelNames: ['activity', 'resource', 'feed', 'state'],
    registers,
  });
  const refused = new Gauge({
    name: 'logistics_feed_refused_lines',
    help: 'Lines of feeds that were refused and wait to be mended or dropped, 1000 for any more.',
    ...perActivity,
  });
  return {
    clear: () => {
      for (const gauge of [received, count, missing, unfinished, refused]) gauge.reset();
    },
    set: (state) => {
      for (const { activity, resource, feed, receivedAt } of shownFeeds(state.feeds))
        received.set({ activity, resource, feed }, receivedAt / 1000);
      for (const [activity, each] of Map.groupBy(state.feeds, (feed) => feed.activity))
        count.set({ activity }, each.length);
      for (const { activity, resource, feed, lastSequence, missing: ranges } of state.feeds)
        if (lastSequence !== null)
          missing.set(
            { activity, resource, feed },
            ranges.reduce((sum, [from, to]) => sum + to - from + 1, 0),
          );
      for (const { activity, resource, feed, state: ended, count: messages } of state.unfinished)
        unfinished.set({ activity, resource, feed, state: ended }, messages);
      for (const [activity, lines] of state.refused) refused.set({ activity }, lines);
    },
  };
}

/** The feeds of each activity that sent something most recently. */
function shownFeeds(feeds: readonly Feed[]): readonly Feed[] {
  return [...Map.groupBy(feeds, ({ activity }) => activity).values()].flatMap((each) =>
    each.toSorted((a, b) => b.receivedAt - a.receivedAt).slice(0, maxShown),
  );
}
