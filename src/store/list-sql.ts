// The SQL of change order: turns a list plan into one statement, for one activity at a time.
import { derived } from '../model/derived.ts';
import type { Condition } from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import { longestRecord } from '../model/longest-record.ts';
import { type FieldValues, type ReadPlan, updatedField, lookupValues, writeTimesOf } from './access-path.ts';
import { conditionSql } from './condition-sql.ts';
import { anyOf, bytesOf, greatest, typedInteger, least, limitTo, withoutLimit } from './sql-dialects.ts';
import { notWithdrawn } from './live-records.ts';
import { rowsToRead } from './lookups.ts';
import { asOneArray, perEngine, type Sql, sql, type Statement, statementTemplate } from './statement.ts';

/**
 * The rows of one activity that a list reads: for images, those of one image, and none once that is no longer
 * published.
 */
export interface Scope {
  readonly activity: string;
  readonly imageId: string | null;
  /** Records: the change number beyond which withdrawn ones are read too; null: none. */
  readonly withdrawnAfter: number | null;
}

/** Column that orders the rows of a scope: the change number, or the row's position in its image. */
export function orderColumn(resource: Resource): 'change_number' | 'position' {
  return resource.storage === 'images' ? 'position' : 'change_number';
}

/** Column that never changes for a record and is unique in its scope: it orders records with equal sort values. */
export function tieBreakerColumn(resource: Resource): 'id' | 'position' {
  return resource.storage === 'images' ? 'position' : 'id';
}

/** The rows of a scope that a page in change order holds. */
export interface PageRows {
  readonly plan: ReadPlan;
  readonly scope: Scope;
  /** Order column of the last record delivered. */
  readonly after: number;
  readonly limit: number;
  /** Bytes of the longest record whose body is read; for longer ones only the length is. */
  readonly maxBytesEach: number;
}

/**
 * A page in change order: one row of (bytes of the JSON array, count, order column of the last record, count of the
 * records in the array). If the two counts differ, some records are too long, and `changeRows` tells which.
 */
export function changePage(asked: PageRows): Statement {
  return writtenAsPlain('page', asked, writeChangePage);
}

function writeChangePage(asked: PageRows): Statement {
  const { plan, maxBytesEach } = asked;
  const place = sql`t.${orderOf(plan.resource)}`;
  return asOneArray(rowsAfter(asked, sql`${shortBody(plan.resource, maxBytesEach)} as bytes, ${place} as place`));
}

/** The values in which pages of the same shape differ. */
type PlainValues = readonly [
  activity: string,
  imageId: string | null,
  withdrawnAfter: number | null,
  after: number,
  limit: number,
  maxBytesEach: number,
];
type PlainStatement = (...values: PlainValues) => Statement;

/** The statements of a resource for plans without a search, by everything else that makes their text differ. */
const plainStatements = derived(() => new Map<string, PlainStatement>());

/**
 * A statement that is needed for every page. If the plan has no search, its text is written only once.
 * @param what tells the statements of different `write` functions apart
 */
function writtenAsPlain(what: string, asked: PageRows, write: (asked: PageRows) => Statement): Statement {
  const { plan, scope, after, limit, maxBytesEach } = asked;
  if (plan.where.length > 0 || plan.lookup !== undefined || plan.nearlyRead !== undefined) return write(asked);
  const { activity, imageId, withdrawnAfter } = scope;
  return plainStatement(what, asked, write)(activity, imageId, withdrawnAfter, after, limit, maxBytesEach);
}

function plainStatement(
  what: string,
  { plan, scope: { imageId, withdrawnAfter }, maxBytesEach }: PageRows,
  write: (asked: PageRows) => Statement,
): PlainStatement {
  const known = plainStatements(plan.resource);
  const isAllShort = isShort(plan.resource, maxBytesEach);
  const shown = withdrawnAfter === 0 || withdrawnAfter === null ? String(withdrawnAfter) : 'some';
  const shape = `${what} ${imageId === null ? 'records' : 'image'} ${shown} ${isAllShort ? 'short' : 'long'}`;
  const found = known.get(shape);
  if (found !== undefined) return found;
  const samples: PlainValues = [
    'activity',
    imageId === null ? null : 'image',
    withdrawnAfter === 0 || withdrawnAfter === null ? withdrawnAfter : -1,
    ...([-2, -3, isAllShort ? Number.MAX_SAFE_INTEGER : -4] as const),
  ];
  const made = statementTemplate<PlainValues>(samples, (activity, image, withdrawn, after, limit, maxBytes) =>
    write({
      plan: { ...plan, where: [] },
      scope: { activity, imageId: image, withdrawnAfter: withdrawn },
      ...{ after, limit, maxBytesEach: maxBytes },
    }),
  );
  known.set(shape, made);
  return made;
}

/** The same rows one by one: (bytes of the record or null, length in bytes, order column). */
export function changeRows(asked: PageRows): Statement {
  return rowsAfter(
    asked,
    sql`${sizedBody(asked.plan.resource, asked.maxBytesEach)}, t.${orderOf(asked.plan.resource)} as position`,
  );
}

/** Rows of a scope by their order column: (bytes, order column). */
export function bodiesAt(
  resource: Resource,
  { activity, imageId }: Pick<Scope, 'activity' | 'imageId'>,
  places: readonly number[],
): Statement {
  const place = sql`t.${orderOf(resource)}`;
  const image = imageId === null ? sql`` : sql` and t.image_id = ${imageId}`;
  return sql`
    select ${bytesOf(sql`t.body`)} as bytes, ${place} from ${tableOf(resource)} t
    where t.owner = ${activity}${image} and ${anyOf(place, places)}
  `;
}

/** The body, unless it is long: neither engine reads a long text if only its length is needed. */
function shortBody(resource: Resource, maxBytes: number): Statement {
  if (isShort(resource, maxBytes)) return sql`t.body`;
  return sql`case when octet_length(t.body) <= ${maxBytes} then t.body end`;
}

/**
 * Two columns: the bytes of the record or null, and its length in bytes if it may exceed that of the returned bytes.
 */
export function sizedBody(resource: Resource, maxBytes: number): Statement {
  const length = isShort(resource, maxBytes) ? sql`0` : sql`octet_length(t.body)`;
  return sql`${bytesOf(shortBody(resource, maxBytes))} as bytes, ${length} as length`;
}

/** Lengths are not read if the definition bounds them; that saves a tenth of the time of a page. */
function isShort(resource: Resource, maxBytes: number): boolean {
  return longestRecord(resource) <= maxBytes;
}

/**
 * At most one row: the change number of the last record of an activity that was written before an instant. Write times
 * increase with change numbers, so everything after it was written at or after the instant.
 * @param before milliseconds
 */
export function lastChangeBefore(resource: Resource, activity: string, before: number): Statement {
  const updated = sql`b.${sql.quoted(updatedField(resource))}`;
  return sql`
    select b.change_number from ${tableOf(resource)} b where b.owner = ${activity} and ${updated} < ${before} order by
    ${updated} desc, b.change_number desc limit 1
  `;
}

/** One row if a record that matches the plan follows this place in change order, otherwise none. */
export function existsAfter(plan: ReadPlan, scope: Scope, after: number): Statement {
  const asked = { plan, scope, after, limit: 1, maxBytesEach: Number.MAX_SAFE_INTEGER };
  return writtenAsPlain('one', asked, (one) => rowsAfter(one, sql`1`));
}

type RowsAfter = Omit<PageRows, 'maxBytesEach'>;

/** The first rows after a place in change order that match the plan. */
function rowsAfter(asked: RowsAfter, columns: Sql): Statement {
  const { plan, scope, after, limit } = asked;
  const values = plan.lookup === undefined && plan.nearlyRead === undefined ? lookupValues(plan) : null;
  if (values !== null) return rowsOfValues(asked, values, columns);
  const place = sql`t.${orderOf(plan.resource)}`;
  const where = sql.all([
    rowsInScope(scope),
    ...notWithdrawn(scope, sql`t.`),
    ...span(plan, scope, after),
    ...timeless(plan).map((condition) => conditionSql(condition, plan.resource, scope.activity)),
  ]);
  const rows = plan.nearlyRead === true ? rowsFrom(asked) : rowsToRead(plan, scope.activity);
  return sql`
    select ${columns} from ${rows} where ${where} order by ${place}
    ${limitTo(limit)}
  `;
}

/**
 * The same for several values: fetches each row by its place, which PostgreSQL would otherwise look for among all of
 * them.
 */
function rowsOfValues(asked: RowsAfter, values: FieldValues, columns: Sql): Statement {
  const { plan, scope } = asked;
  const table = tableOf(plan.resource);
  const place = sql`t.${orderOf(plan.resource)}`;
  const places = placesOf(asked, values);
  const among = sql`
    select ${columns} from ${table} t where ${rowsInScope(scope)} and ${place} in (${places}) order by ${place}
  `;
  return perEngine({
    sqlite: () => among,
    citus: () => among,
    postgres: () => sql`
      select ${columns} from (${places}) places, lateral (
        select t.* from ${table} t where ${rowsInScope(scope)} and ${place} = places.place limit 1
      ) t order by places.place
    `,
  });
}

/**
 * All rows `t` after a place, in a form that keeps the engine from using another index: these rows are few, whatever
 * the other index would find.
 */
function rowsFrom({ plan: { resource }, scope, after }: RowsAfter): Statement {
  const place = sql`t.${orderOf(resource)}`;
  return sql`
    (select t.* from ${tableOf(resource)} t where t.owner = ${scope.activity} and ${place} > ${typedInteger(after)}
    order by ${place} ${withoutLimit}) t
  `;
}

/**
 * The places of the first rows that have one of several values: an index has them in order for each value but not
 * across values, so as many as needed are read for each.
 */
function placesOf({ plan, scope, after, limit }: RowsAfter, { field, values }: FieldValues): Statement {
  const place = sql`r.${orderOf(plan.resource)}`;
  const image = scope.imageId === null ? sql`` : sql` and r.image_id = ${scope.imageId}`;
  const runs = values.map(
    (value, index) => sql`
      select place from (select ${place} as place from ${tableOf(plan.resource)} r
      where ${sql.all([
        sql`r.owner = ${scope.activity}${image} and r.${sql.quoted(field)} = ${value} and ${place} > ${after}`,
        ...notWithdrawn(scope, sql`r.`),
      ])} order by ${place} ${limitTo(limit)})
      ${sql.quoted(`run${index}`)}
    `,
  );
  return sql`select place from (${sql.join(runs, ' union all ')}) runs order by place ${limitTo(limit)}`;
}

function tableOf({ table }: Resource): Statement {
  return sql.quoted(table);
}

export function orderOf(resource: Resource): Statement {
  return sql.quoted(orderColumn(resource));
}

/**
 * An image being removed loses its rows one by one after it has ceased to be published, so either all rows are read or
 * none.
 */
export function rowsInScope({ activity, imageId }: Scope): Statement {
  if (imageId === null) return sql`t.owner = ${activity}`;
  return sql`
    t.owner = ${activity} and t.image_id = ${imageId} and exists (select 1 from stock_image i where i.owner =
    ${activity} and i.image_id = ${imageId} and i.state = 'published')
  `;
}

/**
 * The range of change order in which a page lies: after a place and, if conditions concern the time of the last write,
 * among the change numbers of such times. Times increase with change numbers, so an index leads to these records
 * wherever they lie in the history. Each side has one bound, because SQLite uses one of several for its index; and the
 * conditions themselves are left out (`timeless`), because PostgreSQL might read and sort everything that matches them.
 */
function span({ resource, where }: ReadPlan, { activity }: Scope, after: number): readonly Statement[] {
  const place = sql`t.${orderOf(resource)}`;
  const times = where.flatMap((condition) => writeTimesOf(resource, condition) ?? []);
  const lastBefore = (instant: number): Statement =>
    sql`coalesce((${lastChangeBefore(resource, activity, instant)}), 0)`;
  const starts = times.flatMap(({ from }) => (from === null ? [] : [lastBefore(from)]));
  const ends = times.flatMap(({ to }) => (to === null ? [] : [lastBefore(to)]));
  return [
    sql`${place} > ${greatest([typedInteger(after), ...starts])}`,
    ...(ends.length === 0 ? [] : [sql`${place} <= ${least(ends)}`]),
  ];
}

/** The conditions that `span` does not replace. */
function timeless({ resource, where }: ReadPlan): readonly Condition[] {
  return where.filter((condition) => writeTimesOf(resource, condition) === null);
}
