// Reads a list up to a number of pages, to bound the cost of a console page.
import type { List } from '../../../client/src/index.ts';

/** What was read, and where to continue. */
interface Walked<R> {
  readonly records: readonly R[];
  /** Address of the next page; null: that was all. */
  readonly next: string | null;
}

interface Bounds {
  /** Of 100 records. */
  readonly maxPages: number;
  readonly signal: AbortSignal;
  /** Called after each page. */
  readonly onProgress?: (records: number) => void;
}

/** @param from end of an earlier walk; null: the first page */
export async function walked<R, Q extends object>(
  list: Pick<List<R, Q>, 'page' | 'pageAt'>,
  query: Q,
  from: string | null,
  { maxPages, signal, onProgress = () => undefined }: Bounds,
): Promise<Walked<R>> {
  const records: R[] = [];
  let next = from;
  for (let pages = 0; pages < maxPages && (pages === 0 || next !== null); pages += 1) {
    const page = await (next === null
      ? list.page({ ...query, limit: 100 }, { signal })
      : list.pageAt(next, { signal }));
    records.push(...page.records);
    next = page.next;
    onProgress(records.length);
  }
  return { records, next };
}
