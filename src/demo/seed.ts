// Fills storage with the demonstration warehouse, by the way that every other file takes, and opens an account at the
// sandbox carrier.
import { setImmediate as pause } from 'node:timers/promises';
import { importRecords } from '../feeds/import.ts';
import { resources } from '../resources/index.ts';
import { demoActivities, playHistory } from './demo.ts';
import { outboxEnds } from './outside-inputs.ts';
import { storeLabels } from './parcel-labels.ts';
import { openSandbox, setSandboxClocks } from './sandbox-account.ts';
import { createWorld, worldVersion } from './world.ts';
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
    await openSandbox(store, activity, instant);
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
  await setSandboxClocks(store, { at: instant, clock: instant, speed: 1 }, instant);
  await store.demonstration.begin({
    version: worldVersion,
    filledAt: instant,
    playedTo: instant,
    anchorAt: instant,
    anchorClock: instant,
    speed: 1,
    outbox: JSON.stringify(await outboxEnds(store)),
  });
  await store.optimize();
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
