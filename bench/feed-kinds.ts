// What part (i) feeds: the kind of records, how many, in which form, and through which channel.
import type { Multiplied } from './data.ts';
import type { LinesForm } from './order-lines.ts';

/** Through which channel; over HTTP compressed or not. */
type FeedChannel = 'http' | 'gzip' | 'zstd' | 'folder';

/** What is fed, through which channel, and how many. */
export type FeedKind = {
  readonly way: FeedChannel;
  /** Records, or lines of orders. */
  readonly quick: number;
  readonly full: number;
} & (
  | { readonly what: Multiplied }
  /** Lines of orders from which a mapping makes articles and orders. */
  | { readonly what: 'order lines'; readonly form: LinesForm }
);

export const feedKinds: readonly FeedKind[] = [
  { what: 'movements', way: 'http', quick: 40_000, full: 1_000_000 },
  { what: 'movements', way: 'gzip', quick: 20_000, full: 1_000_000 },
  { what: 'movements', way: 'zstd', quick: 20_000, full: 1_000_000 },
  { what: 'movements', way: 'folder', quick: 40_000, full: 1_000_000 },
  { what: 'orders', way: 'http', quick: 3_000, full: 200_000 },
  { what: 'order-reports', way: 'http', quick: 3_000, full: 200_000 },
  { what: 'procurements', way: 'http', quick: 3_000, full: 200_000 },
  { what: 'procurement-reports', way: 'http', quick: 3_000, full: 200_000 },
  { what: 'order lines', form: 'CSV', way: 'folder', quick: 60_000, full: 1_000_000 },
  { what: 'order lines', form: 'fixed width', way: 'folder', quick: 60_000, full: 1_000_000 },
  { what: 'order lines', form: 'JSON', way: 'folder', quick: 60_000, full: 1_000_000 },
  { what: 'articles', way: 'http', quick: 6_000, full: 200_000 },
  { what: 'stock', way: 'http', quick: 40_000, full: 1_000_000 },
];
