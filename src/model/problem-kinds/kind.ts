// One kind of error that can be reported to a client.

/**
 * One row of the catalogue. `title` is constant per slug (RFC 9457); `page` explains cause and remedy to an integrator.
 */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly page: string;
}
