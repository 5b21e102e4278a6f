// In charge of who comes next where few places serve many clients: turns go round the clients, not round their
// requests.

export interface QueueLimits {
  /** Pieces of work at a time, of all clients and of one. */
  readonly places: number;
  readonly maxPerClient: number;
  /** Those who wait, of all clients and of one. */
  readonly maxWaiting: number;
  readonly maxWaitingPerClient: number;
  /** Longest wait for a turn. */
  readonly maxWaitMs: number;
  /**
   * Longest wait once somebody has been waiting without a break for `maxWaitMs`: work that comes faster than it is done
   * is better refused soon. Absent: the same.
   */
  readonly maxStandingWaitMs?: number;
}

export interface FairQueue {
  /** A place for a client that need not wait for one, with what gives it back; null where it must. */
  enterAtOnce(client: string): (() => void) | null;
  /**
   * Waits for a turn. Who has just had one comes after all others; a full queue makes room for a client that has less
   * in it than another. Who would have to wait too long, by the pace of the last turns, is refused at once.
   * @param gone nobody waits for the turn any more
   * @param maxWaitMs less than the limit of the queue, where the work has waited before
   * @returns what gives the place back
   * @throws Refused
   */
  enter(client: string, gone?: AbortSignal, maxWaitMs?: number): Promise<() => void>;
  /**
   * Takes the last one out of the longest line, if that is longer than the line which one more of this client is to
   * join: it is refused by `client`.
   * @returns whether there is room now
   */
  makeRoom(client: string): boolean;
  counts(): { readonly running: number; readonly waiting: number };
  /** Refuses all who wait, and all who come. */
  close(): void;
}

/**
 * `client`: its own work fills the queue. `others`: that of others does. `gone`: it went away. `closed`: the queue was.
 */
export class Refused extends Error {
  readonly by: 'client' | 'others' | 'gone' | 'closed';
  /** It waited as long as it may, or would have to wait longer. */
  readonly isLate: boolean;

  constructor(by: Refused['by'], isLate = false) {
    super(`the queue has no place: ${by}`);
    this.by = by;
    this.isLate = isLate;
  }
}

/** A queue with places for work, and turns for those who wait. */
export function createFairQueue(limits: QueueLimits): FairQueue {
  /** Whose turn comes first stands first; a client is here while it has something running or waiting. */
  const lines = new Map<string, Line>();
  /** All who wait, those who came first in front. */
  const waiters = new Set<Waiter>();
  let running = 0;
  /** Since when somebody has been waiting at any time. */
  let waitingSince = 0;
  const pace = createPace();
  let isClosed = false;
  let timer: { readonly at: number; readonly handle: NodeJS.Timeout } | null = null;
  const toEnd = (line: Line): void => {
    lines.delete(line.client);
    if (line.running > 0 || line.waiting.length > 0) lines.set(line.client, line);
  };
  const begin = (line: Line): void => {
    running += 1;
    line.running += 1;
    toEnd(line);
  };
  const maxWaitNow = (now: number): number =>
    limits.maxStandingWaitMs !== undefined && waiters.size > 0 && now - waitingSince >= limits.maxWaitMs
      ? limits.maxStandingWaitMs
      : limits.maxWaitMs;
  const dropLate = (now: number): void => {
    const maxWaitMs = maxWaitNow(now);
    if (maxWaitMs === limits.maxWaitMs) return;
    for (const waiter of waiters) {
      if (waiter.since > now - maxWaitMs) return;
      drop(waiter, 'others', true);
    }
  };
  // One timer for all of them, since hardly any wait comes to its end: for the one that ends first.
  const watch = (until: number): void => {
    if (timer !== null) {
      if (timer.at <= until) return;
      clearTimeout(timer.handle);
    }
    timer = { at: until, handle: setTimeout(endWaits, Math.max(1, until - performance.now())).unref() };
  };
  const endWaits = (): void => {
    timer = null;
    const now = performance.now();
    let next = Number.POSITIVE_INFINITY;
    for (const waiter of waiters) {
      if (waiter.until <= now) drop(waiter, waiter.line.running > 0 ? 'client' : 'others', true);
      else next = Math.min(next, waiter.until);
    }
    if (next < Number.POSITIVE_INFINITY) watch(next);
  };
  const drop = (waiter: Waiter, by: Refused['by'], isLate = false): void => {
    const { line } = waiter;
    line.waiting.splice(line.waiting.lastIndexOf(waiter), 1);
    waiters.delete(waiter);
    if (line.running === 0 && line.waiting.length === 0) lines.delete(line.client);
    waiter.refuse(new Refused(by, isLate));
  };
  const fillPlaces = (): void => {
    if (waiters.size === 0 || running >= limits.places) return;
    const now = performance.now();
    dropLate(now);
    for (const line of lines.values()) {
      if (running >= limits.places) return;
      const next = line.running < limits.maxPerClient ? line.waiting.shift() : undefined;
      if (next === undefined) continue;
      waiters.delete(next);
      pace.turn(now, waitingSince);
      begin(line);
      next.begin();
    }
  };
  const placeOf = (line: Line): (() => void) => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      running -= 1;
      line.running -= 1;
      toEnd(line);
      fillPlaces();
    };
  };
  const lineOf = (client: string): Line => lines.get(client) ?? { client, running: 0, waiting: [] };
  const makeRoom = (client: string): boolean => {
    let longest: Line | undefined;
    for (const line of lines.values()) if (line.waiting.length > (longest?.waiting.length ?? 0)) longest = line;
    const last = longest?.waiting.at(-1);
    if (last === undefined || last.line.waiting.length <= lineOf(client).waiting.length + 1) return false;
    drop(last, 'client');
    return true;
  };
  /** The lines take turns, so a short one does not wait for all of a long one. */
  const waitsTooLong = (line: Line, maxWaitMs: number): boolean => {
    const turnsBefore = Math.min(waiters.size, line.waiting.length * lines.size);
    return turnsBefore * pace.turnEveryMs(waitingSince) > Math.min(maxWaitMs, maxWaitNow(performance.now()));
  };
  const wait = (line: Line, gone: AbortSignal | undefined, maxWaitMs: number): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const hangUp = (): void => drop(waiter, 'gone');
      const since = performance.now();
      const waiter: Waiter = {
        line,
        since,
        until: since + maxWaitMs,
        begin: () => {
          gone?.removeEventListener('abort', hangUp);
          resolve(placeOf(line));
        },
        refuse: (reason) => {
          gone?.removeEventListener('abort', hangUp);
          reject(reason);
        },
      };
      gone?.addEventListener('abort', hangUp);
      if (waiters.size === 0) waitingSince = since;
      line.waiting.push(waiter);
      waiters.add(waiter);
      lines.set(line.client, line);
      watch(waiter.until);
    });
  // Where a place is free for a client, none of its work waits for one.
  const enterAtOnce = (client: string): (() => void) | null => {
    if (isClosed || running >= limits.places) return null;
    const line = lineOf(client);
    if (line.running >= limits.maxPerClient) return null;
    begin(line);
    return placeOf(line);
  };
  return {
    enterAtOnce,
    enter: async (client, gone, maxWaitMs = limits.maxWaitMs) => {
      if (isClosed) throw new Refused('closed');
      if (gone?.aborted) throw new Refused('gone');
      const place = enterAtOnce(client);
      if (place !== null) return place;
      const line = lineOf(client);
      if (line.waiting.length >= limits.maxWaitingPerClient) throw new Refused('client');
      if (waitsTooLong(line, maxWaitMs)) throw new Refused(line.waiting.length > 0 ? 'client' : 'others', true);
      if (waiters.size >= limits.maxWaiting && !makeRoom(client)) throw new Refused('others');
      // A line that lost all it had was taken out.
      return wait(lineOf(client), gone, maxWaitMs);
    },
    makeRoom,
    counts: () => ({ running, waiting: waiters.size }),
    close: () => {
      isClosed = true;
      for (const waiter of waiters) drop(waiter, 'closed');
    },
  };
}

/**
 * How fast turns come while there are always some who wait. Counted over stretches, so that a moment in which the
 * process had no processor does not make it look slow.
 */
function createPace(): {
  readonly turn: (now: number, waitingSince: number) => void;
  /** Milliseconds from one turn to the next; 0 where that is not known yet. */
  readonly turnEveryMs: (waitingSince: number) => number;
} {
  let [start, turns, known] = [0, 0, 0];
  return {
    turn: (now, waitingSince) => {
      if (start < waitingSince) [start, turns, known] = [waitingSince, 0, 0];
      turns += 1;
      if (now - start >= paceStretch.ms && turns >= paceStretch.turns)
        [start, turns, known] = [now, 0, (now - start) / turns];
    },
    turnEveryMs: (waitingSince) => (start < waitingSince ? 0 : known),
  };
}

const paceStretch = { ms: 1000, turns: 16 } as const;

interface Waiter {
  readonly line: Line;
  readonly since: number;
  readonly until: number;
  readonly begin: () => void;
  readonly refuse: (reason: Refused) => void;
}

/** One client in the queue. */
interface Line {
  readonly client: string;
  running: number;
  readonly waiting: Waiter[];
}
