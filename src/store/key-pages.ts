// What a page of a list is asked by that is sorted by a unique text, such as a login.

export interface PageQuery {
  /** The text after which to go on; null: from the first. */
  readonly after: string | null;
  /** Most entries. */
  readonly limit: number;
}
