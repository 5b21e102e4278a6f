// In charge of the rows of order documents: the same content is the same document, other content is the next version.
import { textBlock } from '../model/text-block.ts';
import { v7 as uuidv7 } from 'uuid';
import { formatInstant } from '../model/instant.ts';
import { type Engine, type Row, type SqlValue, type Statement, type WriteTransaction, placeholders } from './engine.ts';
import { selectKeyed } from './keyed-rows.ts';
import type { NewDocument, OrderDocument, OrderDocuments } from './store.ts';

/** The documents of a database. */
export function createOrderDocuments(engine: Engine): OrderDocuments {
  return {
    find: async (owners, id) => {
      if (owners.length === 0) return null;
      const { values, add } = placeholders(engine.dialect);
      const where = `where id = ${add(id)} and owner in (${owners.map(add).join(', ')})`;
      const [row] = await engine.read({ text: `select ${documentColumns} from order_document ${where}`, values });
      return row === undefined ? null : toDocument(row);
    },
    withContent: async (place) => {
      const [row] = await engine.read(sameContent(engine, place));
      return row === undefined ? null : toDocument(row);
    },
    known: async (storedAs) => {
      const named = {
        dialect: engine.dialect,
        table: 'order_document',
        column: 'stored_as',
        keys: storedAs,
        unique: true,
      } as const;
      const rows = await engine.read(selectKeyed(named, 'stored_as'));
      return new Set(rows.map(([name]) => String(name)));
    },
  };
}

/**
 * Adds a document in a transaction that holds the counters of its activity.
 * @param take the next change number, taken only for a document that is new, and the time of the write in milliseconds
 * @returns the document; the one that is there when its order has the same content under the same slug
 */
export async function putDocument(
  engine: Pick<Engine, 'dialect'>,
  transaction: WriteTransaction,
  given: NewDocument,
  take: { readonly changeNumber: () => number; readonly now: number },
): Promise<{ readonly document: OrderDocument; readonly outcome: 'new' | 'unchanged' }> {
  const { values, add } = placeholders(engine.dialect);
  const place = `where owner = ${add(given.owner)} and order_id = ${add(given.orderId)} and slug = ${add(given.slug)}`;
  const [newest] = await transaction.query({ text: `select max(version) from order_document ${place}`, values });
  const [stored] = await transaction.query(sameContent(engine, given));
  if (stored !== undefined) return { document: toDocument(stored), outcome: 'unchanged' };
  const document: OrderDocument = {
    ...given,
    id: uuidv7(),
    version: Number(newest?.[0] ?? 0) + 1,
    createdAt: take.now,
  };
  await insert(engine, transaction, document, take.changeNumber());
  return { document, outcome: 'new' };
}

/** JSON text of a document's metadata, as the outbox carries and the platform interface publishes it. */
export function documentBody(document: OrderDocument): string {
  return JSON.stringify({
    id: document.id,
    activityCode: document.owner,
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

const documentColumns = textBlock`
    owner, id, order_id, order_unique_id, slug, version, sha256, media_type, size, file_name, stored_as, operation_id,
    client_id, created_at
  `;

function sameContent(
  { dialect }: Pick<Engine, 'dialect'>,
  { owner, orderId, slug, sha256 }: Pick<NewDocument, 'owner' | 'orderId' | 'slug' | 'sha256'>,
): Statement {
  const { values, add } = placeholders(dialect);
  const where = textBlock`
    where owner = ${add(owner)} and order_id = ${add(orderId)} and slug = ${add(slug)} and sha256 = ${add(sha256)}
  `;
  return { text: `select ${documentColumns} from order_document ${where}`, values };
}

async function insert(
  engine: Pick<Engine, 'dialect'>,
  transaction: WriteTransaction,
  document: OrderDocument,
  changeNumber: number,
): Promise<void> {
  const { values, add } = placeholders(engine.dialect);
  const row: readonly SqlValue[] = [
    document.owner,
    document.id,
    document.orderId,
    document.orderUniqueId,
    document.slug,
    document.version,
    document.sha256,
    document.mediaType,
    document.size,
    document.fileName,
    document.storedAs,
    document.operationId,
    document.clientId,
    document.createdAt,
    changeNumber,
  ];
  await transaction.query({
    text: `insert into order_document (${documentColumns}, change_number) values (${row.map(add).join(', ')})`,
    values,
  });
}

function toDocument([
  owner,
  id,
  orderId,
  orderUniqueId,
  slug,
  version,
  sha256,
  mediaType,
  size,
  fileName,
  storedAs,
  operationId,
  clientId,
  createdAt,
]: Row): OrderDocument {
  return {
    owner: String(owner),
    id: String(id),
    orderId: String(orderId),
    orderUniqueId: textOrNull(orderUniqueId),
    slug: String(slug),
    version: Number(version),
    sha256: String(sha256),
    mediaType: String(mediaType),
    size: Number(size),
    fileName: textOrNull(fileName),
    storedAs: String(storedAs),
    operationId: String(operationId),
    clientId: String(clientId),
    createdAt: Number(createdAt),
  };
}

function textOrNull(cell: unknown): string | null {
  return cell === null ? null : String(cell);
}
