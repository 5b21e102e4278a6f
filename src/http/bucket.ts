// Counts the requests of one limit: each process gives out its share of everybody's quota from memory, and takes the
// next one before it is used up.
import type { Quotas, QuotaShare } from '../model/quota.ts';

/** What is known after a request was counted. */
export interface Counted {
  readonly allowed: boolean;
  /** Requests that are left in the window: exact where one process runs, otherwise what this process knows of. */
  readonly left: number;
  /** Until the window ends. */
  readonly endsInMs: number;
}

export interface RateBucket {
  /**
   * Counts one request of somebody. Only the first one of a window, and one that comes when its share is used up, waits
   * for storage.
   */
  count(costKey: string): Counted | Promise<Counted>;
}

interface BucketOptions {
  readonly kind: string;
  /** Requests in a window, at least 1. */
  readonly quota: number;
  readonly quotas: Quotas;
  /** Milliseconds by a clock that is never set. */
  readonly now: () => number;
}

const windowMs = 60_000;
/** Part of a quota that is taken at a time: a process that stands still keeps no more than that from the others. */
const shareOfQuota = 1 / 20;
/** Longest wait for storage; then the process counts by itself, up to the whole quota. */
const patienceMs = 1000;
/** Before storage is asked again, where it did not answer or had nothing left. */
const askAgainMs = 1000;
/** After so long without a request, what is left of a share goes back where others want it. */
const idleMs = 3000;
/** Who is counted at a time; beyond, who began first is forgotten, here and not in storage. */
const maxKept = 50_000;

/** Somebody's window as this process knows it. */
interface Account {
  readonly costKey: string;
  /** By the clock of storage; null until it has answered. */
  windowEnd: number | null;
  /** By ours. */
  endsAt: number;
  /** What may be given out without asking; below 0: what was given out unasked, to be made up for. */
  left: number;
  /** Given to all processes, and to this one. */
  used: number;
  mine: number;
  /** Given out by this process. */
  spent: number;
  lastAt: number;
  /** Not before this is storage asked again, unless somebody waits for the first time. */
  askAt: number;
  asking: Promise<void> | null;
  /** Storage did not answer: the process counts by itself. */
  alone: boolean;
}

/** Makes the counter of one limit. */
export function createBucket({ kind, quota, quotas, now }: BucketOptions): RateBucket {
  const accounts = new Map<string, Account>();
  const share = Math.max(1, Math.floor(quota * shareOfQuota));
  const returns = createReturns(kind, quotas, now);

  const ask = (account: Account): Promise<void> => {
    const since = now();
    account.askAt = since + askAgainMs;
    account.asking ??= quotas
      .take({ kind, costKey: account.costKey, quota, windowMs, wanted: share + Math.max(0, -account.left) })
      .then(
        (given) => enter(account, given, since),
        () => {
          account.alone = true;
        },
      )
      .finally(() => {
        account.asking = null;
      });
    return account.asking;
  };

  const spend = (account: Account): Counted => {
    account.left -= 1;
    account.spent += 1;
    account.lastAt = now();
    if (
      account.left <= share / 2 &&
      account.asking === null &&
      account.used < quota &&
      (!account.alone || now() >= account.askAt)
    )
      void ask(account);
    if (account.left > 0 && account.used > account.mine) returns.watch(account);
    return stateOf(account, true);
  };

  const stateOf = (account: Account, allowed: boolean): Counted => ({
    allowed,
    left: allowed ? Math.max(0, quota - account.used + account.left) : 0,
    endsInMs: Math.max(1, account.endsAt - now()),
  });

  /** Null: storage has to be asked first. */
  const atOnce = (account: Account): Counted | null => {
    if (account.left > 0) return spend(account);
    if (account.alone) {
      if (now() >= account.askAt && account.asking === null) void ask(account);
      return account.spent < quota ? spend(account) : stateOf(account, false);
    }
    if (account.windowEnd === null || account.used < quota) return null;
    // Others may have given something back; whoever is refused meanwhile does not wait for it.
    if (account.used > account.mine && now() >= account.askAt && account.asking === null) void ask(account);
    return stateOf(account, false);
  };

  const countSlowly = async (account: Account): Promise<Counted> => {
    for (;;) {
      await within(account.asking ?? ask(account), patienceMs, () => {
        account.alone = true;
      });
      const counted = atOnce(account);
      if (counted !== null) return counted;
    }
  };

  return {
    count: (costKey) => {
      const known = accounts.get(costKey);
      const account = known !== undefined && now() < known.endsAt ? known : open(accounts, costKey, now());
      return atOnce(account) ?? countSlowly(account);
    },
  };
}

/** A window begins when storage says so; until then it has the length of one. */
function open(accounts: Map<string, Account>, costKey: string, now: number): Account {
  const account: Account = {
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
  accounts.delete(costKey);
  accounts.set(costKey, account);
  // Those in front began first, so that what is over is found there.
  for (const [name, { endsAt }] of accounts) {
    if (accounts.size <= maxKept && endsAt > now) break;
    accounts.delete(name);
  }
  return account;
}

function enter(account: Account, { granted, used, windowEnd, endsInMs }: QuotaShare, since: number): void {
  if (account.windowEnd !== windowEnd) {
    // What was given of a window that is over counts no longer; what was given out unasked does.
    account.left = Math.min(0, account.left);
    account.mine = 0;
    account.windowEnd = windowEnd;
    account.endsAt = since + endsInMs;
  }
  account.left += granted;
  account.mine += granted;
  account.used = used;
  account.alone = false;
}

/** Waits for something that never fails, but not for ever. */
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
 * Gives back what nobody has asked for in a while, where other processes serve the same client; a process that is alone
 * keeps it.
 */
function createReturns(
  kind: string,
  quotas: Quotas,
  now: () => number,
): { readonly watch: (account: Account) => void } {
  const watched = new Set<Account>();
  let timer: NodeJS.Timeout | null = null;
  const look = (): void => {
    const idle = [...watched].filter((account) => now() - account.lastAt >= idleMs || now() >= account.endsAt);
    const unused = idle.flatMap((account) => {
      watched.delete(account);
      const { costKey, windowEnd, left: amount } = account;
      if (amount <= 0 || windowEnd === null || now() >= account.endsAt) return [];
      account.left = 0;
      account.mine -= amount;
      account.used -= amount;
      return [{ kind, costKey, windowEnd, amount }];
    });
    // What cannot be given back now is given up: it would count twice if it arrived after all.
    if (unused.length > 0) quotas.giveBack(unused).catch(() => undefined);
    if (watched.size === 0 && timer !== null) {
      clearInterval(timer);
      timer = null;
    }
  };
  return {
    watch: (account) => {
      watched.add(account);
      timer ??= setInterval(look, 1000).unref();
    },
  };
}
