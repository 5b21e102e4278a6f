// What the worker processes of one server share: turns, counts and notifications.
import type { Socket } from 'node:net';
import type { FairQueue, QueueLimits } from './fair-queue.ts';
import type { Quotas } from './quota.ts';

/** A queue shared by all workers. `counts` are those of this worker. */
export type TurnQueue = Pick<FairQueue, 'enter' | 'isAwaited' | 'counts' | 'close'>;

/** Metrics of one process, in the library's JSON form. */
export type ReportedMetrics = readonly unknown[];

/** Which bound a connection is beyond: that of all of a server, or of one address. */
export type ConnectionRefusal = 'connection' | 'address-connection';

/** Counts the connections of a server, which may be those of several workers. */
export interface ConnectionCount {
  /**
   * Counts one more, where there is room for it.
   * @param address empty where it cannot be known any more
   * @param makeRoom called where there is no room, but the newcomer has far fewer connections than others: has one of
   *   this crowd's closed, whoever has most first, and returns whether it is or will be; absent: no room can be made
   * @returns what is to be called once, when it has ended; else why there is no room
   */
  readonly open: (
    address: string,
    makeRoom?: (crowd: readonly string[]) => boolean,
  ) => ConnectionRefusal | (() => void);
}

/** The connections that a supervisor hands to a worker. */
export interface HandedOver {
  /** Has the supervisor hear when a connection has ended: to be called as soon as it is there. */
  readonly watch: (socket: Socket) => void;
  /** Hears how many connections the supervisor closed instead of handing them over, for the worker's metrics. */
  readonly onRefused: (hear: (reason: ConnectionRefusal, count: number) => void) => void;
  /** Hears when an idle connection of a crowd should be closed, to make room for one that may be another worker's. */
  readonly onCrowded: (hear: (crowd: readonly string[]) => void) => void;
}

/** One worker's connection to the others. */
export interface WorkerLink {
  /** From 1. */
  readonly number: number;
  readonly count: number;
  /** This worker does the background work. */
  readonly isLead: boolean;
  /** The port that all workers share. */
  readonly port: number;
  /** One queue for all workers, by name; each name has one set of limits. */
  readonly queue: (name: string, limits: QueueLimits) => TurnQueue;
  /** Counts of all workers, in memory: for what is not worth a write to storage. */
  readonly quotas: Quotas;
  /**
   * Tells the other workers that a grant has ended or lost a token. Resolves when all of them know, or after some
   * seconds; never rejects.
   */
  readonly tellGrantChanged: (grantId: string) => Promise<void>;
  readonly onGrantChanged: (hear: (grantId: string) => void) => void;
  /** Tells the other workers that somebody waits for a short request here. */
  readonly tellWaiting: () => void;
  readonly onWaiting: (hear: () => void) => void;
  /** Sets how this worker's metrics are read, whichever worker is asked for them. */
  readonly reportMetrics: (report: () => Promise<ReportedMetrics>) => void;
  /** The metrics of all workers, including this one and those that have ended. */
  readonly collectMetrics: () => Promise<readonly ReportedMetrics[]>;
  readonly connections: HandedOver;
}
