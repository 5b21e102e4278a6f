// A fair queue for a few places that serve many clients: turns go round the clients, not round their requests.
import { createArrivals } from './arrivals.ts';
import { createWaits, type Wait, type WaitLimits } from './queue-waits.ts';

export interface QueueLimits extends WaitLimits {
  /** Pieces of work that run at a time, for all clients together and for each one. */
  readonly places: number;
  readonly maxPerClient: number;
  /** Pieces of work that may wait, for all clients together and for each one. */
  readonly maxWaiting: number;
  readonly maxWaitingPerClient: number;
}

export interface FairQueue {
  /**
   * Takes a place for a client that need not wait and returns the function that frees it; null when the client has to
   * wait.
   */
  enterAtOnce(client: string): (() => void) | null;
  /**
   * Waits for a turn. A client that has just had one goes behind all others. A full queue makes room for a client that
   * has fewer waiting in it than another. Work that would have to wait too long, judged by the pace of recent turns, is
   * refused at once.
   * @param gone aborted when nobody waits for the turn any more
   * @param maxWaitMs below the limit of the queue, for work that has already waited elsewhere
   * @returns a function that frees the place
   * @throws Refused
   */
  enter(client: string, gone?: AbortSignal, maxWaitMs?: number): Promise<() => void>;
  /**
   * Removes the last entry of the longest line, provided that line is longer than the one this client is about to
   * extend. The removed entry is refused with `client`.
   * @returns whether there is room now
   */
  makeRoom(client: string): boolean;
  counts(): { readonly running: number; readonly waiting: number };
  /** Whether anything is waiting. */
  isAwaited(): boolean;
  /** Refuses everything that waits and everything that comes later. */
  close(): void;
}

/**
 * `client`: the client's own work fills the queue. `others`: that of other clients does. `gone`: the client went away.
 * `closed`: the queue was closed.
 */
export class Refused extends Error {
  readonly by: 'client' | 'others' | 'gone' | 'closed';
  /** It waited for as long as it may, or would have had to wait longer than that. */
  readonly isLate: boolean;

  constructor(by: Refused['by'], isLate = false) {
    super(`the queue has no place: ${by}`);
    this.by = by;
    this.isLate = isLate;
  }
}

/** One instance per reason, because creating an error costs more than sending the answer. */
const refusals = new Map<string, Refused>();

function refusedBy(by: Refused['by'], isLate = false): Refused {
  const reason = `${by} ${isLate}`;
  const known = refusals.get(reason) ?? new Refused(by, isLate);
  refusals.set(reason, known);
  return known;
}

/** A queue with places for running work and turns for waiting work. */
export function createFairQueue(limits: QueueLimits): FairQueue {
  /** The clients that have something running or waiting, and some that recently had. */
  const known = new Map<string, Line>();
  /** In order of turns; a client is in this list while it has something running or waiting. */
  const lines = createArrivals<Line>();
  let running = 0;
  let isClosed = false;
  const lineOf = (client: string): Line => {
    let line = known.get(client);
    if (line === undefined) {
      line = { client, running: 0, waiting: [], leave: null };
      known.set(client, line);
    }
    return line;
  };
  const leave = (line: Line): void => {
    line.leave?.();
    line.leave = null;
    if (known.size > maxKnown) known.delete(line.client);
  };
  const toEnd = (line: Line): void => {
    line.leave?.();
    if (line.running > 0 || line.waiting.length > 0) line.leave = lines.add(line);
    else leave(line);
  };
  const drop = (waiter: Waiter, by: Refused['by'], isLate = false): void => {
    const { line } = waiter;
    line.waiting.splice(line.waiting.lastIndexOf(waiter), 1);
    waits.remove(waiter);
    if (line.running === 0 && line.waiting.length === 0) leave(line);
    waiter.refuse(refusedBy(by, isLate));
  };
  const waits = createWaits<Waiter>(limits, (waiter, why) =>
    drop(waiter, why === 'over' && waiter.line.running > 0 ? 'client' : 'others', true),
  );
  const begin = (line: Line): (() => void) => {
    running += 1;
    line.running += 1;
    toEnd(line);
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
  const fillPlaces = (): void => {
    if (waits.count() === 0 || running >= limits.places) return;
    const now = performance.now();
    waits.endStanding(now);
    for (const line of lines.all()) {
      if (running >= limits.places) return;
      const next = line.running < limits.maxPerClient ? line.waiting.shift() : undefined;
      if (next === undefined) continue;
      waits.turn(next, now);
      next.begin(begin(line));
    }
  };
  const makeRoom = (client: string): boolean => {
    const last = longestOf(lines.all())?.waiting.at(-1);
    if (last === undefined || last.line.waiting.length <= lineOf(client).waiting.length + 1) return false;
    drop(last, 'client');
    return true;
  };
  const wait = (line: Line, gone: AbortSignal | undefined, maxWaitMs: number): Promise<() => void> =>
    new Promise((resolve, reject) => {
      const waiter = newWaiter(line, maxWaitMs, { resolve, reject, gone, hangUp: () => drop(waiter, 'gone') });
      line.waiting.push(waiter);
      line.leave ??= lines.add(line);
      waits.add(waiter);
    });
  // When a place is free for a client, none of its work is waiting for one.
  const enterAtOnce = (client: string): (() => void) | null => {
    if (isClosed || running >= limits.places) return null;
    const line = lineOf(client);
    return line.running >= limits.maxPerClient ? null : begin(line);
  };
  return {
    enterAtOnce,
    enter: async (client, gone, maxWaitMs = limits.maxWaitMs) => {
      if (isClosed) throw refusedBy('closed');
      if (gone?.aborted) throw refusedBy('gone');
      const place = enterAtOnce(client);
      if (place !== null) return place;
      const line = lineOf(client);
      if (line.waiting.length >= limits.maxWaitingPerClient) throw refusedBy('client');
      // The lines take turns, so a short line does not wait for the whole of a long one.
      const turnsBefore = Math.min(waits.count(), line.waiting.length * lines.count());
      if (waits.isTooLong(turnsBefore, maxWaitMs)) throw refusedBy(turnsBefore > 0 ? 'client' : 'others', true);
      if (waits.count() >= limits.maxWaiting && !makeRoom(client))
        // In a queue without waiting, a client is refused for its own work only when it has as many running as it may.
        throw refusedBy(limits.maxWaiting === 0 && line.running >= limits.maxPerClient ? 'client' : 'others');
      // A line that lost all its entries has been removed.
      return wait(lineOf(client), gone, maxWaitMs);
    },
    makeRoom,
    counts: () => ({ running, waiting: waits.count() }),
    isAwaited: () => waits.count() > 0,
    close: () => {
      isClosed = true;
      for (const waiter of waits.all()) drop(waiter, 'closed');
    },
  };
}

/** One client of the queue. */
interface Line {
  readonly client: string;
  running: number;
  readonly waiting: Waiter[];
  /** Removes the line from the order of turns; null: it is not in it. */
  leave: (() => void) | null;
}

/** How many idle clients are remembered, to avoid creating a map for each request. */
const maxKnown = 1000;

interface Waiter extends Wait {
  readonly line: Line;
  readonly begin: (giveBack: () => void) => void;
  readonly refuse: (reason: Refused) => void;
}

function longestOf(lines: Iterable<Line>): Line | undefined {
  let longest: Line | undefined;
  for (const line of lines) if (line.waiting.length > (longest?.waiting.length ?? 0)) longest = line;
  return longest;
}

interface Waiting {
  readonly resolve: (giveBack: () => void) => void;
  readonly reject: (reason: Refused) => void;
  readonly gone: AbortSignal | undefined;
  /** Called when the wait has ended. */
  readonly hangUp: () => void;
}

function newWaiter(line: Line, maxWaitMs: number, { resolve, reject, gone, hangUp }: Waiting): Waiter {
  const since = performance.now();
  gone?.addEventListener('abort', hangUp);
  return {
    line,
    since,
    until: since + maxWaitMs,
    leave: null,
    begin: (giveBack) => {
      gone?.removeEventListener('abort', hangUp);
      resolve(giveBack);
    },
    refuse: (reason) => {
      gone?.removeEventListener('abort', hangUp);
      reject(reason);
    },
  };
}
