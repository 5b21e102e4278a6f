// Finds pick-up points at a carrier: sends simultaneous identical questions only once, and returns what label requests
// can hold.
import { requireSettings } from '../carriers/account-needs.ts';
import { isSupported } from '../carriers/desk.ts';
import type { CallCarrier } from '../carriers/host.ts';
import { type PickupPoint, type PointQuery, type PointTask, tidyPoints } from '../carriers/points.ts';
import { Problem } from '../model/problem.ts';
import type { AccountDependencies, OpenAccount } from './accounts.ts';
import { carrierProblem } from './carrier-problems.ts';

export interface PointDependencies extends Pick<AccountDependencies, 'onFault'> {
  readonly callCarrier: CallCarrier;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Looks for points. */
type FindPoints = (opened: OpenAccount, query: PointQuery, limit: number) => Promise<readonly PickupPoint[]>;

/** How long the answer to a question is reused: a shop page repeats it with every step of its buyer. */
const keptMs = 60_000;
const maxKept = 50;

interface Kept {
  readonly until: number;
  readonly points: Promise<readonly PickupPoint[]>;
}

/**
 * Makes the search. Answers are kept for a minute, failures are not.
 * @returns function that throws Problem `resource-not-found` when the carrier has no search, `validation-failed`,
 *   `carrier-rejected`, `carrier-unavailable`, `carrier-timeout`
 */
export function pointFinder(dependencies: PointDependencies): FindPoints {
  const kept = new Map<string, Kept>();
  return (opened, query, limit) => {
    const { id, activity } = opened.stored;
    const key = JSON.stringify([activity, id, opened.account.settings, query, limit]);
    const now = dependencies.now();
    const found = kept.get(key);
    if (found !== undefined && now < found.until) return found.points;
    const points = asked(dependencies, opened, { account: opened.account, query, limit, now });
    kept.delete(key);
    kept.set(key, { until: now + keptMs, points });
    for (const oldest of [...kept.keys()].slice(0, Math.max(0, kept.size - maxKept))) kept.delete(oldest);
    points.catch(() => {
      if (kept.get(key)?.points === points) kept.delete(key);
    });
    return points;
  };
}

async function asked(
  dependencies: PointDependencies,
  opened: OpenAccount,
  task: PointTask,
): Promise<readonly PickupPoint[]> {
  const { carrier, account } = opened;
  const { findPoints } = carrier.desk;
  if (!isSupported(findPoints)) throw new Problem('resource-not-found', findPoints.instead);
  try {
    requireSettings(carrier, account, 'labels');
    return tidyPoints(await dependencies.callCarrier(findPoints(task), carrier.origins(account)), task);
  } catch (error) {
    throw carrierProblem(error, opened, dependencies);
  }
}
