// Counts the requests of one limit: each process hands out its share of a quota from memory, and takes the next share
// before it is used up.
import type { Quotas, QuotaShare } from '../model/quota.ts';

/** The state after a request was counted. */
export interface Counted {
  readonly allowed: boolean;
  /** Requests left in the window: exact with a single process, otherwise as far as this process knows. */
  readonly left: number;
  /** Time until the window ends. */
  readonly endsInMs: number;
}

export interface RateBucket {
  /**
   * Counts one request for a key. Only the first of a window, and one that finds its share used up, waits for storage.
   */
  count(costKey: string): Counted | Promise<Counted>;
}

interface BucketOptions {
  readonly kind: string;
  /** Requests per window, at least 1. */
  readonly quota: number;
  readonly quotas: Quotas;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /**
   * A process hands out the first share of a window before it asks storage, and offsets it when it does: for keys that
   * anybody can make up in any number, each of which would otherwise cost a write.
   */
  readonly isFirstShareFree?: boolean;
}

const windowMs = 60_000;
/** The part of a quota that is taken at a time: a process that hangs withholds no more than that from the others. */
const shareOfQuota = 1 / 20;
/** The longest wait for storage; after that the process counts by itself, up to the whole quota. */
const timeoutMs = 1000;
/** Delay before storage is asked again, when it did not respond or had nothing left. */
const askAgainMs = 1000;
/** After this time without a request, the rest of a share is given back if others want it. */
const idleMs = 3000;
/**
 * The most keys counted at a time; beyond that, the one whose window began first is forgotten here, though not in
 * storage.
 */
const maxKept = 50_000;

/** A key's window as this process knows it. */
interface CostWindow {
  readonly costKey: string;
  /** By the clock of storage; null until it has responded. */
  windowEnd: number | null;
  /** By the local clock. */
  endsAt: number;
  /** What may be handed out without asking; negative: what was handed out without asking, to be offset later. */
  left: number;
  /** Granted to all processes, and to this one. */
  used: number;
  mine: number;
  /** Handed out by this process. */
  spent: number;
  lastAt: number;
  /** Storage is not asked again before this time, unless somebody waits for the first share. */
  askAt: number;
  asking: Promise<void> | null;
  /** Storage did not respond: the process counts by itself. */
  alone: boolean;
}

/** Makes the counter of one limit. */
export function createBucket({ kind, quota, quotas, now, isFirstShareFree = false }: BucketOptions): RateBucket {
  const costWindows = new Map<string, CostWindow>();
  const share = Math.max(1, Math.floor(quota * shareOfQuota));
  const free = isFirstShareFree ? Math.floor(quota * shareOfQuota) : 0;
  const returns = createReturns(kind, quotas, now);

  const ask = (costWindow: CostWindow): Promise<void> => {
    const since = now();
    costWindow.askAt = since + askAgainMs;
    costWindow.asking ??= quotas
      .take({ kind, costKey: costWindow.costKey, quota, windowMs, wanted: share + Math.max(0, -costWindow.left) })
      .then(
        (given) => enter(costWindow, given, since),
        () => {
          costWindow.alone = true;
        },
      )
      .finally(() => {
        costWindow.asking = null;
      });
    return costWindow.asking;
  };

  const spend = (costWindow: CostWindow): Counted => {
    costWindow.left -= 1;
    costWindow.spent += 1;
    costWindow.lastAt = now();
    if (
      costWindow.left <= share / 2 &&
      costWindow.spent >= free / 2 &&
      costWindow.asking === null &&
      costWindow.used < quota &&
      (!costWindow.alone || now() >= costWindow.askAt)
    )
      void ask(costWindow);
    if (costWindow.left > 0 && costWindow.used > costWindow.mine) returns.watch(costWindow);
    return stateOf(costWindow, true);
  };

  const stateOf = (costWindow: CostWindow, allowed: boolean): Counted => ({
    allowed,
    left: allowed ? Math.max(0, quota - costWindow.used + costWindow.left) : 0,
    endsInMs: Math.max(1, costWindow.endsAt - now()),
  });

  /** Null: storage has to be asked first. */
  const atOnce = (costWindow: CostWindow): Counted | null => {
    if (costWindow.left > 0 || costWindow.spent < free) return spend(costWindow);
    if (costWindow.alone) {
      if (now() >= costWindow.askAt && costWindow.asking === null) void ask(costWindow);
      return costWindow.spent < quota ? spend(costWindow) : stateOf(costWindow, false);
    }
    if (costWindow.windowEnd === null || costWindow.used < quota) return null;
    // Others may have given something back; a request that is refused meanwhile does not wait for it.
    if (costWindow.used > costWindow.mine && now() >= costWindow.askAt && costWindow.asking === null)
      void ask(costWindow);
    return stateOf(costWindow, false);
  };

  const countSlowly = async (costWindow: CostWindow): Promise<Counted> => {
    for (;;) {
      await within(costWindow.asking ?? ask(costWindow), timeoutMs, () => {
        costWindow.alone = true;
      });
      const counted = atOnce(costWindow);
      if (counted !== null) return counted;
    }
  };

  return {
    count: (costKey) => {
      const known = costWindows.get(costKey);
      const costWindow = known !== undefined && now() < known.endsAt ? known : open(costWindows, costKey, now());
      return atOnce(costWindow) ?? countSlowly(costWindow);
    },
  };
}

/** A window begins when storage says so; until then it is assumed to be a whole one. */
function open(costWindows: Map<string, CostWindow>, costKey: string, now: number): CostWindow {
  const costWindow: CostWindow = {
    costKey,
    windowEnd: null,
    endsAt: now + windowMs,
    left: 0,
    used: 0,
    mine: 0,
    spent: 0,
    lastAt: now,
    askAt: now,
    asking: null,
    alone: false,
  };
  costWindows.delete(costKey);
  costWindows.set(costKey, costWindow);
  // In order of their beginnings, so that expired ones come first.
  for (const [name, { endsAt }] of costWindows) {
    if (costWindows.size <= maxKept && endsAt > now) break;
    costWindows.delete(name);
  }
  return costWindow;
}

function enter(costWindow: CostWindow, { granted, used, windowEnd, endsInMs }: QuotaShare, since: number): void {
  if (costWindow.windowEnd !== windowEnd) {
    // What was granted in an expired window no longer counts; what was handed out without asking does.
    costWindow.left = Math.min(0, costWindow.left);
    costWindow.mine = 0;
    costWindow.windowEnd = windowEnd;
    costWindow.endsAt = since + endsInMs;
  }
  costWindow.left += granted;
  costWindow.mine += granted;
  costWindow.used = used;
  costWindow.alone = false;
}

/** Waits for a promise that never rejects, but not for ever. */
async function within(work: Promise<void>, milliseconds: number, late: () => void): Promise<void> {
  const timeout = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    late();
    timeout.resolve();
  }, milliseconds);
  await Promise.race([work, timeout.promise]);
  clearTimeout(timer);
}

/**
 * Gives back unused shares after a while, when other processes serve the same client; a process that is alone keeps
 * them.
 */
function createReturns(
  kind: string,
  quotas: Quotas,
  now: () => number,
): { readonly watch: (costWindow: CostWindow) => void } {
  const watched = new Set<CostWindow>();
  let timer: NodeJS.Timeout | null = null;
  const look = (): void => {
    const idle = [...watched].filter((costWindow) => now() - costWindow.lastAt >= idleMs || now() >= costWindow.endsAt);
    const unused = idle.flatMap((costWindow) => {
      watched.delete(costWindow);
      const { costKey, windowEnd, left: amount } = costWindow;
      if (amount <= 0 || windowEnd === null || now() >= costWindow.endsAt) return [];
      costWindow.left = 0;
      costWindow.mine -= amount;
      costWindow.used -= amount;
      return [{ kind, costKey, windowEnd, amount }];
    });
    // What cannot be given back now is forfeited: it would count twice if it arrived after all.
    if (unused.length > 0) quotas.giveBack(unused).catch(() => undefined);
    if (watched.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
  return {
    watch: (costWindow) => {
      watched.add(costWindow);
      timer ??= setInterval(look, 1000).unref();
    },
  };
}
