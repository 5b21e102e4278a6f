// What workers and their supervisor tell each other.
import type { QueueLimits, Refused } from '../model/fair-queue.ts';
import type { QuotaRequest, QuotaShare, UnusedShare } from '../model/quota.ts';
import type { ConnectionRefusal, ReportedMetrics } from '../model/worker-link.ts';

/** What a worker is to be, said once. */
export interface WorkerPlace {
  /** From 1; who is started in the place of another has its number. */
  readonly number: number;
  readonly count: number;
  /** In charge of background work. */
  readonly isLead: boolean;
  /** It is the first of this server, and tells the operator what is there to be told at the start. */
  readonly isFirst: boolean;
  readonly port: number;
  /** The settings as the supervisor found them: those of a worker that starts later are the same. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly settingsFile: string | null;
  /** Whether standard error, which goes through the supervisor, ends at a terminal. */
  readonly isTerminal: boolean;
}

/** `id` names a question of one worker, and what answers it. */
export type FromWorker =
  /** It listens for what it is told from now on. */
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
  /** It waits no longer, or gives its place back. */
  | { readonly tell: 'leave'; readonly id: number }
  | { readonly tell: 'quota'; readonly id: number; readonly request: QuotaRequest }
  | { readonly tell: 'unused'; readonly unused: readonly UnusedShare[] }
  /** Answered when every other worker knows. */
  | { readonly tell: 'grant changed'; readonly id: number; readonly grantId: string }
  /** It knows of the change that it was told under this id. */
  | { readonly tell: 'grant heard'; readonly id: number }
  | { readonly tell: 'collect'; readonly id: number }
  | { readonly tell: 'report'; readonly id: number; readonly metrics: ReportedMetrics }
  /** Connections that were handed to it, by the numbers of their messages. */
  | { readonly tell: 'connections ended'; readonly numbers: readonly number[] };

export type ToWorker =
  | { readonly tell: 'place'; readonly place: WorkerPlace }
  | { readonly tell: 'stop' }
  | { readonly tell: 'entered'; readonly id: number }
  | { readonly tell: 'refused'; readonly id: number; readonly by: Refused['by']; readonly isLate: boolean }
  /** Whether anybody waits in a queue in which this worker has a place. */
  | { readonly tell: 'awaited'; readonly queue: string; readonly is: boolean }
  | { readonly tell: 'share'; readonly id: number; readonly share: QuotaShare }
  /** Another worker says so. */
  | { readonly tell: 'grant changed'; readonly id: number; readonly grantId: string }
  /** All others know of the change that this one told under the id. */
  | { readonly tell: 'grant known'; readonly id: number }
  | { readonly tell: 'report'; readonly id: number }
  /** They were closed before they reached it. */
  | { readonly tell: 'connections refused'; readonly reason: ConnectionRefusal; readonly count: number }
  | { readonly tell: 'collected'; readonly id: number; readonly metrics: readonly ReportedMetrics[] };
