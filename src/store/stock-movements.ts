// Selects the movements for the reconciliation: those between two instants, of some places or with a code, and those
// that came late.
import type { Cell, Row } from './engine.ts';
import { anyOf, limitTo } from './sql-dialects.ts';
import { isLive } from './live-records.ts';
import type {
  QueriedPlace,
  MovementsQuery,
  PlacedMovement,
  PlaceSum,
  StockPlace,
  StockSpan,
} from './stock-sums-contract.ts';
import { planAnew, rowsAs, type Sql, sql, type Statement } from './statement.ts';

/** In a longer span, movements of some articles are looked up by article. */
const longSpanMs = 2 * 86_400_000;
/** Movements among which those with a code are searched. */
const maxSample = 50_000;

export const place = sql`
  "articleReference" as article, "stockUnitID" as unit, "articleLotNumber" as lot, "gradeCode" as grade
`;
export const placeNames = sql`article, unit, lot, grade`;
/** Into stock or out of it; a negative quantity reverses a movement of its direction. */
export const signed = sql`
  case "movementDirection" when 'I' then "movedQuantity" when 'O' then -"movedQuantity" end
`;
/** When it changed the stock: if its source does not say, when it was processed, otherwise when it was stored. */
export const undatedAt = sql`coalesce("dateProcessed", "dateCreation")`;

/**
 * The movements of an activity in a span of time, its start excluded and its end included; as two selects, so that the
 * index on the time of movements serves both.
 */
export function movementsBetween(
  { movements, activity }: StockSpan,
  { from, to }: { readonly from: number; readonly to: number },
  columns: Sql,
  and: Sql = sql`true`,
): Statement {
  const live = sql`owner = ${activity} and ${isLive(sql`withdrawn_at`)} and ${and}`;
  const table = sql.quoted(movements.table);
  return sql`
    select ${columns} from ${table}
    where ${live} and "movementTimestamp" > ${from} and "movementTimestamp" <= ${to}
    union all
    select ${columns} from ${table}
    where ${live} and "movementTimestamp" is null and ${undatedAt} > ${from} and ${undatedAt} <= ${to}
  `;
}

/** See `StockSums.between`. */
export function movementsStatement(span: StockSpan, { times, of, limit }: MovementsQuery): Statement<PlacedMovement> {
  const columns = sql`
    ${place}, coalesce("movementTimestamp", ${undatedAt}) as at, ${signed} as change, "movementCode" as code,
    "id" as id
  `;
  const found = times.map((time) =>
    'code' in of ? sampledMovements(span, time, columns) : movementsOf(span, time, columns, articlesOf(of)),
  );
  const isAsked = 'code' in of ? sql`code = ${of.code}` : 'places' in of ? isOneOf(of.places) : sql`true`;
  const rows = sql`
    select ${placeNames}, at, change, code from (${sql.join(found, ' union all ')}) found where change is not null
    and article is not null and ${isAsked} order by at, id ${limitTo(limit)}
  `;
  return planAnew(
    rowsAs(rows, (row) => ({
      ...toPlace(row),
      at: Number(row[4]),
      quantity: Number(row[5]),
      code: textOrNull(row[6]),
    })),
  );
}

/**
 * Movements of some articles: in a short span filtered from all movements by time, in a long one from all movements of
 * these articles.
 */
function movementsOf(
  span: StockSpan,
  time: { readonly from: number; readonly to: number },
  columns: Sql,
  articles: readonly string[],
): Statement {
  const isOfThese = anyOf(sql`"articleReference"`, articles);
  if (time.to - time.from < longSpanMs) return movementsBetween(span, time, columns, isOfThese);
  const at = sql`coalesce("movementTimestamp", ${undatedAt})`;
  return sql`
    select ${columns} from ${sql.quoted(span.movements.table)} where owner = ${span.activity} and ${isOfThese}
    and ${isLive(sql`withdrawn_at`)} and ${at} > ${time.from} and ${at} <= ${time.to}
  `;
}

/**
 * The first movements of a span by time: a sample, because movements with a rare code would be searched for among all.
 */
function sampledMovements(
  { movements, activity }: StockSpan,
  { from, to }: { readonly from: number; readonly to: number },
  columns: Sql,
): Statement {
  return sql`
    select * from (
      select ${columns} from ${sql.quoted(movements.table)}
      where owner = ${activity} and "movementTimestamp" > ${from} and "movementTimestamp" <= ${to}
      and ${isLive(sql`withdrawn_at`)} order by "movementTimestamp", "id" ${limitTo(maxSample)}
    ) first
  `;
}

/** See `StockSums.lateBefore`. */
export function lateStatement(
  { movements, activity, from, to }: StockSpan,
  places: readonly QueriedPlace[],
): Statement<PlaceSum> {
  const lot = sql`case when ${isJoined(places)} then null else lot end`;
  return planAnew(
    rowsAs(
      sql`
        select article, unit, ${lot} as lot, grade, sum(change) from (
          select ${place}, ${signed} as change from ${sql.quoted(movements.table)}
          where owner = ${activity} and ${isLive(sql`withdrawn_at`)}
          and "dateCreation" > ${from.publishedAt} and "dateCreation" <= ${to.publishedAt}
          and coalesce("movementTimestamp", ${undatedAt}) <= ${from.extractedAt}
          and ${anyOf(sql`"articleReference"`, articlesOf({ places }))}
        ) late where change is not null and ${isOneOf(places)} group by 1, 2, 3, 4
      `,
      (row) => ({ ...toPlace(row), quantity: Number(row[4]) }),
    ),
  );
}

function articlesOf(of: { readonly articles: readonly string[] } | { readonly places: readonly QueriedPlace[] }) {
  return 'articles' in of ? of.articles : [...new Set(of.places.map(({ articleReference }) => articleReference))];
}

/** A movement belongs to one of the places; if all lots count as one, whatever its lot. */
function isOneOf(places: readonly QueriedPlace[]): Sql {
  const exact = places.filter(({ lotsJoined }) => !lotsJoined).map((one) => placeText(one));
  return sql`(${anyOf(placeTextOf(sql`lot`), exact)} or ${isJoined(places)})`;
}

function isJoined(places: readonly QueriedPlace[]): Sql {
  const joined = places.filter(({ lotsJoined }) => lotsJoined).map((one) => placeText(one));
  return joined.length === 0 ? sql`false` : anyOf(placeTextOf(sql.literal(noText)), joined);
}

/** A place as a single text, so that one list can hold any number of them. */
function placeTextOf(lot: Sql): Sql {
  const none = sql.literal(noText);
  const parts = [
    sql`article`,
    sql`coalesce(unit, ${none})`,
    sql`coalesce(${lot}, ${none})`,
    sql`coalesce(grade, ${none})`,
  ];
  return sql`(${sql.join(parts, ` || '${separator}' || `)})`;
}

function placeText({ articleReference, stockUnitID, articleLotNumber, gradeCode }: StockPlace): string {
  return [articleReference, stockUnitID ?? noText, articleLotNumber ?? noText, gradeCode ?? noText].join(separator);
}

/** Control characters that no text of a record contains. */
const separator = '\u001f';
const noText = '\u001e';

export function toPlace([article, unit, lot, grade]: Row): StockPlace {
  return {
    articleReference: String(article),
    stockUnitID: textOrNull(unit),
    articleLotNumber: textOrNull(lot),
    gradeCode: textOrNull(grade),
  };
}

function textOrNull(cell: Cell | undefined): string | null {
  return cell === null || cell === undefined ? null : String(cell);
}
