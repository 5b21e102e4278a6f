// What the processes of one database share of a quota: each takes a part of what is left of a window and gives it out
// by itself.

/** A request for a part of somebody's quota. */
export interface QuotaRequest {
  /** Which limit. */
  readonly kind: string;
  /** Whose: a client, a key, an address. */
  readonly costKey: string;
  /** Requests in a window, of all processes together. */
  readonly quota: number;
  /** Length of the window. */
  readonly windowMs: number;
  /** How many the process would like to give out by itself. */
  readonly wanted: number;
}

/** What a process was given. */
export interface QuotaShare {
  /** 0 where nothing is left. */
  readonly granted: number;
  /** Given to all processes in this window, what is granted now included. */
  readonly used: number;
  /** Names the window: the instant at which it ends, by the clock of storage, milliseconds. */
  readonly windowEnd: number;
  /** From the request until the window ends. */
  readonly endsInMs: number;
}

/** Part of a share that was not needed. */
export interface UnusedShare {
  readonly kind: string;
  readonly costKey: string;
  readonly windowEnd: number;
  readonly amount: number;
}

/** Where shares are taken from. */
export interface Quotas {
  /** Rejects where storage cannot be asked. The first share of somebody begins the window for all processes. */
  take(request: QuotaRequest): Promise<QuotaShare>;
  /** Lets others have what is left of shares; nothing happens where their window is over. */
  giveBack(unused: readonly UnusedShare[]): Promise<void>;
}
