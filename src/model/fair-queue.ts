// In charge of who comes next where few places serve many clients: turns go round the clients, not round their
// requests.
import { createArrivals } from './arrivals.ts';
import { createWaits, type Wait, type WaitLimits } from './queue-waits.ts';

export interface QueueLimits extends WaitLimits {
  /** Pieces of work at a time, of all clients and of one. */
  readonly places: number;
  readonly maxPerClient: number;
  /** Those who wait, of all clients and of one. */
  readonly maxWaiting: number;
  readonly maxWaitingPerClient: number;
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
  /** Whether anybody waits. */
  isAwaited(): boolean;
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

/** Made once for each reason: an error costs more to make than to answer. */
const refusals = new Map<string, Refused>();

function refusedBy(by: Refused['by'], isLate = false): Refused {
  const reason = `${by} ${isLate}`;
  const known = refusals.get(reason) ?? new Refused(by, isLate);
  refusals.set(reason, known);
  return known;
}

/** A queue with places for work, and turns for those who wait. */
export function createFairQueue(limits: QueueLimits): FairQueue {
  /** Those of clients that have something running or waiting, and of some that had. */
  const known = new Map<string, Line>();
  /** Whose turn comes first stands first; a client is here while it has something running or waiting. */
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
  // Where a place is free for a client, none of its work waits for one.
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
      // The lines take turns, so a short one does not wait for all of a long one.
      const turnsBefore = Math.min(waits.count(), line.waiting.length * lines.count());
      if (waits.isTooLong(turnsBefore, maxWaitMs)) throw refusedBy(turnsBefore > 0 ? 'client' : 'others', true);
      if (waits.count() >= limits.maxWaiting && !makeRoom(client))
        // Where nobody ever waits, a client may have all that it may have itself.
        throw refusedBy(limits.maxWaiting === 0 && line.running >= limits.maxPerClient ? 'client' : 'others');
      // A line that lost all it had was taken out.
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

/** One client in the queue. */
interface Line {
  readonly client: string;
  running: number;
  readonly waiting: Waiter[];
  /** Takes it out of the order of turns; null: it is not there. */
  leave: (() => void) | null;
}

/** So many clients are remembered while they have nothing to do: with each request, a map would be made anew. */
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
  /** Called when nobody waits any more. */
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
