// Delivers records of the demonstration by the same path as every feed (decision 49), as numbered messages.
import { setTimeout as wait } from 'node:timers/promises';
import type { FeedTurns } from '../feeds/feed-turns.ts';
import { MessageInterrupted, MessageRunning, type Received, receiveMessage } from '../feeds/receive.ts';
import { resources } from '../resources/index.ts';
import type { Store } from '../store/store.ts';
import type { DemoActivity } from './activities.ts';
import type { PlainRecord } from './catalogue.ts';
import { recordReading } from './record-reading.ts';

/** Records sent as one message. */
interface NumberedRecords {
  readonly activity: DemoActivity;
  /** Name of the resource. */
  readonly resource: string;
  readonly records: readonly PlainRecord[];
  /** Number of the message in its feed. */
  readonly sequence: number;
  /** Prefix of its id, unique among the demonstrations of this database. */
  readonly series: string;
  /** Milliseconds; no stock image is later. */
  readonly latestImage: number;
}

interface FeedDelivery {
  readonly store: Store;
  readonly turns: FeedTurns;
  /** Receives the number of records read; if it throws, the work ends. */
  readonly onProgress?: (read: number) => void;
}

/** Prefix of the message ids of a demonstration. @param filledAt milliseconds */
export function messageSeries(filledAt: number): string {
  return Math.floor(filledAt / 1000).toString(36);
}

/**
 * Delivers a message. A repeated one is recorded as a duplicate and changes nothing; an interrupted one is resumed.
 * @throws MessageDiffers if an earlier message has its id and other content
 */
export async function deliverNumbered(delivery: FeedDelivery, records: NumberedRecords): Promise<Received> {
  const resource = resources.find(({ name }) => name === records.resource);
  if (resource === undefined) throw new Error(`the demonstration has ${records.resource}, which are no resource`);
  const { store, turns, onProgress } = delivery;
  const { activity, sequence, series, latestImage } = records;
  const messageId = `${series}-${resource.name}-${String(sequence).padStart(6, '0')}`;
  for (;;) {
    try {
      return await receiveMessage({
        ...{ store, resource, turns, latestImage },
        activity: activity.code,
        activityName: activity.name,
        message: {
          ...{ feed: 'main', channel: 'demo', actor: 'demonstration', source: null },
          ...{ messageId, sequence, requestKey: null, mapping: null, replayOf: null },
        },
        source: { read: () => recordReading(records.resource, records.records) },
        onProgress: ({ read }) => onProgress?.(read),
      });
    } catch (error) {
      if (error instanceof MessageInterrupted) throw error.cause;
      // The lease of a killed process ends by itself.
      if (!(error instanceof MessageRunning)) throw error;
      await wait(Math.min(1000, error.endsInMs + 1));
    }
  }
}
