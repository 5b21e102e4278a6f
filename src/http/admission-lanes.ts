// Counts the requests that are open, and has the places in which their work runs: what all requests share.
import { createFairQueue, type FairQueue } from '../model/fair-queue.ts';
import { createExpiry, createPace, createRecentWork, createRoundEnd } from './event-loop.ts';
import { Shed } from './load-shedding.ts';
import { createOpenCounts } from './open-counts.ts';
import { createOverloadBound } from './sustained-overload.ts';

export interface AdmissionLimits {
  /** Reads at work at a time, for all clients and for one; half as many short writes, and as many long ones. */
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

/** Receiving a body is work of its own, and costs the thread the time to copy it. */
export type Lane = 'read' | 'write' | 'longWrite' | 'intake';

/** Those in which requests are done. */
export const workLanes = ['read', 'write', 'longWrite'] as const satisfies readonly Lane[];

/** The place of a request while it is at work. */
export interface Place {
  readonly leave: () => void;
  /** Cancels the automatic release of the place. */
  readonly keep: (() => void) | null;
  readonly since: number;
}

/** State shared by all requests. */
export interface Lanes {
  readonly lanes: Readonly<Record<Lane, FairQueue>>;
  readonly refusalOf: (costKey: string) => Shed | null;
  readonly mayRefuse: () => boolean;
  readonly isCalm: (costKey: string) => boolean;
  /** Counts one more request at work or waiting. @throws Shed */
  readonly open: (costKey: string) => void;
  /** Counts one request less at work or waiting, which is still open. */
  readonly standAside: (costKey: string) => void;
  readonly close: (costKey: string, stoodAside: boolean) => void;
  /** @param expire called if the place is still held after the time that its lane allows */
  readonly placeOf: (lane: Lane, leave: () => void, expire: () => void) => Place;
  readonly leave: (place: Place) => void;
  /** To be awaited before beginning by a request that had to wait. */
  readonly pace: () => Promise<void>;
}

/** @param connections how many connections the server has accepted so far */
export function createLanes(
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
    longWrite: laneOf(Math.ceil(running / 2), Math.ceil(clientRunning / 2)),
    intake: laneOf(Math.ceil(running / 4), Math.ceil(clientRunning / 4)),
  };
  const openOf = createOpenCounts();
  /** Without those that stand aside. */
  const busyOf = createOpenCounts();
  let [total, busy] = [0, 0];
  const maxOverloadOpen = Math.min(open, Math.max(Math.ceil(open / 4), clientOpen));
  const leastOverloadOpen = Math.min(maxOverloadOpen, 4 * running);
  const overload = createOverloadBound({ most: maxOverloadOpen, least: leastOverloadOpen });
  const fewest = Math.min(clientOpen, leastOverloadOpen);
  const isFull = (): boolean => busy >= (overload.mostOpen(busy, busyOf.clients()) ?? open);
  // A read that takes longer than this is busy elsewhere: in the database, at a carrier, on the connection; a body that
  // has not arrived by then comes slowly.
  const expiries = { read: createExpiry(maxPlaceMs.read), intake: createExpiry(maxPlaceMs.intake) };
  const muchWasDone = createRecentWork();
  const atRoundEnd = createRoundEnd();
  const refusalOf = (costKey: string): Shed | null => {
    if (openOf.of(costKey) >= clientOpen) return tooMany.ofClient;
    return isFull() && busyOf.of(costKey) + 1 >= nearMost * busyOf.most() ? tooMany.ofAll : null;
  };
  return {
    lanes,
    refusalOf,
    mayRefuse: () => total >= fewest,
    isCalm: (costKey) => busy < Math.min(running, maxOverloadOpen / 2) && openOf.of(costKey) < clientOpen / 2,
    open: (costKey) => {
      const why = refusalOf(costKey);
      if (why !== null) throw why;
      if (isFull() && !workLanes.some((lane) => lanes[lane].makeRoom(costKey))) throw tooMany.ofAll;
      openOf.change(costKey, 1);
      overload.opened(busy);
      total += 1;
      busy += 1;
      busyOf.change(costKey, 1);
    },
    standAside: (costKey) => {
      busy -= 1;
      busyOf.change(costKey, -1);
    },
    close: (costKey, stoodAside) => {
      total -= 1;
      openOf.change(costKey, -1);
      if (stoodAside) return;
      busy -= 1;
      busyOf.change(costKey, -1);
      overload.ended();
    },
    placeOf: (lane, leave, expire) => ({
      leave,
      keep: lane === 'write' || lane === 'longWrite' ? null : expiries[lane](expire),
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
export const tooMany = {
  ofClient: new Shed('client-waiting'),
  ofAll: new Shed('process-waiting'),
  tooLate: new Shed('waited-too-long', 2),
} as const;
