// Where a record came from: the message, the line and the element of its last write.
import type { Withdrawal } from '../model/record.ts';
import type { Resource } from '../model/resource.ts';
import { updatedField } from './access-path.ts';
import type { Engine, Reader } from './engine.ts';
import type { FeedMessage } from './feed-contract.ts';
import { readFirst } from './single-statements.ts';
import { sql, type Statement } from './statement.ts';
import { selectRows } from './table-statements.ts';
import { feedMessageTable } from './tables/feeds.ts';

/** Where a record came from. */
export interface Lineage {
  /** Null: a client wrote the record, or it was written before lineage was kept, or the message is no longer kept. */
  readonly message: FeedMessage | null;
  /** Number of the message in its activity, even if that is no longer kept; null as above. */
  readonly messageNumber: number | null;
  /** First line of the record in the message. */
  readonly line: number | null;
  /** Number of its element, where the message was a JSON array. */
  readonly element: number | null;
  /** Time of the last write, milliseconds. */
  readonly writtenAt: number;
  readonly withdrawnAt: number | null;
}

/** Identifies a record: its natural key, or its published id. */
export type NamedRecord = Withdrawal['withdraw'];

/** @returns null if there is no such record; rows of stock images are looked up in published images */
export async function lineageOf(
  engine: Engine,
  resource: Resource,
  activity: string,
  named: NamedRecord,
  reader: Reader,
): Promise<Lineage | null> {
  const statement =
    resource.storage === 'images' ? imageRow(resource, activity, named) : row(resource, activity, named);
  const [found] = await engine.readLong(statement, reader);
  if (found === undefined) return null;
  const [number = null, line = null, element = null, writtenAt, withdrawnAt = null] = found;
  const messageNumber = number === null ? null : Number(number);
  const kept = { activity, id: messageNumber ?? 0 };
  return {
    message: messageNumber === null ? null : await readFirst(engine, selectRows(feedMessageTable, kept)),
    messageNumber,
    line: line === null ? null : Number(line),
    element: element === null ? null : Number(element),
    writtenAt: Number(writtenAt),
    withdrawnAt: withdrawnAt === null ? null : Number(withdrawnAt),
  };
}

function row(resource: Resource, activity: string, named: NamedRecord): Statement {
  const condition = 'id' in named ? sql`id = ${named.id}` : sql`natural_key = ${named.naturalKey}`;
  const columns = sql`feed_message, feed_line, feed_element, ${sql.quoted(updatedField(resource))}, withdrawn_at`;
  return sql`select ${columns} from ${sql.quoted(resource.table)} where owner = ${activity} and ${condition} limit 1`;
}

/** The row in the newest image that contains it: an image that is sent again keeps the ids of unchanged rows. */
function imageRow(resource: Resource, activity: string, named: NamedRecord): Statement {
  if (!('id' in named)) throw new Error('rows of an image are named by their id');
  return sql`
    select i.feed_message, t.feed_line, t.feed_element, i.published_at, null from stock_image i
    join ${sql.quoted(resource.table)} t on t.owner = i.owner and t.image_id = i.image_id
    where i.owner = ${activity} and i.state = 'published' and t.id = ${named.id} order by i.base desc limit 1
  `;
}
