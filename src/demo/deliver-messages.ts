// Delivers the messages of the demonstration warehouse: messages of feeds, labels, and outages of the carrier.
import type { FeedTurns } from '../feeds/feed-turns.ts';
import { MessageDiffers } from '../feeds/receive.ts';
import type { Store } from '../store/store.ts';
import { demoActivities } from './activities.ts';
import { minuteMs } from './calendar.ts';
import { deliverNumbered } from './feed-delivery.ts';
import type { DemoFeedMessage, DemoMessage } from './messages.ts';
import { storeLabels } from './parcel-labels.ts';
import { changeSandbox } from './sandbox-account.ts';

/** How long the sandbox carrier is unreachable, in real time. */
const carrierDownMs = 10 * minuteMs;

interface DeliveryOptions {
  readonly store: Store;
  readonly turns: FeedTurns;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Prefix of the message ids. */
  readonly series: string;
  /** Called for a message that was refused in part or as a whole. */
  readonly onRefused: (message: DemoFeedMessage, refused: number) => void;
}

/** Delivers a message; delivering it again changes nothing. */
export async function deliver(options: DeliveryOptions, message: DemoMessage): Promise<void> {
  const { store, now } = options;
  switch (message.kind) {
    case 'labels':
      await storeLabels(store, message.activity, message.labels);
      break;
    case 'carrier-down':
      await changeSandbox(store, message.activity, { downUntil: String(now() + carrierDownMs) }, now());
      break;
    case 'feed':
      await deliverRecords(options, message);
  }
}

async function deliverRecords(options: DeliveryOptions, message: DemoFeedMessage): Promise<void> {
  const { store, series, onRefused } = options;
  const activity = demoActivities.find(({ code }) => code === message.activity);
  // An operator may have removed the activity; the other one continues.
  if (activity === undefined || (await store.activities.named([activity.code])).length === 0) return;
  // The clock of the demonstration may be ahead.
  const records = { ...message, activity, series, latestImage: message.at };
  try {
    const { tally } = await deliverNumbered(options, records);
    if (tally !== null && tally.refused > 0) onRefused(message, tally.refused);
  } catch (error) {
    // Another version of the program delivered it with other content.
    if (!(error instanceof MessageDiffers)) throw error;
    onRefused(message, message.records.length);
  }
}
