// Lists of administration that can be searched: read page by page; in a search read whole, once for all search terms,
// and shown page by page.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Paged, type PageOf, usePaged } from './paged.ts';
import { holds, useSearched } from './search-field.tsx';

interface SearchedList<Row> {
  /** Identifies the list and its parameters. */
  readonly key: readonly unknown[];
  readonly read: (after: string | undefined, signal: AbortSignal) => Promise<PageOf<Row>>;
  readonly readAll: (signal: AbortSignal) => Promise<readonly Row[]>;
  /** One of them has to contain the search term. */
  readonly textsOf: (row: Row) => readonly string[];
}

/** The most rows that are shown at once, before more are asked for. */
export const pageLength = 100;

/** The list; with a search term in the address, what fits it. */
export function useSearchedPages<Row>({ key, read, readAll, textsOf }: SearchedList<Row>): Paged<Row> {
  const searched = useSearched();
  const isSearch = searched !== '';
  const pages = usePaged(key, read, { isWanted: !isSearch });
  const all = useQuery({
    queryKey: ['platform', ...key, 'all'],
    queryFn: ({ signal }) => readAll(signal),
    placeholderData: keepPreviousData,
    enabled: isSearch,
  });
  const [shown, setShown] = useState({ searched, count: pageLength });
  if (!isSearch) return pages;
  const count = shown.searched === searched ? shown.count : pageLength;
  const fitting = (all.data ?? []).filter((row) => holds(searched, textsOf(row)));
  return {
    rows: fitting.slice(0, count),
    isPending: all.isPending,
    error: all.error,
    hasMore: fitting.length > count,
    isReadingMore: false,
    readMore: () => setShown({ searched, count: count + pageLength }),
    again: () => void all.refetch(),
  };
}
