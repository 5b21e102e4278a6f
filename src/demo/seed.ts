// Fills storage with the demonstration warehouse, by the same path as every other file, and opens an account at the
// sandbox carrier.
import { createFeedTurns } from '../feeds/feed-turns.ts';
import { resources } from '../resources/index.ts';
import { type DemoActivity, type DemoHistory, demoActivities, playHistory } from './demo.ts';
import { deliverNumbered, messageSeries } from './feed-delivery.ts';
import { outboxEnds } from './outside-inputs.ts';
import { storeLabels } from './parcel-labels.ts';
import { openSandbox, setSandboxClocks } from './sandbox-account.ts';
import { warehouseSummary } from './summary.ts';
import { createWarehouse, warehouseVersion } from './warehouse.ts';
import type { Store } from '../store/store.ts';

/**
 * Adds the demonstration activities and their records. The same instant gives the same records, so running again after
 * an interruption adds what is missing and changes nothing else; it would undo changes made to these records since.
 * @param instant milliseconds; the records are dated relative to it
 * @param onProgress receives the current step, several times a second; if it throws, the work ends
 */
export async function seedDemo(
  store: Store,
  instant: number,
  onProgress: (step: string) => void = () => undefined,
): Promise<void> {
  for (const activity of demoActivities) {
    await store.activities.add(activity.code, activity.name);
    await openSandbox(store, activity, instant);
  }
  // Both are played before anything is written, so that no write has to wait for it.
  const { histories, summary } = playBoth(instant, onProgress);
  // While storage writes records of one activity, those of the other are checked.
  const filled = await Promise.allSettled(histories.map((played) => fill({ store, instant, onProgress }, played)));
  for (const end of filled) if (end.status === 'rejected') throw end.reason;
  await setSandboxClocks(store, { at: instant, clock: instant, speed: 1 }, instant);
  await store.demonstration.begin({
    version: warehouseVersion,
    filledAt: instant,
    playedTo: instant,
    anchorAt: instant,
    anchorClock: instant,
    speed: 1,
    outbox: JSON.stringify(await outboxEnds(store)),
    summary,
  });
  await store.optimize();
}

/** Keeps nothing of the warehouses but what is written: they are large. */
function playBoth(
  instant: number,
  onProgress: (step: string) => void,
): { readonly histories: readonly Played[]; readonly summary: string } {
  const played = demoActivities.map((activity) => {
    onProgress(`${activity.name}, making up its records`);
    const warehouse = createWarehouse(instant, [activity]);
    return { activity, warehouse, history: playHistory(warehouse, instant).get(activity.code) };
  });
  return {
    histories: played.map(({ activity, history }) => ({ activity, history })),
    summary: warehouseSummary(...played.map(({ warehouse }) => warehouse)),
  };
}

interface Filling {
  readonly store: Store;
  readonly instant: number;
  readonly onProgress: (step: string) => void;
}

interface Played {
  readonly activity: DemoActivity;
  readonly history: DemoHistory | undefined;
}

/** Delivers the history of one activity. */
async function fill({ store, instant, onProgress }: Filling, { activity, history }: Played): Promise<void> {
  const turns = createFeedTurns();
  for (const { name: resource } of resources) {
    const records = history?.records.get(resource) ?? [];
    if (records.length === 0) continue;
    const sequence = history?.sequences.get(resource) ?? 0;
    const step = `${activity.name}, ${resource}`;
    const delivery = { store, turns, onProgress: (read: number) => onProgress(`${step}: ${read}`) };
    const message = { activity, resource, records, sequence, series: messageSeries(instant), latestImage: instant };
    const { tally } = await deliverNumbered(delivery, message);
    if (tally !== null && tally.refused > 0)
      throw new Error(`${tally.refused} records of the demonstration are refused: ${step}`);
  }
  await storeLabels(store, activity.code, history?.labels ?? [], (stored) =>
    onProgress(`${activity.name}, labels: ${stored}`),
  );
}
