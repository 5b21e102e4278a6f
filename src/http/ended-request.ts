// A request that has ended, for those who record requests.

/** A request of a known caller. */
export interface EndedRequest {
  readonly requestId: string;
  readonly clientId: string;
  /** User on whose behalf a client called, or name of a key; null: none. */
  readonly subject: string | null;
  readonly method: string;
  /** Path and query as received. */
  readonly target: string;
  /** Pattern of the route; null: the path is unknown. */
  readonly route: string | null;
  /** 499: the client closed the connection before there was a response. */
  readonly status: number;
  /** Slug and sentences of the problem in the response; null: none. */
  readonly problem: string | null;
  readonly detail: string | null;
  readonly milliseconds: number;
  /** Length of the response. */
  readonly bytes: number;
}
