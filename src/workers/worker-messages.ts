// The messages between workers and their supervisor.
import type { QueueLimits, Refused } from '../model/fair-queue.ts';
import type { QuotaRequest, QuotaShare, UnusedShare } from '../model/quota.ts';
import type { ConnectionRefusal, ReportedMetrics } from '../model/worker-link.ts';

/** The role of a worker, sent once. */
export interface WorkerPlace {
  /** From 1; a replacement gets the number of the worker that it replaces. */
  readonly number: number;
  readonly count: number;
  /** Runs the background work. */
  readonly isLead: boolean;
  /** It is the first of this server, and prints what the operator should see at the start. */
  readonly isFirst: boolean;
  readonly port: number;
  /** The settings as the supervisor read them, so that workers started later have the same ones. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly settingsFile: string | null;
  /** Whether standard error, which goes through the supervisor, is a terminal. */
  readonly isTerminal: boolean;
}

/** `id` identifies a request of one worker, and its answer. */
export type FromWorker =
  /** It is now listening for messages. */
  | { readonly tell: 'ready' }
  | { readonly tell: 'serving' }
  | {
      readonly tell: 'enter';
      readonly id: number;
      readonly queue: string;
      readonly limits: QueueLimits;
      readonly client: string;
      readonly maxWaitMs: number;
    }
  /** It no longer waits, or releases its place. */
  | { readonly tell: 'leave'; readonly id: number }
  | { readonly tell: 'quota'; readonly id: number; readonly request: QuotaRequest }
  | { readonly tell: 'unused'; readonly unused: readonly UnusedShare[] }
  /** Answered when every other worker knows. */
  | { readonly tell: 'grant changed'; readonly id: number; readonly grantId: string }
  /** It knows of the change sent with this id. */
  | { readonly tell: 'grant heard'; readonly id: number }
  /** Somebody reads at it; passed on to every other worker. */
  | { readonly tell: 'waiting' }
  | { readonly tell: 'collect'; readonly id: number }
  | { readonly tell: 'report'; readonly id: number; readonly metrics: ReportedMetrics }
  /** Connections that were handed to it, identified by their message numbers. */
  | { readonly tell: 'connections ended'; readonly numbers: readonly number[] };

export type ToWorker =
  | { readonly tell: 'place'; readonly place: WorkerPlace }
  | { readonly tell: 'stop' }
  | { readonly tell: 'entered'; readonly id: number }
  | { readonly tell: 'refused'; readonly id: number; readonly by: Refused['by']; readonly isLate: boolean }
  /** Whether anybody waits in a queue in which this worker has a place. */
  | { readonly tell: 'awaited'; readonly queue: string; readonly is: boolean }
  | { readonly tell: 'share'; readonly id: number; readonly share: QuotaShare }
  /** Reported by another worker. */
  | { readonly tell: 'grant changed'; readonly id: number; readonly grantId: string }
  /** All others know of the change that this worker reported with the id. */
  | { readonly tell: 'grant known'; readonly id: number }
  | { readonly tell: 'waiting' }
  | { readonly tell: 'report'; readonly id: number }
  /** They were closed before they reached the worker. */
  | { readonly tell: 'connections refused'; readonly reason: ConnectionRefusal; readonly count: number }
  /** It is to close one of its idle connections, of the first of this crowd who has one there. */
  | { readonly tell: 'make room'; readonly crowd: readonly string[] }
  | { readonly tell: 'collected'; readonly id: number; readonly metrics: readonly ReportedMetrics[] };
