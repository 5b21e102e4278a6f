// Cursors that the server itself has given: only with these does a text come further than the check of their signature.
import { ask } from '../wire.ts';
import type { Target } from '../target.ts';
import { besideQuery, inQuery, type RequestSurface } from './surfaces.ts';

/** Lists whose next page a client asks for, each read in another way. */
const walked: readonly string[] = [
  '/v1/articles/movements?limit=1',
  '/v1/articles/stock?limit=1',
  '/v1/orders?limit=1&sort=-orderUniqueID,internalId',
  `/v1/orders?limit=1&filter=${encodeURIComponent("orderEntries.articleReference!='A B';orderUniqueID>A")}`,
];

/** Each such cursor as a text to begin with, and with other parameters beside it. */
export async function cursorSurfaces(target: Target): Promise<readonly RequestSurface[]> {
  const places = await Promise.all(
    walked.map(async (path): Promise<readonly RequestSurface[]> => {
      const { list, cursor } = await firstCursor(target, path);
      return [
        inQuery(`cursor of ${path}`, list, 'cursor', [cursor]),
        besideQuery(`parameters beside the cursor of ${path}`, `${list}?cursor=${encodeURIComponent(cursor)}`, [
          'limit=1',
          'filter=internalId==1&sort=-id',
          'cursor=a&updatedSince=2026-01-01T00:00:00Z',
        ]),
      ];
    }),
  );
  return places.flat();
}

async function firstCursor(target: Target, path: string): Promise<{ readonly list: string; readonly cursor: string }> {
  const { status, headers, body } = await ask(target, { path });
  const next = /<([^>]+)>; rel="next"/.exec(headers.link ?? '')?.[1];
  const cursor = next === undefined ? null : new URL(next).searchParams.get('cursor');
  if (cursor === null) throw new Error(`${path} has no next page: ${status} ${body}`);
  return { list: path.replace(/\?.*/, ''), cursor };
}
