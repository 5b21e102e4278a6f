// A request as it ended, for whoever keeps an account of them.

/** A request of somebody who is known. */
export interface EndedRequest {
  readonly requestId: string;
  readonly clientId: string;
  /** User on whose behalf a client asked, or name of a key; null: there is none. */
  readonly subject: string | null;
  readonly method: string;
  /** Path and query as they came. */
  readonly target: string;
  /** Pattern of the route; null: the path is unknown. */
  readonly route: string | null;
  /** 499: the client closed the connection before there was an answer. */
  readonly status: number;
  /** Slug and sentences of the problem that was answered; null: none. */
  readonly problem: string | null;
  readonly detail: string | null;
  readonly milliseconds: number;
  /** Length of the answer. */
  readonly bytes: number;
}
