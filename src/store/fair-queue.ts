// In charge of who comes next where few places serve many clients: turns go round the clients, not round their requests.

export interface QueueLimits {
  /** Pieces of work at a time, of all clients and of one. */
  readonly places: number;
  readonly maxPerClient: number;
  /** Those who wait, of all clients and of one. */
  readonly maxWaiting: number;
  readonly maxWaitingPerClient: number;
  /** Longest wait for a turn, milliseconds. */
  readonly maxWaitMs: number;
}

export interface FairQueue {
  /**
   * Waits for a turn. Who has just had one comes after all others; a full queue makes room for a client that has less in it
   * than another.
   * @param gone nobody waits for the turn any more
   * @returns what gives the place back
   * @throws Refused
   */
  enter(client: string, gone?: AbortSignal): Promise<() => void>;
  counts(): { readonly running: number; readonly waiting: number };
  /** Refuses all who wait, and all who come. */
  close(): void;
}

/** `client`: its own work fills the queue. `others`: that of others does. `gone`: it went away. `closed`: the queue was. */
export class Refused extends Error {
  readonly by: 'client' | 'others' | 'gone' | 'closed';

  constructor(by: Refused['by']) {
    super(`the queue has no place: ${by}`);
    this.by = by;
  }
}

/** A queue with places for work, and turns for those who wait. */
export function createFairQueue(limits: QueueLimits): FairQueue {
  /** Whose turn comes first stands first; a client is here while it has something running or waiting. */
  const lines = new Map<string, Line>();
  let running = 0;
  let waiting = 0;
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
  const fillPlaces = (): void => {
    for (const [client, line] of lines) {
      if (running >= limits.places) return;
      const next = line.running < limits.maxPerClient ? line.waiting.shift() : undefined;
      if (next === undefined) continue;
      waiting -= 1;
      begin(client, line);
      next.begin();
    }
  };
  const placeOf = (client: string, line: Line): () => void => {
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
  const drop = (client: string, line: Line, waiter: Waiter, by: Refused['by']): void => {
    line.waiting.splice(line.waiting.indexOf(waiter), 1);
    waiting -= 1;
    if (line.running === 0 && line.waiting.length === 0) lines.delete(client);
    waiter.refuse(new Refused(by));
  };
  /** Takes the last one out of the longest line, if that is longer than the line which one more is to join. */
  const makeRoom = (joined: Line): boolean => {
    const [longest] = [...lines].toSorted(([, a], [, b]) => b.waiting.length - a.waiting.length);
    const last = longest?.[1].waiting.at(-1);
    if (longest === undefined || last === undefined || longest[1].waiting.length <= joined.waiting.length + 1) return false;
    drop(...longest, last, 'client');
    return true;
  };
  const wait = (client: string, line: Line, gone: AbortSignal | undefined): Promise<void> => new Promise((resolve, reject) => {
    const hangUp = (): void => drop(client, line, waiter, 'gone');
    const late = setTimeout(() => drop(client, line, waiter, line.running > 0 ? 'client' : 'others'), limits.maxWaitMs).unref();
    const settled = (): void => {
      clearTimeout(late);
      gone?.removeEventListener('abort', hangUp);
    };
    const waiter: Waiter = {
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
    line.waiting.push(waiter);
    waiting += 1;
    lines.set(client, line);
  });
  return {
    enter: async (client, gone) => {
      if (isClosed) throw new Refused('closed');
      if (gone?.aborted) throw new Refused('gone');
      const line = lines.get(client) ?? { running: 0, waiting: [] };
      // Where a place is free for a client, none of its work waits for one.
      if (running < limits.places && line.running < limits.maxPerClient) begin(client, line);
      else {
        if (line.waiting.length >= limits.maxWaitingPerClient) throw new Refused('client');
        if (waiting >= limits.maxWaiting && !makeRoom(line)) throw new Refused('others');
        await wait(client, line, gone);
      }
      return placeOf(client, line);
    },
    counts: () => ({ running, waiting }),
    close: () => {
      isClosed = true;
      for (const [client, line] of [...lines]) for (const waiter of [...line.waiting]) drop(client, line, waiter, 'closed');
    },
  };
}

interface Waiter { readonly begin: () => void; readonly refuse: (reason: Refused) => void }

/** One client in the queue. */
interface Line { running: number; readonly waiting: Waiter[] }
