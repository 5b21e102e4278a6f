// Delivers records of the demonstration by the one path that every feed takes (decision 49), as numbered messages.
import { setTimeout as wait } from 'node:timers/promises';
import type { FeedTurns } from '../feeds/feed-turns.ts';
import { MessageInterrupted, MessageRunning, type Received, receiveMessage } from '../feeds/receive.ts';
import { resources } from '../resources/index.ts';
import type { Store } from '../store/store.ts';
import type { DemoActivity } from './activities.ts';
import type { PlainRecord } from './catalogue.ts';
import { recordReading } from './record-reading.ts';

/** Records that are sent as one message. */
interface NumberedRecords {
  readonly activity: DemoActivity;
  /** Name of the resource. */
  readonly resource: string;
  readonly records: readonly PlainRecord[];
  /** Number of the message in its feed. */
  readonly sequence: number;
  /** What its id begins with: no other demonstration of this database has it. */
  readonly series: string;
  /** Milliseconds; no stock image is later. */
  readonly latestImage: number;
}

interface FeedDelivery {
  readonly store: Store;
  readonly turns: FeedTurns;
  /** Is told how many records are read; what it throws ends the work. */
  readonly onProgress?: (read: number) => void;
}

/** What the ids of the messages of a demonstration begin with. @param filledAt milliseconds */
export function messageSeries(filledAt: number): string {
  return Math.floor(filledAt / 1000).toString(36);
}

/**
 * Delivers a message. The same one again is noted as a duplicate and changes nothing; one that was interrupted is gone
 * on with.
 * @throws MessageDiffers where a message of before has its id and says something else
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
      // What a process was at when it was killed ends by itself.
      if (!(error instanceof MessageRunning)) throw error;
      await wait(Math.min(1000, error.endsInMs + 1));
    }
  }
}
