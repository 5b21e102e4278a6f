// What the worker processes of one server share: turns, counts and notifications.
import type { FairQueue, QueueLimits } from './fair-queue.ts';
import type { Quotas } from './quota.ts';

/** A queue shared by all workers. `counts` are those of this worker. */
export type TurnQueue = Pick<FairQueue, 'enter' | 'isAwaited' | 'counts' | 'close'>;

/** Metrics of one process, in the library's JSON form. */
export type ReportedMetrics = readonly unknown[];

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
  /** Sets how this worker's metrics are read, whichever worker is asked for them. */
  readonly reportMetrics: (report: () => Promise<ReportedMetrics>) => void;
  /** The metrics of all workers, including this one and those that have ended. */
  readonly collectMetrics: () => Promise<readonly ReportedMetrics[]>;
}
