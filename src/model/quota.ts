// How the processes of one database share a quota: each takes part of what is left of a window and hands it out by
// itself.

/** A request for part of a quota. */
export interface QuotaRequest {
  /** Which limit. */
  readonly kind: string;
  /** Whose quota: that of a client, a key, an address. */
  readonly costKey: string;
  /** Requests per window, for all processes together. */
  readonly quota: number;
  /** Length of the window. */
  readonly windowMs: number;
  /** How many the process would like to hand out by itself. */
  readonly wanted: number;
}

/** The share that a process was granted. */
export interface QuotaShare {
  /** 0 when nothing is left. */
  readonly granted: number;
  /** Granted to all processes in this window so far, including this share. */
  readonly used: number;
  /** Identifies the window: the instant at which it ends, milliseconds by the clock of storage. */
  readonly windowEnd: number;
  /** From the request until the end of the window. */
  readonly endsInMs: number;
}

/** The part of a share that was not needed. */
export interface UnusedShare {
  readonly kind: string;
  readonly costKey: string;
  readonly windowEnd: number;
  readonly amount: number;
}

/** Where shares are taken from. */
export interface Quotas {
  /** Rejects when storage cannot be reached. The first share of a cost key begins the window for all processes. */
  take(request: QuotaRequest): Promise<QuotaShare>;
  /** Returns the rest of shares to the others; does nothing when their window is over. */
  giveBack(unused: readonly UnusedShare[]): Promise<void>;
}
