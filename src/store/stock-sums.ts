// The sums that the engine computes for the reconciliation: two stock images and the movements between them.
import type { Engine, Row } from './engine.ts';
import { limitTo } from './sql-dialects.ts';
import { isLive } from './live-records.ts';
import { imageAt } from './published-images.ts';
import {
  lateStatement,
  movementsBetween,
  movementsStatement,
  place,
  placeNames,
  signed,
  toPlace,
  undatedAt,
} from './stock-movements.ts';
import type {
  ComparedImage,
  StockPosition,
  StockSpan,
  StockSum,
  StockSums,
  StockTotals,
  SumsPage,
} from './stock-sums-contract.ts';
import { minDifference } from './stock-sums-contract.ts';
import { planAnew, type Sql, sql, type Statement } from './statement.ts';

/** More movements than this are added up along the index that has them in the order of places. */
const fewMovements = 50_000;

export function createStockSums(engine: Engine): StockSums {
  return {
    image: (activity, at) => comparedImage(engine, activity, at),
    sums: async (span, page, reader) => {
      const areMany = (await engine.readLong(manyStatement(span), reader)).length > 0;
      const rows = await engine.readLong(planAnew(sumsStatement(span, page, areMany)), reader);
      const [first] = rows;
      if (first === undefined) throw new Error('the totals are missing');
      return { sums: rows.filter(([article]) => article !== null).map(toSum), totals: toTotals(first.slice(13)) };
    },
    between: (span, asked, reader) => engine.readLong(movementsStatement(span, asked), reader),
    lateBefore: (span, places, reader) => engine.readLong(lateStatement(span, places), reader),
  };
}

async function comparedImage(engine: Engine, activity: string, at: number): Promise<ComparedImage | null> {
  const image = await imageAt(engine, activity, at);
  if (image === null) return null;
  const { imageId, extractedAt, publishedAt, rowCount } = image;
  return { imageId, extractedAt, publishedAt, rowCount };
}

/**
 * The movements between two images, as they are added up. If there are many, along the index that has them in the order
 * of places: this scans all movements of the activity, but sorts nothing and reads no record. If there are few, by the
 * index on their time.
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

/** One row if there are more movements between the two images than are worth sorting. */
function manyStatement(span: StockSpan): Statement {
  const found = movementsBetween(span, { from: span.from.extractedAt, to: span.to.extractedAt }, sql`1`);
  return planAnew(sql`select 1 from (${found}) moved ${limitTo(1)} offset ${fewMovements}`);
}

/**
 * Movements are added up by place first, which leaves as few rows as there are places; then images and movements
 * together. `joined` holds the articles for which a movement names no lot. The sums over the grades of the same goods
 * are computed before the page is cut, so that they include all grades.
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
  const difference = sql`(after_total - before_total - came + went)`;
  const differs = sql`abs(${difference}) >= ${minDifference}`;
  const asked = sql.all([
    sql`article is not null`,
    ...(after === null ? [] : [sql`article >= ${after.articleReference}`]),
    ...(all ? [] : [sql`(differs = 1 or uncounted > 0)`]),
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
    ), graded as (
      select g.*, sum(differs) over goods as grades_differing,
      sum(case when differs = 1 then ${difference} else 0 end) over goods as grades_difference
      from g where ${asked} window goods as (partition by article, unit, lot)
    )
    select g.article, g.unit, g.lot, g.grade, g.is_joined, g.before_total, g.came, g.went, g.after_total, g.late,
    g.uncounted, g.grades_differing, g.grades_difference, t.places, t.differing, t.before_total, t.came, t.went,
    t.after_total, t.movements, t.uncounted, t.without_article
    from totals t left join graded g on ${after === null ? sql`true` : isAfter(after)}
    order by g.article, g.unit is null, g.unit, g.lot is null, g.lot, g.grade is null, g.grade ${limitTo(limit)}
  `;
}

/** Whether a row follows a position in the order of places: a missing unit, lot or grade sorts last. */
function isAfter({ articleReference, within }: StockPosition): Statement {
  if (within === null) return sql`g.article > ${articleReference}`;
  const { stockUnitID, articleLotNumber, gradeCode } = within;
  const beyond = (column: Sql, value: string | null): Sql =>
    value === null ? sql`false` : sql`(${column} > ${value} or ${column} is null)`;
  const equal = (column: Sql, value: string | null): Sql =>
    value === null ? sql`${column} is null` : sql`${column} = ${value}`;
  const [unit, lot, grade] = [sql`g.unit`, sql`g.lot`, sql`g.grade`];
  return sql`
    (g.article > ${articleReference} or ${beyond(unit, stockUnitID)} or ${equal(unit, stockUnitID)} and (
      ${beyond(lot, articleLotNumber)} or ${equal(lot, articleLotNumber)} and ${beyond(grade, gradeCode)}
    ))
  `;
}

function toSum(row: Row): StockSum {
  const [joined, before, movedIn, movedOut, after, late, uncounted, differing, difference] = row
    .slice(4, 13)
    .map(Number);
  return {
    ...toPlace(row),
    lotsJoined: joined === 1,
    before: before ?? 0,
    movedIn: movedIn ?? 0,
    movedOut: movedOut ?? 0,
    after: after ?? 0,
    late: late ?? 0,
    uncounted: uncounted ?? 0,
    grades: { differing: differing ?? 0, difference: difference ?? 0 },
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
