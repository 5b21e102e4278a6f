// Carries out advances of the demonstration's clock: one after another, step by step, and each once, whoever was killed
// at it. Where one ends is noted when it begins; what was delivered on the way is noted with every message.
import type { StoredDemoClock } from '../store/demonstration.ts';
import type { Store } from '../store/store.ts';
import { hourMs } from './calendar.ts';
import { clockAt, forwardClock, isAttended } from './clock.ts';
import { setSandboxClocks } from './sandbox-account.ts';
import type { World } from './world.ts';

/** After so much of the demonstration's time others come to their turn, and what came in from outside is taken. */
const stepMs = 6 * hourMs;

interface Advancing {
  readonly store: Pick<Store, 'demonstration' | 'carrierAccounts'>;
  readonly world: World;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Plays on and delivers, perhaps less far where it is ended. */
  readonly playTo: (until: number) => Promise<void>;
}

/**
 * Goes a step on with the oldest advance that is open. One whose step fails has failed; what was delivered stays.
 * @returns false: none is open
 */
export async function stepForward({ store, world, now, playTo }: Advancing): Promise<boolean> {
  const { advances } = store.demonstration;
  const advance = await advances.begin((clock) => clockAt(clock, now()));
  if (advance === null) return false;
  const { number, toClock } = advance;
  try {
    await playTo(Math.min(toClock, world.now() + stepMs));
    if (world.now() < toClock) return true;
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

/** The clock as it is where it was set forward; while that was done it may have run further by itself. */
function reached(
  clock: StoredDemoClock,
  toClock: number,
  now: number,
): Pick<StoredDemoClock, 'anchorAt' | 'anchorClock'> {
  const target = Math.max(toClock, clockAt(clock, now));
  return forwardClock(clock, { now, target, isRun: isAttended(clock, now) });
}
