// The query for one page of a list sorted by a unique text, such as a login.

export interface PageQuery {
  /** The text after which to continue; null: from the first. */
  readonly after: string | null;
  /** Most entries. */
  readonly limit: number;
}
