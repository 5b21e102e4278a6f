// The rows of order documents: the same content is the same document, other content is the next version.
import { v7 as uuidv7 } from 'uuid';
import { formatInstant } from '../model/instant.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { selectKeyed } from './keyed-rows.ts';
import { perActivity } from './per-activity.ts';
import { rowsAs, sql } from './statement.ts';
import type { NewDocument, OrderDocument, OrderDocuments } from './store.ts';
import type { RowOf } from './table.ts';
import { insert, selectRows } from './table-statements.ts';
import { orderDocumentTable } from './tables/writes.ts';

/** The documents of a database. */
export function createOrderDocuments(engine: Engine): OrderDocuments {
  return {
    find: async (activities, id) => {
      const [row] = await perActivity(engine, engine.read, activities, (some) =>
        selectRows(orderDocumentTable, { id, activity: some }),
      );
      return row === undefined ? null : toDocument(row);
    },
    ofOrder: async (activity, orderId, limit) => {
      const newest = { by: ['createdAt', 'id'], descending: true, limit } as const;
      return (await engine.read(selectRows(orderDocumentTable, { activity, orderId }, newest))).map(toDocument);
    },
    withContent: async (place) => {
      const [row] = await engine.read(sameContent(place));
      return row === undefined ? null : toDocument(row);
    },
    known: async (storedAs) => {
      const named = { table: orderDocumentTable.name, column: 'stored_as', keys: storedAs, unique: true } as const;
      return new Set(await engine.read(rowsAs(selectKeyed(named, sql`stored_as`), ([name]) => String(name))));
    },
  };
}

/**
 * Adds a document in a transaction that holds the counters of its activity.
 * @param take the next change number, taken only for a new document, and the time of the write in milliseconds
 * @returns the document; the existing one if its order has the same content under the same slug
 */
export async function putDocument(
  transaction: WriteTransaction,
  given: NewDocument,
  take: { readonly changeNumber: () => number; readonly now: number },
): Promise<{ readonly document: OrderDocument; readonly outcome: 'new' | 'unchanged' }> {
  const { activity, orderId, slug } = given;
  const [newest] = await transaction.query(
    sql`select max(version) from order_document where owner = ${activity} and order_id = ${orderId} and slug = ${slug}`,
  );
  const [stored] = await transaction.query(sameContent(given));
  if (stored !== undefined) return { document: toDocument(stored), outcome: 'unchanged' };
  const document: OrderDocument = {
    ...given,
    id: uuidv7(),
    version: Number(newest?.[0] ?? 0) + 1,
    createdAt: take.now,
  };
  await transaction.query(insert(orderDocumentTable, { ...document, changeNumber: take.changeNumber() }));
  return { document, outcome: 'new' };
}

/** JSON text of a document's metadata, as the outbox carries and the platform interface publishes it. */
export function documentBody(document: OrderDocument): string {
  return JSON.stringify({
    id: document.id,
    activityCode: document.activity,
    orderId: document.orderId,
    orderUniqueID: document.orderUniqueId,
    docSlug: document.slug,
    version: document.version,
    fileName: document.fileName,
    mediaType: document.mediaType,
    size: document.size,
    sha256: document.sha256,
    createdAt: formatInstant(document.createdAt),
  });
}

type DocumentRow = RowOf<typeof orderDocumentTable>;

function sameContent({
  activity,
  orderId,
  slug,
  sha256,
}: Pick<NewDocument, 'activity' | 'orderId' | 'slug' | 'sha256'>) {
  return selectRows(orderDocumentTable, { activity, orderId, slug, sha256 });
}

function toDocument({ changeNumber: _, ...document }: DocumentRow): OrderDocument {
  return document;
}
