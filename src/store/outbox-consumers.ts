// In charge of the consumers of the outbox: what each was given and has taken in, activity by activity.
import { textBlock } from '../model/text-block.ts';
import type { ChangePosition } from '../model/plan.ts';
import { appendAudit } from './audit.ts';
import { type Dialect, type Engine, type Row, type WriteTransaction, placeholders } from './engine.ts';
import { holdRemoval, type Query, spanEnds } from './outbox-span.ts';
import type { ConsumerProgress, ConsumerStanding, MadeKnownBy } from './outbox-contract.ts';
import type { NewAuditEntry } from './store.ts';
import { turnsOf } from './turns.ts';

/** Waiting entries are counted up to here: how many more there are would take longer to find out than it is worth. */
export const mostCounted = 10_000;

/**
 * Where one consumer stands. What was removed is looked up last: one that becomes known meanwhile never stands before
 * it.
 */
export async function standingOf(
  engine: Engine,
  consumer: string,
  owners: readonly string[],
): Promise<readonly ConsumerStanding[]> {
  const known = await knownStandings(engine.dialect, engine.read, consumer, owners);
  const start = await spanEnds(engine.dialect, engine.read, 'outbox-removed', owners);
  return owners.map((owner) => {
    const from = start[owner] ?? 0;
    return known.get(owner) ?? { consumer, owner, delivered: from, acknowledged: from, updatedAt: 0, export: null };
  });
}

/** Where one consumer stands, and what waits for it. */
export async function progressOf(
  engine: Engine,
  consumer: string,
  owners: readonly string[],
): Promise<readonly ConsumerProgress[]> {
  return withWaiting(engine, owners, await standingOf(engine, consumer, owners));
}

/** Progress of all consumers, by their names. However many there are, it holds up nobody. */
export async function allProgress(engine: Engine): Promise<readonly ConsumerProgress[]> {
  const standings: ConsumerStanding[] = [];
  const turn = turnsOf('outside');
  for (;;) {
    const page = await standingsAfter(engine, standings.at(-1) ?? null);
    if (page.length === 0) break;
    standings.push(...page);
    await turn();
  }
  standings.sort((a, b) => compare(a.consumer, b.consumer) || compare(a.owner, b.owner));
  return withWaiting(engine, [...new Set(standings.map(({ owner }) => owner))], standings);
}

/**
 * Notes what a consumer was given. Rows are written in the order of the activities' codes: two writers never wait for
 * each other.
 * @param by the key that reads as the consumer; null: a command does
 * @returns false, and nothing is noted, where the key may make no further consumer known
 */
export async function noteDelivered(
  engine: Engine,
  consumer: string,
  position: ChangePosition,
  by: MadeKnownBy | null,
): Promise<boolean> {
  const owners = Object.keys(position).toSorted();
  const known = await knownStandings(engine.dialect, engine.read, consumer, owners);
  const behind = owners.filter((owner) => (known.get(owner)?.delivered ?? -1) < (position[owner] ?? 0));
  if (behind.length === 0) return true;
  return engine.write(async (transaction) => {
    const unknown = behind.filter((owner) => !known.has(owner));
    // Held before anything is counted: of two new consumers of one key, the second one sees the first.
    const starts = new Map<string, number>();
    for (const owner of unknown) starts.set(owner, await holdRemoval(engine.dialect, transaction, owner));
    if (by !== null && unknown.length > 0) {
      const names = await consumersOf(engine.dialect, transaction.query, by);
      if (!hasRoom(names, consumer, by)) return false;
    }
    const now = await transaction.now();
    for (const owner of behind) {
      const start = starts.get(owner);
      if (start !== undefined)
        await makeKnown(engine.dialect, transaction, { consumer, owner, start, now, keyId: by?.keyId ?? null });
      await raise(engine.dialect, transaction, { column: 'delivered', consumer, owner, to: position[owner] ?? 0, now });
    }
    return true;
  });
}

/** The consumers that a key has made known, where this would be one more than it may; null: it may go on. */
export async function consumersInTheWay(
  engine: Engine,
  consumer: string,
  by: MadeKnownBy,
): Promise<readonly string[] | null> {
  const names = await consumersOf(engine.dialect, engine.read, by);
  return hasRoom(names, consumer, by) ? null : names;
}

/**
 * Notes what a consumer has taken in, in all the activities or in none.
 * @param audit entry of the trail, for an acknowledgement that changes something
 * @returns the activities, with what was delivered, in which the position lies beyond that; null when it was noted
 */
export async function acknowledge(
  engine: Engine,
  consumer: string,
  position: ChangePosition,
  audit: NewAuditEntry | null,
): Promise<ChangePosition | null> {
  const owners = Object.keys(position).toSorted();
  return engine.write(async (transaction) => {
    const known = await knownStandings(engine.dialect, transaction.query, consumer, owners);
    const start = await spanEnds(engine.dialect, transaction.query, 'outbox-removed', owners);
    const deliveredIn = (owner: string): number => known.get(owner)?.delivered ?? start[owner] ?? 0;
    const beyond = owners.filter((owner) => (position[owner] ?? 0) > deliveredIn(owner));
    if (beyond.length > 0) return Object.fromEntries(beyond.map((owner) => [owner, deliveredIn(owner)]));
    const now = await transaction.now();
    let moved = false;
    for (const owner of owners)
      moved =
        (await raise(engine.dialect, transaction, {
          column: 'acknowledged',
          consumer,
          owner,
          to: position[owner] ?? 0,
          now,
        })) || moved;
    if (moved && audit !== null) await appendAudit(engine, transaction, audit);
    return null;
  });
}

/** Notes the file of an export, which makes the consumer known, or that there is none. */
export async function noteExport(
  engine: Engine,
  consumer: string,
  owner: string,
  file: ConsumerProgress['export'],
): Promise<void> {
  await engine.write(async (transaction) => {
    const now = await transaction.now();
    if (file !== null) {
      const start = await holdRemoval(engine.dialect, transaction, owner);
      await makeKnown(engine.dialect, transaction, { consumer, owner, start, now, keyId: null });
    }
    const { values, add } = placeholders(engine.dialect);
    const set = textBlock`
      export_file = ${add(file?.file ?? null)}, export_to = ${add(file?.to ?? null)}, updated_at = ${add(now)}
    `;
    await transaction.query({
      text: `update outbox_consumer set ${set} where owner = ${add(owner)} and consumer = ${add(consumer)}`,
      values,
    });
  });
}

/** Forgets a consumer, in the order of the activities' codes as everybody. Returns whether it was known. */
export async function forget({ dialect, write }: Engine, consumer: string): Promise<boolean> {
  return write(async (transaction) => {
    const known = placeholders(dialect);
    const rows = await transaction.query({
      text: `select owner from outbox_consumer where consumer = ${known.add(consumer)} order by owner`,
      values: known.values,
    });
    for (const [owner] of rows) {
      const { values, add } = placeholders(dialect);
      await transaction.query({
        text: `delete from outbox_consumer where owner = ${add(String(owner))} and consumer = ${add(consumer)}`,
        values,
      });
    }
    return rows.length > 0;
  });
}

/**
 * The consumers that a key has made known and that nobody has forgotten, by their names; more than it may have are cut
 * off.
 */
async function consumersOf(dialect: Dialect, query: Query, { keyId, most }: MadeKnownBy): Promise<readonly string[]> {
  const { values, add } = placeholders(dialect);
  const where = `where key_id = ${add(keyId)} order by consumer limit ${add(most)}`;
  const rows = await query({ text: `select distinct consumer from outbox_consumer ${where}`, values });
  return rows.map(([consumer]) => String(consumer));
}

function hasRoom(names: readonly string[], consumer: string, { most }: MadeKnownBy): boolean {
  return names.length < most || names.includes(consumer);
}

/** Rows that are read at a time, so that no reading takes long. */
const readAtOnce = 500;

/** Where consumers stand, activity after activity; the next ones after one of them. */
async function standingsAfter(
  { dialect, read }: Engine,
  last: ConsumerStanding | null,
): Promise<readonly ConsumerStanding[]> {
  const { values, add } = placeholders(dialect);
  const where = last === null ? '' : `where (owner, consumer) > (${add(last.owner)}, ${add(last.consumer)})`;
  const order = `order by owner, consumer limit ${add(readAtOnce)}`;
  return (await read({ text: `select ${standingColumns} from outbox_consumer ${where} ${order}`, values })).map(
    toStanding,
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const standingColumns = 'owner, consumer, delivered, acknowledged, export_file, export_to, updated_at';

function toStanding([owner, consumer, delivered, acknowledged, file, to, updatedAt]: Row): ConsumerStanding {
  return {
    consumer: String(consumer),
    owner: String(owner),
    delivered: Number(delivered),
    acknowledged: Number(acknowledged),
    updatedAt: Number(updatedAt),
    export: typeof file === 'string' ? { file, to: Number(to) } : null,
  };
}

/** Where a consumer stands, of the activities in which it is known. */
async function knownStandings(
  dialect: Dialect,
  query: Query,
  consumer: string,
  owners: readonly string[],
): Promise<ReadonlyMap<string, ConsumerStanding>> {
  if (owners.length === 0) return new Map();
  const { values, add } = placeholders(dialect);
  const where = `where consumer = ${add(consumer)} and owner in (${owners.map(add).join(', ')})`;
  const rows = await query({ text: `select ${standingColumns} from outbox_consumer ${where}`, values });
  return new Map(rows.map(toStanding).map((standing) => [standing.owner, standing]));
}

async function withWaiting(
  engine: Engine,
  owners: readonly string[],
  standings: readonly ConsumerStanding[],
): Promise<readonly ConsumerProgress[]> {
  const ends = await spanEnds(engine.dialect, engine.read, 'outbox', owners);
  const positions = new Map<string, Set<number>>();
  for (const { owner, acknowledged } of standings) {
    if (acknowledged < (ends[owner] ?? 0)) positions.set(owner, (positions.get(owner) ?? new Set()).add(acknowledged));
  }
  const waiting = new Map<string, ReadonlyMap<number, Waiting>>();
  for (const [owner, behind] of positions) {
    waiting.set(
      owner,
      await waitingAfter(
        engine,
        owner,
        [...behind].sort((a, b) => b - a),
      ),
    );
  }
  const waitingFor = ({ owner, acknowledged }: ConsumerStanding): Waiting =>
    waiting.get(owner)?.get(acknowledged) ?? nothing;
  return standings.map((standing) => ({ ...standing, ...waitingFor(standing) }));
}

type Waiting = Pick<ConsumerProgress, 'waiting' | 'waitingSince'>;

const nothing: Waiting = { waiting: 0, waitingSince: null };

/**
 * What waits after each of several positions. Each entry is counted once, from the end, so that an activity costs as
 * much as its furthest consumer, however many there are; between the statements others have their turns.
 * @param positions the last one first
 */
async function waitingAfter(
  engine: Engine,
  owner: string,
  positions: readonly number[],
): Promise<ReadonlyMap<number, Waiting>> {
  const turn = turnsOf('outside');
  const waiting = new Map<number, Waiting>();
  let counted = 0;
  let upTo: number | null = null;
  for (const position of positions) {
    if (counted < mostCounted)
      counted += await countBetween(engine, { owner, after: position, upTo, most: mostCounted - counted });
    upTo = position;
    waiting.set(
      position,
      counted === 0 ? nothing : { waiting: counted, waitingSince: await writtenAfter(engine, owner, position) },
    );
    await turn();
  }
  return waiting;
}

interface Span {
  readonly owner: string;
  readonly after: number;
  /** Null: to the end. */
  readonly upTo: number | null;
  /** Counted up to here. */
  readonly most: number;
}

/** Entries of a span. */
async function countBetween({ dialect, read }: Engine, { owner, after, upTo, most }: Span): Promise<number> {
  const { values, add } = placeholders(dialect);
  const conditions = [
    `owner = ${add(owner)}`,
    `change_number > ${add(after)}`,
    ...(upTo === null ? [] : [`change_number <= ${add(upTo)}`]),
  ];
  const entries = textBlock`
    select 1 from outbox_entry where ${conditions.join(' and ')} order by change_number limit ${add(most)}
  `;
  const [row] = await read({ text: `select count(*) from (${entries}) as counted`, values });
  return Number(row?.[0]);
}

/** When the first entry after a position was written, milliseconds; null where there is none any more. */
async function writtenAfter({ dialect, read }: Engine, owner: string, position: number): Promise<number | null> {
  const { values, add } = placeholders(dialect);
  const where = `where owner = ${add(owner)} and change_number > ${add(position)}`;
  const [row] = await read({
    text: `select created_at from outbox_entry ${where} order by change_number limit 1`,
    values,
  });
  return row === undefined ? null : Number(row[0]);
}

interface Raise {
  readonly column: 'delivered' | 'acknowledged';
  readonly consumer: string;
  readonly owner: string;
  readonly to: number;
  readonly now: number;
}

/** Moves a consumer forward; one that is there already, or further, is left alone. Returns whether it moved. */
async function raise(
  dialect: Dialect,
  transaction: WriteTransaction,
  { column, consumer, owner, to, now }: Raise,
): Promise<boolean> {
  const { values, add } = placeholders(dialect);
  const set = `${column} = ${add(to)}, updated_at = ${add(now)}`;
  const text = textBlock`
    update outbox_consumer set ${set} where owner = ${add(owner)} and consumer = ${add(consumer)} and ${column} <
    ${add(to)} returning owner
  `;
  return (await transaction.query({ text, values })).length > 0;
}

interface NewConsumer {
  readonly consumer: string;
  readonly owner: string;
  /** Up to where entries have been removed: of `holdRemoval`, in the same transaction. */
  readonly start: number;
  readonly now: number;
  readonly keyId: string | null;
}

/** From now on nothing is removed that the consumer has not acknowledged. One that is known already is left alone. */
async function makeKnown(
  dialect: Dialect,
  transaction: WriteTransaction,
  { consumer, owner, start, now, keyId }: NewConsumer,
): Promise<void> {
  const { values, add } = placeholders(dialect);
  const row = [owner, consumer, start, start, null, null, now, now, keyId].map(add).join(', ');
  const columns = 'owner, consumer, delivered, acknowledged, export_file, export_to, created_at, updated_at, key_id';
  await transaction.query({
    text: `insert into outbox_consumer (${columns}) values (${row}) on conflict (owner, consumer) do nothing`,
    values,
  });
}
