// Reads a list up to a number of pages: what a page of the console may cost has a bound.
import type { List } from '../../../client/src/index.ts';

/** What was read, and whether that is all. */
export interface Walked<R> {
  readonly records: readonly R[];
  readonly isWhole: boolean;
}

/** @param maxPages of 100 records */
export async function walked<R, Q extends object>(
  list: Pick<List<R, Q>, 'page' | 'pageAt'>,
  query: Q,
  maxPages: number,
  signal: AbortSignal,
  onProgress: (records: number) => void = () => undefined,
): Promise<Walked<R>> {
  let page = await list.page({ ...query, limit: 100 }, { signal });
  const records = [...page.records];
  onProgress(records.length);
  for (let pages = 1; pages < maxPages && page.next !== null; pages += 1) {
    page = await list.pageAt(page.next, { signal });
    records.push(...page.records);
    onProgress(records.length);
  }
  return { records, isWhole: page.next === null };
}
