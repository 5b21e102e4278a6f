// Delivers what the demonstration warehouse tells: records by the way that every feed takes, labels, and whether the
// carrier can be reached.
import { importRecords } from '../feeds/import.ts';
import type { RejectedLines } from '../feeds/rejected-file.ts';
import { resources } from '../resources/index.ts';
import type { Store } from '../store/store.ts';
import { demoActivities } from './activities.ts';
import { minuteMs } from './calendar.ts';
import type { DemoMessage, DemoFeedMessage } from './messages.ts';
import { storeLabels } from './parcel-labels.ts';
import { changeSandbox } from './sandbox-account.ts';
import { sendable } from './sendable.ts';

/** How long the sandbox carrier is away, by the clock on the wall. */
const carrierDownMs = 10 * minuteMs;

interface DeliveryOptions {
  readonly store: Store;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Is told of lines that were refused. */
  readonly onRefused: (message: DemoFeedMessage, refused: number) => void;
}

/** Delivers a message; the same one again changes nothing. */
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

async function deliverRecords({ store, onRefused }: DeliveryOptions, message: DemoFeedMessage): Promise<void> {
  const resource = resources.find(({ name }) => name === message.resource);
  const activity = demoActivities.find(({ code }) => code === message.activity);
  if (resource === undefined || activity === undefined) return;
  // An operator may have removed the activity: the other one lives on.
  if ((await store.activities.named([activity.code])).length === 0) return;
  const { refused } = await importRecords({
    store,
    resource,
    activity: activity.code,
    activityName: activity.name,
    source: { kind: 'stream', bytes: lines(message) },
    rejected: notKept,
    channel: 'demo',
    actor: 'demonstration',
    // The clock of the demonstration may be ahead.
    latestImage: message.at,
  });
  if (refused > 0) onRefused(message, refused);
}

async function* lines({ resource, records }: DemoFeedMessage): AsyncGenerator<Buffer> {
  yield Buffer.from(records.map((record) => `${JSON.stringify(sendable(resource, record))}\n`).join(''));
}

const notKept: RejectedLines = {
  add: () => undefined,
  flush: async () => undefined,
  finish: async () => null,
  discard: async () => undefined,
};
