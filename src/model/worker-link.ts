// What one of several worker processes of a server shares with the others: turns, counts, and news.
import type { FairQueue, QueueLimits } from './fair-queue.ts';
import type { Quotas } from './quota.ts';

/** A queue in which those of all workers stand. `counts` are those of this worker. */
export type TurnQueue = Pick<FairQueue, 'enter' | 'isAwaited' | 'counts' | 'close'>;

/** Metrics of one process, as the library gives them as JSON. */
export type ReportedMetrics = readonly unknown[];

/** One worker's connection to the others. */
export interface WorkerLink {
  /** From 1. */
  readonly number: number;
  readonly count: number;
  /** It is in charge of background work. */
  readonly isLead: boolean;
  /** The port that all workers share. */
  readonly port: number;
  /** One queue for all workers, by its name; each name has one set of limits. */
  readonly queue: (name: string, limits: QueueLimits) => TurnQueue;
  /** Counts of all workers, in memory: what is not worth a write to storage. */
  readonly quotas: Quotas;
  /**
   * Tells the other workers that a grant has ended, or lost a token. Resolves when all of them know, or after some
   * seconds; never rejects.
   */
  readonly tellGrantChanged: (grantId: string) => Promise<void>;
  readonly onGrantChanged: (hear: (grantId: string) => void) => void;
  /** Says how this worker's metrics are read, for whichever worker is asked. */
  readonly reportMetrics: (report: () => Promise<ReportedMetrics>) => void;
  /** The metrics of all workers, this one included, and of those that have ended. */
  readonly collectMetrics: () => Promise<readonly ReportedMetrics[]>;
}
