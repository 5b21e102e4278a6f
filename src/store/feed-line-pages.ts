// Reads pages of refused lines: their places by an index, then the lines at these places, and what is known of their
// messages.
import { arrayText, type Engine } from './engine.ts';
import type { FeedLine, FeedLinePlace, FeedLineQuery } from './feed-lines.ts';
import { messagesById } from './feed-message-pages.ts';
import { isInOrder, limitTo, notByIndex } from './sql-dialects.ts';
import { onPostgres, perEngine, planAnew, rowsAs, type Sql, sql, type Statement } from './statement.ts';
import type { RowOf } from './table.ts';
import { feedLineTable } from './tables/feeds.ts';

/** Contents and corrected records up to this size, both as stored and unpacked, are included in a page. UTF-8 bytes. */
export const maxListedBytes = 64 * 1024;

/** A line as it is stored, but for texts that are too long for a page. */
export type Line = RowOf<typeof feedLineTable> & { readonly isLong: boolean };

/** Reads activity after activity, in index order, until a page is full. */
export async function packedLines(engine: Engine, query: FeedLineQuery): Promise<readonly FeedLine[]> {
  const lines: Line[] = [];
  for (const activity of query.activities.toSorted()) {
    if (query.after !== null && activity < query.after.activity) continue;
    let { after } = query;
    // More than once where somebody has settled or removed lines of the page after their places were read.
    for (let rest = query.limit - lines.length; rest > 0; rest = query.limit - lines.length) {
      const places = await engine.readShort(placesOf({ ...query, after }, activity, rest));
      const last = places.at(-1);
      if (last === undefined) break;
      const found = await engine.read(linesAt(activity, query.state, places));
      lines.push(...found.toSorted((a, b) => a.message - b.message || a.record - b.record));
      if (places.length < rest) break;
      after = { activity, ...last };
    }
  }
  return withMessages(engine, lines);
}

type Place = Pick<FeedLinePlace, 'message' | 'record'>;

/**
 * The places of the lines alone, in the order of the one index that leads to them: PostgreSQL would take that of
 * messages for as good, and go through all lines of a message for the few that wait.
 */
function placesOf(
  { message, resource, state, after }: FeedLineQuery,
  activity: string,
  limit: number,
): Statement<Place> {
  const { column } = feedLineTable;
  const conditions: Sql[] = [sql`${column.activity} = ${activity}`, isInOrder(column.state, state)];
  // A message has lines of one resource.
  const ofResource = message === null ? resource : null;
  if (message !== null) conditions.push(isInOrder(column.message, message));
  if (resource !== null) conditions.push(isInOrder(column.resource, resource));
  if (after?.activity === activity) conditions.push(sql`(message, record) > (${after.message}, ${after.record})`);
  const first = onPostgres(() => (ofResource === null ? sql`state, ` : sql`state, resource, `));
  const places = sql`
    select message, record from ${feedLineTable.quoted} where ${sql.all(conditions)}
    order by ${first}message, record ${limitTo(limit)}
  `;
  return planAnew(rowsAs(places, ([of, record]) => ({ message: Number(of), record: Number(record) })));
}

/** The lines at these places that are still in the state, in any order. */
function linesAt(activity: string, state: Line['state'], places: readonly Place[]): Statement<Line> {
  const { column } = feedLineTable;
  const isLong = sql`(coalesce(octet_length(content), 0) > ${maxListedBytes}
    or coalesce(octet_length(edited), 0) > ${maxListedBytes})`;
  const columns = sql.join(
    Object.entries(column).map(([name, quoted]) =>
      name === 'content' || name === 'edited' ? sql`case when ${isLong} then null else ${quoted} end` : quoted,
    ),
  );
  const wanted = sql`select ${columns}, case when ${isLong} then 1 else 0 end from`;
  const isInState = sql`${notByIndex(column.state)} = ${state}`;
  const messages = arrayText(places.map(({ message }) => message));
  const records = arrayText(places.map(({ record }) => record));
  const given = sql`unnest(${messages}::bigint[], ${records}::bigint[]) as given (message, record)`;
  const rows = perEngine({
    sqlite: () => sql`
      ${wanted} ${feedLineTable.quoted} where owner = ${activity} and (message, record) in (
        select value ->> 0, value ->> 1 from json_each(${JSON.stringify(places.map((at) => [at.message, at.record]))})
      ) and ${isInState}
    `,
    // `offset` keeps the server from joining the two in another way.
    postgres: () => sql`
      ${wanted} (
        select found.* from ${given} cross join lateral (
          select * from ${feedLineTable.quoted} as line where line.owner = (select ${activity}::text)
          and line.message = given.message and line.record = given.record offset 0
        ) as found
      ) as lines where ${isInState}
    `,
    citus: () => sql`
      ${wanted} ${feedLineTable.quoted} where owner = ${activity} and (message, record) in (select * from ${given})
      and ${isInState}
    `,
  });
  return planAnew(rowsAs(rows, (row) => ({ ...feedLineTable.toRow(row), isLong: row.at(-1) === 1 })));
}

/** The lines with facts about the messages that they arrived in. */
export async function withMessages(engine: Engine, lines: readonly Line[]): Promise<readonly FeedLine[]> {
  const messages = new Map<string, Pick<FeedLine, 'resource' | 'feed' | 'source'>>();
  for (const [activity, inActivity] of Map.groupBy(lines, (line) => line.activity)) {
    const ids = [...new Set(inActivity.map(({ message }) => message))];
    for (const { id, resource, feed, source } of await engine.read(messagesById(activity, ids)))
      messages.set(`${activity}:${id}`, { resource, feed, source });
  }
  return lines.flatMap((line) => {
    const message = messages.get(`${line.activity}:${line.message}`);
    // Removing a message removes its lines.
    if (message === undefined) return [];
    return [{ ...line, ...message }];
  });
}
