// Lists that are read page by page; each response says where the next one continues.
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';

export interface PageOf<Row> {
  readonly rows: readonly Row[];
  /** Null: there is no more. */
  readonly after: string | null;
}

/** The part of a list that has been read. */
export interface Paged<Row> {
  readonly rows: readonly Row[];
  readonly isPending: boolean;
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly isReadingMore: boolean;
  readonly readMore: () => void;
  readonly again: () => void;
}

interface PagedOptions {
  /** Interval for refetching; absent: when the user returns to it. */
  readonly everyMs?: number;
  /** False: nothing is read. */
  readonly isWanted?: boolean;
}

/** @param key identifies the list and its parameters */
export function usePaged<Row>(
  key: readonly unknown[],
  read: (after: string | undefined, signal: AbortSignal) => Promise<PageOf<Row>>,
  { everyMs, isWanted = true }: PagedOptions = {},
): Paged<Row> {
  const pages = useInfiniteQuery({
    queryKey: ['platform', ...key],
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ after }) => after ?? undefined,
    placeholderData: keepPreviousData,
    enabled: isWanted,
    ...(everyMs !== undefined && { refetchInterval: everyMs }),
  });
  return {
    rows: pages.data?.pages.flatMap(({ rows }) => rows) ?? [],
    isPending: pages.isPending,
    error: pages.error,
    hasMore: pages.hasNextPage,
    isReadingMore: pages.isFetchingNextPage,
    readMore: () => void pages.fetchNextPage(),
    again: () => void pages.refetch(),
  };
}
