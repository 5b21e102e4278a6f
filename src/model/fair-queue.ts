// In charge of who comes next where few places serve many clients: turns go round the clients, not round their
// requests.

export interface QueueLimits {
  /** Pieces of work at a time, of all clients and of one. */
  readonly places: number;
  readonly maxPerClient: number;
  /** Those who wait, of all clients and of one. */
  readonly maxWaiting: number;
  readonly maxWaitingPerClient: number;
  /** Longest wait for a turn, milliseconds. */
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
   * in it than another.
   * @param gone nobody waits for the turn any more
   * @param maxWaitMs less than the limit of the queue, where the work has waited before
   * @returns what gives the place back
   * @throws Refused
   */
  enter(client: string, gone?: AbortSignal, maxWaitMs?: number): Promise<() => void>;
  counts(): { readonly running: number; readonly waiting: number };
  /** Refuses all who wait, and all who come. */
  close(): void;
}

/**
 * `client`: its own work fills the queue. `others`: that of others does. `gone`: it went away. `closed`: the queue was.
 */
export class Refused extends Error {
  readonly by: 'client' | 'others' | 'gone' | 'closed';
  /** It waited as long as it may. */
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
  let running = 0;
  let waiting = 0;
  /** Since when somebody has been waiting at any time. */
  let waitingSince = 0;
  let isClosed = false;
  const toEnd = (client: string, line: Line): void => {
    lines.delete(client);
    if (line.running > 0 || line.waiting.length > 0) lines.set(client, line);
  };
  const begin = (client: string, line: Line): void => {
    running += 1;
    line.running += 1;
    toEnd(client, line);
  };
  const dropLate = (): void => {
    const now = performance.now();
    if (limits.maxStandingWaitMs === undefined || waiting === 0 || now - waitingSince < limits.maxWaitMs) return;
    const since = now - limits.maxStandingWaitMs;
    for (const [client, line] of [...lines]) {
      for (let first = line.waiting[0]; first !== undefined && first.since < since; first = line.waiting[0])
        drop(client, line, first, 'others', true);
    }
  };
  const fillPlaces = (): void => {
    dropLate();
    for (const [client, line] of lines) {
      if (running >= limits.places) return;
      const next = line.running < limits.maxPerClient ? line.waiting.shift() : undefined;
      if (next === undefined) continue;
      waiting -= 1;
      begin(client, line);
      next.begin();
    }
  };
  const placeOf = (client: string, line: Line): (() => void) => {
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      running -= 1;
      line.running -= 1;
      toEnd(client, line);
      fillPlaces();
    };
  };
  const drop = (client: string, line: Line, waiter: Waiter, by: Refused['by'], isLate = false): void => {
    line.waiting.splice(line.waiting.indexOf(waiter), 1);
    waiting -= 1;
    if (line.running === 0 && line.waiting.length === 0) lines.delete(client);
    waiter.refuse(new Refused(by, isLate));
  };
  /** Takes the last one out of the longest line, if that is longer than the line which one more is to join. */
  const makeRoom = (joined: Line): boolean => {
    const [longest] = [...lines].toSorted(([, a], [, b]) => b.waiting.length - a.waiting.length);
    const last = longest?.[1].waiting.at(-1);
    if (longest === undefined || last === undefined || longest[1].waiting.length <= joined.waiting.length + 1)
      return false;
    drop(...longest, last, 'client');
    return true;
  };
  const wait = (client: string, line: Line, gone: AbortSignal | undefined, maxWaitMs: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const hangUp = (): void => drop(client, line, waiter, 'gone');
      const late = setTimeout(
        () => drop(client, line, waiter, line.running > 0 ? 'client' : 'others', true),
        maxWaitMs,
      ).unref();
      const settled = (): void => {
        clearTimeout(late);
        gone?.removeEventListener('abort', hangUp);
      };
      const waiter: Waiter = {
        since: performance.now(),
        begin: () => {
          settled();
          resolve();
        },
        refuse: (reason) => {
          settled();
          reject(reason);
        },
      };
      gone?.addEventListener('abort', hangUp);
      if (waiting === 0) waitingSince = waiter.since;
      line.waiting.push(waiter);
      waiting += 1;
      lines.set(client, line);
    });
  // Where a place is free for a client, none of its work waits for one.
  const enterAtOnce = (client: string): (() => void) | null => {
    const line = lines.get(client) ?? { running: 0, waiting: [] };
    if (isClosed || running >= limits.places || line.running >= limits.maxPerClient) return null;
    begin(client, line);
    return placeOf(client, line);
  };
  return {
    enterAtOnce,
    enter: async (client, gone, maxWaitMs = limits.maxWaitMs) => {
      if (isClosed) throw new Refused('closed');
      if (gone?.aborted) throw new Refused('gone');
      const place = enterAtOnce(client);
      if (place !== null) return place;
      const line = lines.get(client) ?? { running: 0, waiting: [] };
      if (line.waiting.length >= limits.maxWaitingPerClient) throw new Refused('client');
      if (waiting >= limits.maxWaiting && !makeRoom(line)) throw new Refused('others');
      await wait(client, line, gone, maxWaitMs);
      return placeOf(client, line);
    },
    counts: () => ({ running, waiting }),
    close: () => {
      isClosed = true;
      for (const [client, line] of [...lines])
        for (const waiter of [...line.waiting]) drop(client, line, waiter, 'closed');
    },
  };
}

interface Waiter {
  readonly since: number;
  readonly begin: () => void;
  readonly refuse: (reason: Refused) => void;
}

/** One client in the queue. */
interface Line {
  running: number;
  readonly waiting: Waiter[];
}
