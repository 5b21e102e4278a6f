// The last requests of each client: a bounded number of rows, written in batches.
import { v7 as uuidv7 } from 'uuid';
import { removeInBatches } from './batches.ts';
import type { Engine } from './engine.ts';
import { sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { insert, selectRows } from './table-statements.ts';
import { requestLogTable } from './tables/processes.ts';

export type LoggedRequest = RowOf<typeof requestLogTable>;

/** The requests to list, newest first; they must match every condition given. */
interface RequestQuery {
  readonly clientId: string | null;
  readonly requestId: string | null;
  /** Only requests that ended in a problem. */
  readonly problemsOnly: boolean;
  /** Id of the row before which to continue. */
  readonly after: string | null;
  readonly limit: number;
}

/** The last requests of each client. */
export interface RequestLog {
  /** Adds requests, and removes the oldest of each of their clients beyond `maxPerClient`. */
  add(requests: readonly Omit<LoggedRequest, 'id'>[]): Promise<void>;
  read(query: RequestQuery): Promise<readonly LoggedRequest[]>;
  /** Removes what is older than an instant (milliseconds). Returns how many. */
  removeBefore(before: number): Promise<number>;
}

/** Requests kept for one client. */
const maxRequestsPerClient = 1000;

/** @param maxPerClient a smaller number for tests */
export function createRequestLog(engine: Engine, maxPerClient = maxRequestsPerClient): RequestLog {
  const { id, clientId, requestId, problem } = requestLogTable.column;
  return {
    add: (requests) =>
      engine.writeInBackground(async ({ query }) => {
        for (const request of requests) await query(insert(requestLogTable, { ...storable(request), id: uuidv7() }));
        // In one order: processes that remove the same rows would otherwise wait for each other.
        for (const client of [...new Set(requests.map((request) => storableText(request.clientId)))].toSorted())
          await query(sql`
            delete from ${requestLogTable.quoted} where ${clientId} = ${client} and ${id} <= (
              select ${id} from ${requestLogTable.quoted} where ${clientId} = ${client}
              order by ${id} desc limit 1 offset ${maxPerClient}
            )
          `);
      }),
    read: (query) => {
      const conditions = [
        query.clientId === null ? null : sql`${clientId} = ${storableText(query.clientId)}`,
        query.requestId === null ? null : sql`${requestId} = ${storableText(query.requestId)}`,
        query.problemsOnly ? sql`${problem} is not null` : null,
        query.after === null ? null : sql`${id} < ${query.after}`,
      ].filter((condition) => condition !== null);
      return engine.readLong(
        selectRows(requestLogTable, conditions.length === 0 ? {} : sql.all(conditions), {
          by: ['id'],
          descending: true,
          limit: query.limit,
        }),
        { client: 'operator' },
      );
    },
    removeBefore: (before) =>
      removeInBatches(engine, { table: requestLogTable.name, where: sql`at < ${before}`, by: 'at' }),
  };
}

/** A request may contain anything; PostgreSQL stores no NUL character, and an unpaired surrogate has no UTF-8 form. */
function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}');
}

function storable(request: Omit<LoggedRequest, 'id'>): Omit<LoggedRequest, 'id'> {
  const { subject, detail } = request;
  return {
    ...request,
    requestId: storableText(request.requestId),
    clientId: storableText(request.clientId),
    subject: subject === null ? null : storableText(subject),
    target: storableText(request.target),
    detail: detail === null ? null : storableText(detail),
  };
}
