// Fills storage with the demonstration warehouse, by the way that every other file takes, and opens an account at the
// sandbox carrier.
import { setImmediate as pause } from 'node:timers/promises';
import { importRecords } from '../feeds/import.ts';
import { resources } from '../resources/index.ts';
import { type DemoActivity, demoActivities, playHistory } from './demo.ts';
import { demoSender } from './parcel-label.ts';
import { storeLabels } from './parcel-labels.ts';
import { createWorld } from './world.ts';
import type { RejectedLines } from '../feeds/rejected-file.ts';
import type { Store } from '../store/store.ts';
import type { PlainRecord } from './demo.ts';

/**
 * Adds the demonstration activities and their records. The same instant gives the same records, so that a run after one
 * that was interrupted adds what is missing and changes nothing else; it would undo changes that were made to them
 * since.
 * @param instant milliseconds; what the records are dated from
 * @param onProgress told what is being done, several times a second; what it throws ends the work
 */
export async function seedDemo(
  store: Store,
  instant: number,
  onProgress: (step: string) => void = () => undefined,
): Promise<void> {
  for (const activity of demoActivities) {
    onProgress(`${activity.name}, making up its records`);
    await store.activities.add(activity.code, activity.name);
    await addAccount(store, activity, instant);
    const history = playHistory(createWorld(instant, [activity]), instant).get(activity.code);
    for (const resource of resources) {
      const step = `${activity.name}, ${resource.name}`;
      await importRecords({
        store,
        resource,
        activity: activity.code,
        activityName: activity.name,
        channel: 'demo',
        source: { kind: 'stream', bytes: lines(history?.records.get(resource.name) ?? []) },
        rejected: unexpected,
        onProgress: ({ read }) => onProgress(`${step}: ${read}`),
      });
    }
    await storeLabels(store, activity.code, history?.labels ?? [], (stored) =>
      onProgress(`${activity.name}, labels: ${stored}`),
    );
  }
  await store.optimize();
}

async function addAccount(store: Store, activity: DemoActivity, now: number): Promise<void> {
  await store.carrierAccounts.put(
    {
      activity: activity.code,
      context: activity.code.toLowerCase(),
      carrier: 'sandbox',
      settings: { companyPrefix: activity.labelPrefix },
      secrets: null,
      sender: { ...demoSender, expAddr1: activity.name },
      dailyLimit: null,
    },
    now,
  );
}

/** Newline-delimited JSON, some hundred kilobytes at a time. */
async function* lines(records: readonly PlainRecord[]): AsyncGenerator<Buffer> {
  let text = '';
  for (const record of records) {
    text += `${JSON.stringify(record)}\n`;
    if (text.length < 256 * 1024) continue;
    // Making and storing records never waits for anything outside: without a pause no signal would get through.
    await pause();
    yield Buffer.from(text);
    text = '';
  }
  yield Buffer.from(text);
}

/** Demonstration records are never refused: a refusal is a fault of this program. */
const unexpected: RejectedLines = {
  add: ({ line, text }, reasons) => {
    throw new Error(`Demonstration record ${line} is refused: ${JSON.stringify(reasons)} ${text ?? ''}`);
  },
  flush: async () => undefined,
  finish: async () => null,
  discard: async () => undefined,
};
