// The addresses of pages for our own servers: real cursors, made as the server makes them.
import { randomBytes } from 'node:crypto';
import { type ListRequest, planList } from '../../src/model/list.ts';
import { articleStockMovement, definitions, order } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { activity } from '../data.ts';
import type { Place } from '../databases.ts';
import type { Sizes } from './dataset.ts';
import type { PageQuery } from './work.ts';

export type PathOf = (query: PageQuery) => string;

/**
 * Our own addresses for queries; they are valid for every server of the database.
 * @param stockPaths the address of each page of stock, in order
 */
export async function ownPaths(place: Place, sizes: Sizes, stockPaths: readonly string[]): Promise<PathOf> {
  const store = await openStore(place.storage, definitions);
  try {
    const secret = await store.secrets.obtain('cursor', () => randomBytes(32).toString('base64url'));
    const request: Omit<ListRequest, 'resource' | 'endpoint' | 'query'> = {
      activities: [activity.code],
      fixed: [],
      now: Date.now(),
      secret,
      history: store.history,
    };
    const after = (position: number): { readonly [code: string]: number } => ({ [activity.code]: position });
    return ({ list, after: place, limit, articleReference, before }) => {
      if (before !== null) {
        const filter = encodeURIComponent(`movementTimestamp=lt=${before}`);
        return `/v1/articles/movements?sort=-movementTimestamp&limit=${limit}&filter=${filter}`;
      }
      if (list === 'stock') return stockPaths[place / limit] ?? '';
      const query: readonly (readonly [string, string])[] = [
        ...(articleReference === null ? [] : [['articleReference', articleReference] as const]),
        ['limit', String(limit)],
      ];
      const planned =
        list === 'movements'
          ? planList({ ...request, resource: articleStockMovement, endpoint: 'listMovements', query })
          : planList({ ...request, resource: order, endpoint: 'listOrders', query });
      // Orders were written after all movements, and an activity numbers all of its changes consecutively.
      const position = list === 'movements' ? place : sizes.movements + place;
      const { nextQuery } = planned.continuation({ more: true, next: after(position), walkStarts: null });
      return `${list === 'movements' ? '/v1/articles/movements' : '/v1/orders'}?${nextQuery}`;
    };
  } finally {
    await store.close();
  }
}

/** Reads a list to its end and returns the addresses of its pages. */
export async function walkedPaths(port: number, authorization: string, first: string): Promise<readonly string[]> {
  const paths: string[] = [];
  for (let path: string | null = first; path !== null; ) {
    paths.push(path);
    const answer: Response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization } });
    await answer.arrayBuffer();
    const next: string | undefined = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
    if (answer.status !== 200) throw new Error(`${path} was answered with ${answer.status}`);
    path = next === undefined ? null : new URL(next).pathname + new URL(next).search;
  }
  return paths;
}
