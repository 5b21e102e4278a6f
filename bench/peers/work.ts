// The kinds of work that are measured: what is requested, in terms for which every server has a request.
import { firstCopyAt, originalMovements } from '../data.ts';
import { uniqueMark } from '../request-bytes.ts';
import type { Sizes } from './dataset.ts';

/** One page that a client requests. */
export interface PageQuery {
  readonly list: 'movements' | 'orders' | 'stock';
  /** Records after this place in the order in which they were written; the first has the place 1. */
  readonly after: number;
  readonly limit: number;
  /** Only of this article. */
  readonly articleReference: string | null;
  /** Newest movement first, those before this instant. */
  readonly before: string | null;
}

/** One kind of work. */
export interface Work {
  readonly name: string;
  readonly what: string;
  /** Requested in turn; all different, except for a poll. */
  readonly queries: readonly PageQuery[];
  /** The same poll repeatedly, without changes: our servers get the ETag that they returned. */
  readonly isUnchanged: boolean;
  /** The body of POST requests of the work; `uniqueMark` stands for what differs. Null: it reads. */
  readonly body: string | null;
  /** The target for the ratio to the best peer, by processor time. */
  readonly aims: Readonly<Record<'SQLite' | 'PostgreSQL', number | null>>;
}

const aboutAll = { articleReference: null, before: null } as const;
const reading = { isUnchanged: false, body: null } as const;
const noAims = { SQLite: null, PostgreSQL: null };

/**
 * All kinds of work.
 * @param articles references of articles that have moved
 * @param batch the articles of a creation request
 */
export function worksOn(sizes: Sizes, articles: readonly string[], batch: readonly object[]): readonly Work[] {
  const { movements, orders, stock } = sizes;
  const movementsAfter = (after: number, limit = 100): PageQuery => ({ list: 'movements', after, limit, ...aboutAll });
  return [
    {
      name: 'movements',
      what: 'pages of 100 movements, all over the table',
      queries: spread(movements / 100, (page) => movementsAfter(page * 100)),
      ...reading,
      aims: { SQLite: 5, PostgreSQL: 3 },
    },
    {
      name: 'movements-deep',
      what: 'pages of 100 movements, of the last tenth of the table',
      queries: spread(movements / 1000, (page) => movementsAfter(movements * 0.9 + page * 100)),
      ...reading,
      aims: { SQLite: 5, PostgreSQL: 3 },
    },
    {
      name: 'movements-filtered',
      what: 'pages of at most 100 movements of one article, from any place on',
      queries: spread(movements / 100, (page) => ({
        list: 'movements',
        after: Math.floor(page * 50),
        limit: 100,
        articleReference: articles[page % articles.length] ?? '',
        before: null,
      })),
      ...reading,
      aims: noAims,
    },
    {
      name: 'movements-sorted',
      what: 'pages of 100 movements, newest first, before any instant',
      queries: spread(originalMovements / 10 - 20, (page) => ({
        list: 'movements',
        after: 0,
        limit: 100,
        articleReference: null,
        before: new Date(firstCopyAt + (page * 10 + 200) * 1000).toISOString(),
      })),
      ...reading,
      aims: noAims,
    },
    {
      name: 'orders',
      what: 'pages of 50 orders with their lines and sub-orders, all over the table',
      queries: spread(orders / 50, (page) => ({ list: 'orders', after: page * 50, limit: 50, ...aboutAll })),
      ...reading,
      aims: { SQLite: 15, PostgreSQL: 3 },
    },
    {
      name: 'stock',
      what: 'pages of 100 rows of the stock image',
      queries: spread(stock / 100, (page) => ({ list: 'stock', after: page * 100, limit: 100, ...aboutAll })),
      ...reading,
      aims: noAims,
    },
    {
      name: 'poll-news',
      what: 'polls that find 10 new movements',
      queries: [movementsAfter(movements - 10)],
      ...reading,
      aims: noAims,
    },
    {
      name: 'poll-unchanged',
      what: 'polls that find nothing new',
      queries: [movementsAfter(movements)],
      ...reading,
      isUnchanged: true,
      aims: { SQLite: 10, PostgreSQL: 10 },
    },
    {
      name: 'articles-created',
      what: `batches of ${batch.length} new articles, as a shop has them, each with its barcodes`,
      queries: [],
      isUnchanged: false,
      body: JSON.stringify(batch.map((each, index) => ({ ...each, articleReference: `${index}-${uniqueMark}` }))),
      aims: noAims,
    },
  ];
}

/** The most different requests of one kind. */
const mostQueries = 20_000;

/** Pages of a list, in an order that jumps across it and repeats none before all others. */
function spread(pages: number, query: (page: number) => PageQuery): readonly PageQuery[] {
  const all = Math.floor(pages);
  const count = Math.min(all, mostQueries);
  // A prime that divides no count of pages here.
  return Array.from({ length: count }, (_, index) => query((Math.floor((index * all) / count) * 7919) % all));
}
