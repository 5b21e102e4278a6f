// How far the consumers of the outbox have come, and what waits for them.
import type { ChangePosition } from '../model/plan.ts';
import type { Engine, RunStatement } from './engine.ts';
import type { ConsumerProgress, ConsumerPosition } from './outbox-contract.ts';
import { perActivity } from './per-activity.ts';
import { spanEnds } from './outbox-span.ts';
import { rowsAs, sql } from './statement.ts';
import { selectRows } from './table-statements.ts';
import type { RowOf } from './table.ts';
import { outboxConsumerTable } from './tables/writes.ts';
import { cooperativeYield } from '../model/cooperative-yield.ts';

/** Waiting entries are counted up to this number: an exact count beyond it would take longer than it is worth. */
export const maxCountedEntries = 10_000;

/**
 * The position of one consumer. Removals are looked up last, so that a consumer that becomes known meanwhile never
 * stands before them.
 */
export async function positionsOf(
  engine: Engine,
  consumer: string,
  activities: readonly string[],
): Promise<readonly ConsumerPosition[]> {
  const known = await knownPositions(engine, engine.read, consumer, activities);
  const start = await spanEnds(engine, engine.read, 'outbox-removed', activities);
  return activities.map((activity) => {
    const from = start[activity] ?? 0;
    return (
      known.get(activity) ?? { consumer, activity, delivered: from, acknowledged: from, updatedAt: 0, export: null }
    );
  });
}

/** The position of one consumer, and what waits for it. */
export async function progressOf(
  engine: Engine,
  consumer: string,
  activities: readonly string[],
): Promise<readonly ConsumerProgress[]> {
  return withWaiting(engine, activities, await positionsOf(engine, consumer, activities));
}

/** Progress of all consumers, by name. However many there are, other work is not held up. */
export async function allProgress(engine: Engine): Promise<readonly ConsumerProgress[]> {
  const positions: ConsumerPosition[] = [];
  const turn = cooperativeYield('outside');
  for (;;) {
    const page = await positionsAfter(engine, positions.at(-1) ?? null);
    if (page.length === 0) break;
    positions.push(...page);
    await turn();
  }
  positions.sort((a, b) => compare(a.consumer, b.consumer) || compare(a.activity, b.activity));
  return withWaiting(engine, [...new Set(positions.map(({ activity }) => activity))], positions);
}

/** The positions of a consumer in the activities in which it is known. */
export async function knownPositions(
  engine: Pick<Engine, 'isDistributed'>,
  query: RunStatement,
  consumer: string,
  activities: readonly string[],
): Promise<ReadonlyMap<string, ConsumerPosition>> {
  const rows = await perActivity(engine, query, activities, (some) =>
    selectRows(outboxConsumerTable, { consumer, activity: some }),
  );
  return new Map(rows.map(toPosition).map((position) => [position.activity, position]));
}

/** Rows read at a time, so that no read takes long. */
const readAtOnce = 500;

/** One page of consumers' positions, by activity: those after the last one read. */
async function positionsAfter({ read }: Engine, last: ConsumerPosition | null): Promise<readonly ConsumerPosition[]> {
  const after = last === null ? sql`true` : sql`(owner, consumer) > (${last.activity}, ${last.consumer})`;
  const rows = selectRows(outboxConsumerTable, after, { by: ['activity', 'consumer'], limit: readAtOnce });
  return (await read(rows)).map(toPosition);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function toPosition(row: RowOf<typeof outboxConsumerTable>): ConsumerPosition {
  const { consumer, activity, delivered, acknowledged, updatedAt, exportFile, exportTo } = row;
  return {
    consumer,
    activity,
    delivered,
    acknowledged,
    updatedAt,
    export: exportFile === null ? null : { file: exportFile, to: exportTo ?? 0 },
  };
}

async function withWaiting(
  engine: Engine,
  activities: readonly string[],
  reached: readonly ConsumerPosition[],
): Promise<readonly ConsumerProgress[]> {
  const waiting = new Map<string, ReadonlyMap<number, Waiting>>();
  for (const [activity, positions] of behindTheEnd(reached, await spanEnds(engine, engine.read, 'outbox', activities)))
    waiting.set(activity, await waitingAfter(engine, activity, positions));
  const waitingFor = ({ activity, acknowledged }: ConsumerPosition): Waiting =>
    waiting.get(activity)?.get(acknowledged) ?? nothing;
  return reached.map((each) => ({ ...each, ...waitingFor(each) }));
}

/** The distinct positions in each activity after which anything waits, the last one first. */
function behindTheEnd(
  reached: readonly ConsumerPosition[],
  ends: ChangePosition,
): ReadonlyMap<string, readonly number[]> {
  const positions = new Map<string, Set<number>>();
  for (const { activity, acknowledged } of reached) {
    if (acknowledged < (ends[activity] ?? 0))
      positions.set(activity, (positions.get(activity) ?? new Set()).add(acknowledged));
  }
  return new Map([...positions].map(([activity, behind]) => [activity, [...behind].sort((a, b) => b - a)]));
}

type Waiting = Pick<ConsumerProgress, 'waiting' | 'waitingSince'>;

const nothing: Waiting = { waiting: 0, waitingSince: null };

/**
 * What waits after each of several positions. Entries are counted from the end, each once, so the cost for an activity
 * depends on the consumer furthest behind, not on the number of consumers; other work gets its turn between the
 * statements.
 * @param positions the last one first
 */
async function waitingAfter(
  engine: Engine,
  activity: string,
  positions: readonly number[],
): Promise<ReadonlyMap<number, Waiting>> {
  const turn = cooperativeYield('outside');
  const waiting = new Map<number, Waiting>();
  let counted = 0;
  let upTo: number | null = null;
  for (const position of positions) {
    if (counted < maxCountedEntries)
      counted += await countBetween(engine, { activity, after: position, upTo, max: maxCountedEntries - counted });
    upTo = position;
    waiting.set(
      position,
      counted === 0 ? nothing : { waiting: counted, waitingSince: await writtenAfter(engine, activity, position) },
    );
    await turn();
  }
  return waiting;
}

interface Span {
  readonly activity: string;
  readonly after: number;
  /** Null: to the end. */
  readonly upTo: number | null;
  /** Counting stops at this number. */
  readonly max: number;
}

/** The number of entries in a span. */
async function countBetween({ read }: Engine, { activity, after, upTo, max }: Span): Promise<number> {
  const conditions = [
    sql`owner = ${activity}`,
    sql`change_number > ${after}`,
    ...(upTo === null ? [] : [sql`change_number <= ${upTo}`]),
  ];
  const entries = sql`
    select 1 from outbox_entry where ${sql.all(conditions)} order by change_number limit ${max}
  `;
  const [count = 0] = await read(rowsAs(sql`select count(*) from (${entries}) as counted`, ([cell]) => Number(cell)));
  return count;
}

/** When the first entry after a position was written, milliseconds; null if there is none any more. */
async function writtenAfter({ read }: Engine, activity: string, position: number): Promise<number | null> {
  const [row] = await read(
    sql`
      select created_at from outbox_entry where owner = ${activity} and change_number > ${position} order by
      change_number limit 1
    `,
  );
  return row === undefined ? null : Number(row[0]);
}
