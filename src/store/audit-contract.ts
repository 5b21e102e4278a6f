// The audit trail as the rest of the program sees it: its entries and queries.
import type { Reader } from './engine.ts';

export interface NewAuditEntry {
  readonly actorKind: 'client' | 'platform-key' | 'command' | 'user';
  readonly actor: string;
  readonly subject: string | null;
  readonly action: string;
  readonly activityCodes: readonly string[];
  readonly target: string | null;
  readonly operationId: string | null;
  readonly outcome: 'accepted' | 'partly' | 'refused' | 'failed';
  readonly address: string | null;
  /** JSON value. */
  readonly details: unknown;
}

/**
 * The entry of what was done, made from its result and written in the same transaction; null: nothing was changed, and
 * there is none.
 */
export type EntryOf<T> = (done: T) => NewAuditEntry | null;

/** `at` in milliseconds. */
export interface AuditEntry extends NewAuditEntry {
  readonly id: string;
  readonly at: number;
}

/** An entry must match every condition given. */
export interface AuditQuery {
  readonly activityCodes: readonly string[] | null;
  readonly operationId: string | null;
  readonly action: string | null;
  readonly actor: string | null;
  /** Milliseconds. */
  readonly since: number | null;
  readonly until: number | null;
  /** Id of the entry after which to continue; nothing follows an unknown id. */
  readonly after: string | null;
  readonly newestFirst: boolean;
  readonly limit: number;
}

/** Who wrote what, when, from where, and with what outcome. */
export interface AuditTrail {
  append(entry: NewAuditEntry): Promise<void>;
  /**
   * Reads on behalf of a reader, by default the operator, in commit order: a reader that continues after its last entry
   * misses none, however long a writer took.
   */
  read(query: AuditQuery, reader?: Reader): Promise<readonly AuditEntry[]>;
  has(id: string): Promise<boolean>;
  /** Gives entries their place in the order, even if nobody reads. */
  number(): Promise<void>;
  /** Removes entries older than an instant (milliseconds). Returns how many. */
  removeBefore(before: number): Promise<number>;
}
