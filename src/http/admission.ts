// Decides when the work of a request may begin: turns go round the clients, and requests that would wait too long are
// refused.
import { createFairQueue, type FairQueue, Refused } from '../model/fair-queue.ts';
import { Problem } from '../model/problem.ts';
import { createOpenCounts } from './open-counts.ts';
import { createExpiry, createPace, createRecentWork, createRoundEnd } from './event-loop.ts';
import { Shed } from './load-shedding.ts';
import { createOverloadBound } from './sustained-overload.ts';

export interface AdmissionLimits {
  /** Reads at work at a time, for all clients and for one; half as many writes. */
  readonly running: number;
  readonly clientRunning: number;
  /**
   * Requests at work or waiting, for all clients and for one. In a lasting overload, the total is limited to the number
   * that is done in a short time (`sustained-overload.ts`): at most a quarter, or as many as one client may have if
   * that is more.
   */
  readonly open: number;
  readonly clientOpen: number;
  /** The longest wait; a tenth of it once the queue has not been empty for that long. */
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
 * The kind of a request: a write keeps its place to its end, because other writes would only wait for it in the
 * database.
 */
type Work = 'read' | 'write';

/** The turn of one request. */
export interface Turn {
  /**
   * Waits for the turn; returns at once if it has already come.
   * @returns whether it had to wait
   * @throws Shed; Problem 503 when the client has gone away
   */
  readonly take: () => boolean | Promise<boolean>;
  /**
   * Waits until a body may be received, which is subject to turns as well.
   * @returns a function to call when it has arrived
   * @throws like `take`
   */
  readonly intake: () => Promise<() => void>;
  /** Must be called once, when the request is answered, even if the turn was never taken. */
  readonly end: () => void;
}

/**
 * A request that may have to wait. `gone` is aborted when its client goes away; it is read only if the request does
 * wait.
 */
interface Waiting {
  readonly gone: AbortSignal;
}

export interface Admission {
  /**
   * Why a request is not admitted at all: asked as soon as its client is known, before any work for it. If there are
   * too many requests in total, clients with fewer than others are still admitted.
   * @param costKey whom the request counts for: a person, client or key
   * @returns null if it is admitted
   */
  readonly refusalOf: (costKey: string) => Shed | null;
  /** False: so few requests are open that none is refused, whoever its client is. */
  readonly mayRefuse: () => boolean;
  /**
   * Whether the overload is over, so that requests that were held back can be served: fewer are open than there are
   * places for reads, so that nobody waits for one, and this client has less than half of its limit open.
   */
  readonly isCalm: (costKey: string) => boolean;
  readonly turnOf: (work: Work, costKey: string, waiting: Waiting) => Turn;
  readonly counts: () => { readonly running: number; readonly waiting: number };
}

/** @param connections how many connections the server has accepted so far */
export function createAdmission(limits: AdmissionLimits, connections: () => number = () => 0): Admission {
  const shared = createLanes(limits, connections);
  const { lanes } = shared;
  return {
    refusalOf: shared.refusalOf,
    mayRefuse: shared.mayRefuse,
    isCalm: shared.isCalm,
    turnOf: (work, costKey, waiting) => new RequestTurn(shared, work, costKey, waiting),
    counts: () => ({
      running: lanes.read.counts().running + lanes.write.counts().running,
      waiting: lanes.read.counts().waiting + lanes.write.counts().waiting,
    }),
  };
}

/** A class because one is created for every request: its members cost nothing until they are used. */
class RequestTurn implements Turn {
  readonly #lanes: Lanes;
  readonly #work: Work;
  readonly #costKey: string;
  readonly #waiting: Waiting;
  #state: 'new' | 'open' | 'over' = 'new';
  #place: Place | null = null;

  constructor(lanes: Lanes, work: Work, costKey: string, waiting: Waiting) {
    this.#lanes = lanes;
    this.#work = work;
    this.#costKey = costKey;
    this.#waiting = waiting;
  }

  take(): boolean | Promise<boolean> {
    if (this.#state !== 'new') return false;
    this.#lanes.open(this.#costKey);
    this.#state = 'open';
    const leave = this.#lanes.lanes[this.#work].enterAtOnce(this.#costKey);
    if (leave === null) return this.#wait();
    this.#place = this.#lanes.placeOf(this.#work, leave);
    return false;
  }

  async intake(): Promise<() => void> {
    const leave = await this.#enter('intake');
    const place = this.#lanes.placeOf('intake', leave);
    return () => this.#lanes.leave(place);
  }

  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'over';
    this.#lanes.close(this.#costKey);
    if (this.#place !== null) this.#lanes.leave(this.#place);
  }

  async #wait(): Promise<boolean> {
    const leave = await this.#enter(this.#work);
    await this.#lanes.pace();
    const place = this.#lanes.placeOf(this.#work, leave);
    if (this.#state === 'over') this.#lanes.leave(place);
    else this.#place = place;
    return true;
  }

  async #enter(lane: Lane): Promise<() => void> {
    const queue = this.#lanes.lanes[lane];
    try {
      return queue.enterAtOnce(this.#costKey) ?? (await queue.enter(this.#costKey, this.#waiting.gone));
    } catch (error) {
      throw error instanceof Refused ? refusal(error) : error;
    }
  }
}

/** Receiving a body is work of its own, and costs the thread the time to copy it. */
type Lane = Work | 'intake';

/** The place of a request while it is at work. */
interface Place {
  readonly leave: () => void;
  /** Cancels the automatic release of the place. */
  readonly keep: (() => void) | null;
  readonly since: number;
}

/** State shared by all requests. */
interface Lanes {
  readonly lanes: Readonly<Record<Lane, FairQueue>>;
  readonly refusalOf: (costKey: string) => Shed | null;
  readonly mayRefuse: () => boolean;
  readonly isCalm: (costKey: string) => boolean;
  /** Counts one more request at work or waiting. @throws Shed */
  readonly open: (costKey: string) => void;
  readonly close: (costKey: string) => void;
  readonly placeOf: (lane: Lane, leave: () => void) => Place;
  readonly leave: (place: Place) => void;
  /** To be awaited before beginning by a request that had to wait. */
  readonly pace: () => Promise<void>;
}

function createLanes(
  { running, clientRunning, open, clientOpen, maxWaitMs }: AdmissionLimits,
  connections: () => number,
): Lanes {
  const laneOf = (places: number, maxPerClient: number): FairQueue =>
    createFairQueue({
      places,
      maxPerClient,
      maxWaiting: open,
      maxWaitingPerClient: clientOpen,
      maxWaitMs,
      maxOverloadWaitMs: maxWaitMs / 10,
    });
  const lanes = {
    read: laneOf(running, clientRunning),
    write: laneOf(Math.ceil(running / 2), Math.ceil(clientRunning / 2)),
    intake: laneOf(Math.ceil(running / 4), Math.ceil(clientRunning / 4)),
  };
  const openOf = createOpenCounts();
  let total = 0;
  const maxOverloadOpen = Math.min(open, Math.max(Math.ceil(open / 4), clientOpen));
  const leastOverloadOpen = Math.min(maxOverloadOpen, 4 * running);
  const overload = createOverloadBound({ most: maxOverloadOpen, least: leastOverloadOpen });
  const fewest = Math.min(clientOpen, leastOverloadOpen);
  const isFull = (): boolean => total >= (overload.mostOpen(total, openOf.clients()) ?? open);
  // A read that takes longer than this is busy elsewhere: in the database, at a carrier, on the connection; a body that
  // has not arrived by then comes slowly.
  const expiries = { read: createExpiry(maxPlaceMs.read), intake: createExpiry(maxPlaceMs.intake) };
  const muchWasDone = createRecentWork();
  const atRoundEnd = createRoundEnd();
  const refusalOf = (costKey: string): Shed | null => {
    const own = openOf.of(costKey);
    if (own >= clientOpen) return tooMany.ofClient;
    return isFull() && own + 1 >= nearMost * openOf.most() ? tooMany.ofAll : null;
  };
  return {
    lanes,
    refusalOf,
    mayRefuse: () => total >= fewest,
    isCalm: (costKey) => total < Math.min(running, maxOverloadOpen / 2) && openOf.of(costKey) < clientOpen / 2,
    open: (costKey) => {
      const why = refusalOf(costKey);
      if (why !== null) throw why;
      if (isFull() && !lanes.read.makeRoom(costKey) && !lanes.write.makeRoom(costKey)) throw tooMany.ofAll;
      openOf.change(costKey, 1);
      overload.opened(total);
      total += 1;
    },
    close: (costKey) => {
      total -= 1;
      overload.ended();
      openOf.change(costKey, -1);
    },
    placeOf: (lane, leave) => ({
      leave,
      keep: lane === 'write' ? null : expiries[lane](leave),
      since: performance.now(),
    }),
    leave: ({ leave, keep, since }) => {
      keep?.();
      // Work in this thread is done as soon as it has begun: unless it was little, the place counts for the whole round
      // of the event loop.
      if (muchWasDone(since)) atRoundEnd(leave);
      else leave();
    },
    pace: createPace(connections),
  };
}

/**
 * A client with this share of the busiest client's requests is not admitted at that client's expense: among clients
 * with equal demand, chance decides which one has a few less, and the refused request had already cost something.
 */
const nearMost = 0.75;

const maxPlaceMs = { read: 250, intake: 25 } as const;

/** Created once: all are equal, and creating an error costs more than sending the answer. */
const tooMany = {
  ofClient: new Shed('client-waiting'),
  ofAll: new Shed('process-waiting'),
  tooLate: new Shed('waited-too-long', 2),
} as const;

function refusal({ by, isLate }: Refused): Problem {
  if (isLate) return tooMany.tooLate;
  if (by === 'client') return tooMany.ofClient;
  if (by === 'others') return tooMany.ofAll;
  return new Problem(
    'unavailable',
    by === 'gone' ? 'The client closed the connection.' : 'The service is stopping.',
    {},
    { 'retry-after': '5' },
  );
}
