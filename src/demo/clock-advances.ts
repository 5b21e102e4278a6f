// Carries out advances of the demonstration's clock: one after another, step by step, and each only once, even if a
// process is killed. The end of an advance is stored when it begins, and each delivered message is recorded.
import type { StoredDemoClock } from '../store/demonstration.ts';
import type { Store } from '../store/store.ts';
import { hourMs } from './calendar.ts';
import { clockAt, forwardClock, isAttended } from './clock.ts';
import { setSandboxClocks } from './sandbox-account.ts';
import type { Warehouse } from './warehouse.ts';

/** After this much of the demonstration's time, other work gets its turn and inputs from outside are taken. */
const stepMs = 6 * hourMs;

interface Advancing {
  readonly store: Pick<Store, 'demonstration' | 'carrierAccounts'>;
  readonly warehouse: Warehouse;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Plays on and delivers; may stop earlier if it is ended. */
  readonly playTo: (until: number) => Promise<void>;
}

/**
 * Advances the oldest open advance by one step. If the step fails, the advance has failed; what was delivered stays.
 * @returns false: none is open
 */
export async function stepForward({ store, warehouse, now, playTo }: Advancing): Promise<boolean> {
  const { advances } = store.demonstration;
  const advance = await advances.begin((clock) => clockAt(clock, now()));
  if (advance === null) return false;
  const { number, toClock } = advance;
  try {
    await playTo(Math.min(toClock, warehouse.now() + stepMs));
    if (warehouse.now() < toClock) return true;
    const clock = await store.demonstration.clock();
    if (clock !== null) await setSandboxClocks(store, { at: now(), clock: toClock, speed: clock.speed }, now());
    await advances.end(number, { state: 'done', endedAt: now(), failure: null }, (held) =>
      reached(held, toClock, now()),
    );
    return true;
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    await advances.end(number, { state: 'failed', endedAt: now(), failure }, null);
    throw error;
  }
}

/** The clock after being set forward; meanwhile it may have run further by itself. */
function reached(
  clock: StoredDemoClock,
  toClock: number,
  now: number,
): Pick<StoredDemoClock, 'anchorAt' | 'anchorClock'> {
  const target = Math.max(toClock, clockAt(clock, now));
  return forwardClock(clock, { now, target, isRun: isAttended(clock, now) });
}
