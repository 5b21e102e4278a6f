// In charge of what the engine adds up for the reconciliation: two stock images and the movements between them.
import type { Cell, Engine, Row } from './engine.ts';
import { anyOf, limitTo } from './engine-words.ts';
import { isLive } from './live-records.ts';
import { imageAt } from './published-images.ts';
import type {
  ComparedImage,
  MovementsAsked,
  PlacedMovement,
  PlaceSum,
  StockPlace,
  StockSpan,
  StockSum,
  StockSums,
  StockTotals,
  SumsPage,
} from './stock-sums-contract.ts';
import { leastDifference } from './stock-sums-contract.ts';
import { planAnew, rowsAs, type Sql, sql, type Statement } from './statement.ts';

export function createStockSums(engine: Engine): StockSums {
  return {
    image: (activity, at) => comparedImage(engine, activity, at),
    sums: async (span, page, reader) => {
      const areMany = (await engine.readLong(manyStatement(span), reader)).length > 0;
      const rows = await engine.readLong(planAnew(sumsStatement(span, page, areMany)), reader);
      const [first] = rows;
      if (first === undefined) throw new Error('the totals are missing');
      return { sums: rows.filter(([article]) => article !== null).map(toSum), totals: toTotals(first.slice(11)) };
    },
    between: (span, asked, reader) => engine.readLong(movementsStatement(span, asked), reader),
    lateBefore: (span, articles, reader) => engine.readLong(lateStatement(span, articles), reader),
  };
}

async function comparedImage(engine: Engine, activity: string, at: number): Promise<ComparedImage | null> {
  const image = await imageAt(engine, activity, at);
  if (image === null) return null;
  const { imageId, extractedAt, publishedAt, rowCount } = image;
  return { imageId, extractedAt, publishedAt, rowCount };
}

const place = sql`
  "articleReference" as article, "stockUnitID" as unit, "articleLotNumber" as lot, "gradeCode" as grade
`;
const placeNames = sql`article, unit, lot, grade`;
/** Into stock or out of it; a quantity below nothing takes back what a movement of its direction did. */
const signed = sql`
  case "movementDirection" when 'I' then "movedQuantity" when 'O' then -"movedQuantity" end
`;
/** When it changed the stock: where its source does not say, when it was processed, else when it was stored. */
const undatedAt = sql`coalesce("dateProcessed", "dateCreation")`;

/**
 * The movements of an activity in a span of time, its start excluded and its end included; as two selects, so that the
 * index on the time of movements serves both.
 */
function movementsBetween(
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

/**
 * The movements between two images as they are added up. Where they are many, along the index that has them in the
 * order of places: all of the activity are passed over, but nothing is sorted and no record is read. Where they are
 * few, by the index on their time.
 */
function movedBetween(span: StockSpan, areMany: boolean): Statement {
  const times = { from: span.from.extractedAt, to: span.to.extractedAt };
  const columns = sql`
    ${place}, "movementDirection" as direction, "movedQuantity" as quantity, ${signed} as change,
    case when "dateCreation" > ${span.to.publishedAt} then 1 else 0 end as is_late
  `;
  if (!areMany) return movementsBetween(span, times, columns);
  const at = sql`coalesce("movementTimestamp", ${undatedAt})`;
  return sql`
    select ${columns} from ${sql.quoted(span.movements.table)}
    where owner = ${span.activity} and ${isLive(sql`withdrawn_at`)} and ${at} > ${times.from} and ${at} <= ${times.to}
  `;
}

/** A row where there are more movements between the two images than are worth sorting. */
function manyStatement(span: StockSpan): Statement {
  const found = movementsBetween(span, { from: span.from.extractedAt, to: span.to.extractedAt }, sql`1`);
  return planAnew(sql`select 1 from (${found}) moved ${limitTo(1)} offset ${fewMovements}`);
}

const fewMovements = 50_000;

/**
 * Movements are added up by place first, which leaves as few rows as there are places; then images and movements
 * together. `joined` holds the articles of which a movement names no lot.
 */
function sumsStatement(span: StockSpan, { after, all, limit }: SumsPage, areMany: boolean): Statement {
  const { stock, activity, from, to } = span;
  const isJoined = sql`article in (select article from joined)`;
  const lot = sql`case when ${isJoined} then null else lot end as lot`;
  const hadLot = sql`case when lot is null then 0 else 1 end as had_lot`;
  const imageRows = (image: ComparedImage, before: Sql, afterwards: Sql): Statement => sql`
    select article, unit, ${lot}, grade, ${hadLot}, ${before} as before_total, ${afterwards} as after_total, 0 as came,
    0 as went, 0 as late, case when total is null then 1 else 0 end as uncounted, 0 as movements
    from (
      select ${place}, "totalStockQuantity" as total from ${sql.quoted(stock.table)}
      where owner = ${activity} and image_id = ${image.imageId}
    ) image
  `;
  const total = sql`coalesce(total, 0)`;
  const differs = sql`abs(after_total - before_total - came + went) >= ${leastDifference}`;
  const rest = sql.all([
    sql`g.article is not null`,
    ...(after === null ? [] : [sql`g.article > ${after}`]),
    ...(all ? [] : [sql`(g.differs = 1 or g.uncounted > 0)`]),
  ]);
  return sql`
    with moves as materialized (
      select ${placeNames}, sum(case when direction = 'I' then quantity else 0 end) as came,
      sum(case when direction = 'O' then quantity else 0 end) as went,
      sum(case when is_late = 1 then coalesce(change, 0) else 0 end) as late,
      sum(case when change is null then 1 else 0 end) as uncounted, count(*) as movements
      from (${movedBetween(span, areMany)}) moved group by ${placeNames}
    ), joined as materialized (
      select distinct article from moves where lot is null and article is not null
    ), summed as (
      select ${placeNames}, max(had_lot) as had_lot, sum(before_total) as before_total, sum(came) as came,
      sum(went) as went, sum(after_total) as after_total, sum(late) as late, sum(uncounted) as uncounted,
      sum(movements) as movements from (
        ${imageRows(from, total, sql`0`)} union all ${imageRows(to, sql`0`, total)} union all
        select article, unit, ${lot}, grade, ${hadLot}, 0, 0, came, went, late, uncounted, movements from moves
      ) items group by ${placeNames}
    ), g as materialized (
      select ${placeNames}, case when lot is null then had_lot else 0 end as is_joined, before_total, came, went,
      after_total, late, uncounted, movements, case when ${differs} then 1 else 0 end as differs from summed
    ), totals as (
      select count(article) as places, coalesce(sum(case when article is null then 0 else differs end), 0) as differing,
      coalesce(sum(before_total), 0) as before_total,
      coalesce(sum(case when article is null then 0 else came end), 0) as came,
      coalesce(sum(case when article is null then 0 else went end), 0) as went,
      coalesce(sum(after_total), 0) as after_total, coalesce(sum(movements), 0) as movements,
      coalesce(sum(case when article is null then 0 else uncounted end), 0) as uncounted,
      coalesce(sum(case when article is null then movements else 0 end), 0) as without_article from g
    )
    select g.article, g.unit, g.lot, g.grade, g.is_joined, g.before_total, g.came, g.went, g.after_total, g.late,
    g.uncounted, t.places, t.differing, t.before_total, t.came, t.went, t.after_total, t.movements, t.uncounted,
    t.without_article
    from totals t left join g on ${rest}
    order by g.article, g.unit is null, g.unit, g.lot is null, g.lot, g.grade is null, g.grade ${limitTo(limit)}
  `;
}

function movementsStatement(span: StockSpan, { times, of, limit }: MovementsAsked): Statement<PlacedMovement> {
  const columns = sql`
    ${place}, coalesce("movementTimestamp", ${undatedAt}) as at, ${signed} as change, "movementCode" as code
  `;
  const found = times.map((time) =>
    'code' in of ? firstMovements(span, time, columns) : movementsOf(span, time, columns, of.articles),
  );
  const isAsked = 'code' in of ? sql`code = ${of.code}` : sql`true`;
  const rows = sql`
    select ${placeNames}, at, change, code from (${sql.join(found, ' union all ')}) found where change is not null
    and article is not null and ${isAsked} order by at ${limitTo(limit)}
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

/** Movements of some articles: in a short span among all by their time, in a long one among all of these articles. */
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

const longSpanMs = 2 * 86_400_000;

/** The first movements of a span by their time: a sample, since movements of a rare code would be looked for in all. */
function firstMovements(
  { movements, activity }: StockSpan,
  { from, to }: { readonly from: number; readonly to: number },
  columns: Sql,
): Statement {
  return sql`
    select * from (
      select ${columns} from ${sql.quoted(movements.table)}
      where owner = ${activity} and "movementTimestamp" > ${from} and "movementTimestamp" <= ${to}
      and ${isLive(sql`withdrawn_at`)} order by "movementTimestamp", "id" ${limitTo(fewMovements)}
    ) first
  `;
}

/** What was stored between the two images, by article. */
function lateStatement({ movements, activity, from, to }: StockSpan, articles: readonly string[]): Statement<PlaceSum> {
  return planAnew(
    rowsAs(
      sql`
        select ${placeNames}, sum(change) from (
          select ${place}, ${signed} as change from ${sql.quoted(movements.table)}
          where owner = ${activity} and ${isLive(sql`withdrawn_at`)}
          and "dateCreation" > ${from.publishedAt} and "dateCreation" <= ${to.publishedAt}
          and coalesce("movementTimestamp", ${undatedAt}) <= ${from.extractedAt}
          and ${anyOf(sql`"articleReference"`, articles)}
        ) late where change is not null group by ${placeNames}
      `,
      (row) => ({ ...toPlace(row), quantity: Number(row[4]) }),
    ),
  );
}

function toPlace([article, unit, lot, grade]: Row): StockPlace {
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

function toSum(row: Row): StockSum {
  const [joined, before, movedIn, movedOut, after, late, uncounted] = row.slice(4, 11).map(Number);
  return {
    ...toPlace(row),
    lotsJoined: joined === 1,
    before: before ?? 0,
    movedIn: movedIn ?? 0,
    movedOut: movedOut ?? 0,
    after: after ?? 0,
    late: late ?? 0,
    uncounted: uncounted ?? 0,
  };
}

function toTotals(cells: Row): StockTotals {
  const [places, differing, before, movedIn, movedOut, after, movements, uncounted, withoutArticle] = cells.map(Number);
  return {
    places: places ?? 0,
    differing: differing ?? 0,
    before: before ?? 0,
    movedIn: movedIn ?? 0,
    movedOut: movedOut ?? 0,
    after: after ?? 0,
    movements: movements ?? 0,
    uncounted: uncounted ?? 0,
    withoutArticle: withoutArticle ?? 0,
  };
}
