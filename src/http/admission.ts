// Decides when the work of a request may begin: turns go round the clients, and what would wait too long is turned
// away.
import { createFairQueue, type FairQueue, Refused } from '../model/fair-queue.ts';
import { Problem } from '../model/problem.ts';
import { Shed } from './shed.ts';

export interface AdmissionLimits {
  /** Reads at work at a time, of all clients and of one; half as many writes. */
  readonly running: number;
  readonly clientRunning: number;
  /** Requests at work or waiting, of all clients and of one. */
  readonly open: number;
  readonly clientOpen: number;
  /** Longest wait, milliseconds; a tenth of it once there has always been somebody waiting for so long. */
  readonly maxWaitMs: number;
}

export const defaultAdmission: AdmissionLimits = {
  running: 16,
  clientRunning: 4,
  open: 1000,
  clientOpen: 250,
  maxWaitMs: 10_000,
};

/**
 * What a request is to the others: a write keeps its place to its end, for other writes would only wait for it in the
 * database.
 */
type Work = 'read' | 'write';

/** The turn of one request. */
export interface Turn {
  /**
   * Waits for the turn; who has it already goes on.
   * @returns whether it had to wait
   * @throws Shed; Problem 503 where the client went away
   */
  readonly take: () => Promise<boolean>;
  /**
   * Waits until a body may be taken in: that work has turns too.
   * @returns what is to be called when it has arrived
   * @throws as `take`
   */
  readonly intake: () => Promise<() => void>;
  /** To be called once, when the request is answered, also where the turn was never taken. */
  readonly end: () => void;
}

export interface Admission {
  /**
   * @param who client or key
   * @param gone aborted when the client goes away
   */
  readonly turnOf: (work: Work, who: string, gone: () => AbortSignal) => Turn;
  readonly counts: () => { readonly running: number; readonly waiting: number };
}

export function createAdmission({ running, clientRunning, open, clientOpen, maxWaitMs }: AdmissionLimits): Admission {
  const lane = (share: number): FairQueue =>
    createFairQueue({
      places: Math.ceil(running * share),
      maxPerClient: Math.ceil(clientRunning * share),
      maxWaiting: open,
      maxWaitingPerClient: clientOpen,
      maxWaitMs,
      maxStandingWaitMs: maxWaitMs / 10,
    });
  const lanes: Readonly<Record<Work, FairQueue>> = { read: lane(1), write: lane(0.5) };
  const opened = new Map<string, number>();
  let total = 0;
  const count = (who: string, change: number): void => {
    total += change;
    const left = (opened.get(who) ?? 0) + change;
    if (left > 0) opened.set(who, left);
    else opened.delete(who);
  };
  const pace = createPace();
  const recent = recentWork();
  const giveUpLater = createExpiry(longestPlaceMs);
  const placeIn = async (work: Work, who: string, gone: () => AbortSignal): Promise<Place> => {
    const atOnce = lanes[work].enterAtOnce(who);
    const leave =
      atOnce ??
      (await lanes[work].enter(who, gone()).catch((error: unknown) => {
        throw error instanceof Refused ? refusal(error) : error;
      }));
    if (atOnce === null) await pace();
    // What a read still does after so long it does elsewhere: in the database, at a carrier, on the line.
    const keep = work === 'read' ? giveUpLater(leave) : null;
    const since = performance.now();
    return {
      waited: atOnce === null,
      leave: () => {
        keep?.();
        // Work in this thread is over as soon as it has begun: unless little was done, the place counts for the whole
        // round of the event loop.
        if (recent(since) < littleWork) leave();
        else setImmediate(leave);
      },
    };
  };
  const enter = (work: Work, who: string, gone: () => AbortSignal): Promise<Place> => {
    if ((opened.get(who) ?? 0) >= clientOpen) throw new Shed('client-waiting');
    if (total >= open) throw new Shed('process-waiting');
    count(who, 1);
    return placeIn(work, who, gone);
  };
  return {
    turnOf: (work, who, gone) => {
      let taken: Promise<Place> | null = null;
      return {
        take: async () => {
          if (taken !== null) return false;
          taken = enter(work, who, gone);
          return (await taken).waited;
        },
        intake: async () => (await placeIn('read', who, gone)).leave,
        end: () => {
          if (taken === null) return;
          count(who, -1);
          taken.then(
            ({ leave }) => leave(),
            () => {},
          );
        },
      };
    },
    counts: () => ({
      running: lanes.read.counts().running + lanes.write.counts().running,
      waiting: lanes.read.counts().waiting + lanes.write.counts().waiting,
    }),
  };
}

interface Place {
  readonly leave: () => void;
  readonly waited: boolean;
}

/** Milliseconds. */
const longestPlaceMs = 250;
const littleWork = 1;

/**
 * Does what is due some time after it was asked for, unless that is taken back: one timer for all, since each request
 * needs one and hardly any comes to its end.
 */
function createExpiry(afterMs: number): (expire: () => void) => () => void {
  const due = new Map<() => void, number>();
  let timer: NodeJS.Timeout | null = null;
  const look = (): void => {
    const now = performance.now();
    for (const [expire, at] of due) {
      if (at > now) break;
      due.delete(expire);
      expire();
    }
    if (due.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
  return (expire) => {
    due.set(expire, performance.now() + afterMs);
    timer ??= setInterval(look, afterMs / 4).unref();
    return () => due.delete(expire);
  };
}

/**
 * Adds up what was spent of the last few milliseconds. By the clock: to be told of each round, the event loop would
 * have to make one more.
 */
function recentWork(): (since: number) => number {
  let [start, spent] = [0, 0];
  return (since) => {
    const now = performance.now();
    if (now - start > 2 * littleWork) [start, spent] = [now, 0];
    spent += now - since;
    return spent;
  };
}

/** Gives each round of the event loop one piece of work, so that requests that come meanwhile are seen in between. */
function createPace(): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const next = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) setImmediate(next);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) setImmediate(next);
    });
}

function refusal({ by, isLate }: Refused): Problem {
  if (isLate) return new Shed('waited-too-long', 2);
  if (by === 'client') return new Shed('client-waiting');
  if (by === 'others') return new Shed('process-waiting');
  return new Problem(
    'unavailable',
    by === 'gone' ? 'The client closed the connection.' : 'The service is stopping.',
    {},
    { 'retry-after': '5' },
  );
}
