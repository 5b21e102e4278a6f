// In charge of the consumers of the outbox: what each was given and has taken in, activity by activity.
import type { ChangePosition } from '../model/plan.ts';
import { appendAudit } from './audit.ts';
import { type Dialect, type Engine, type Row, type WriteTransaction, placeholders } from './engine.ts';
import { holdRemoval, type Query, spanEnds } from './outbox-span.ts';
import type { ConsumerProgress, ConsumerStanding, NewAuditEntry } from './store.ts';

/** Waiting entries are counted up to here: how many more there are would take longer to find out than it is worth. */
export const mostCounted = 10_000;

/** Where one consumer stands. What was removed is looked up last: one that becomes known meanwhile never stands before it. */
export async function standingOf(engine: Engine, consumer: string, owners: readonly string[]): Promise<readonly ConsumerStanding[]> {
  const known = await knownStandings(engine.dialect, engine.read, consumer, owners);
  const start = await spanEnds(engine.dialect, engine.read, 'outbox-removed', owners);
  return owners.map((owner) => {
    const from = start[owner] ?? 0;
    return known.get(owner) ?? { consumer, owner, delivered: from, acknowledged: from, updatedAt: 0, export: null };
  });
}

/** Where one consumer stands, and what waits for it. */
export async function progressOf(engine: Engine, consumer: string, owners: readonly string[]): Promise<readonly ConsumerProgress[]> {
  return withWaiting(engine, owners, await standingOf(engine, consumer, owners));
}

/** Progress of all consumers, by their names. */
export async function allProgress(engine: Engine): Promise<readonly ConsumerProgress[]> {
  const rows = await engine.read({ text: `select ${standingColumns} from outbox_consumer order by consumer, owner`, values: [] });
  const standings = rows.map(toStanding);
  return withWaiting(engine, [...new Set(standings.map(({ owner }) => owner))], standings);
}

/** Notes what a consumer was given. Rows are written in the order of the activities' codes: two writers never wait for each other. */
export async function noteDelivered(engine: Engine, consumer: string, position: ChangePosition): Promise<void> {
  const owners = Object.keys(position).toSorted();
  const known = await knownStandings(engine.dialect, engine.read, consumer, owners);
  const behind = owners.filter((owner) => (known.get(owner)?.delivered ?? -1) < (position[owner] ?? 0));
  if (behind.length === 0) return;
  await engine.write(async (transaction) => {
    const now = await transaction.now();
    for (const owner of behind) {
      if (!known.has(owner)) await makeKnown(engine.dialect, transaction, consumer, owner, now);
      await raise(engine.dialect, transaction, { column: 'delivered', consumer, owner, to: position[owner] ?? 0, now });
    }
  });
}

/**
 * Notes what a consumer has taken in, in all the activities or in none.
 * @param audit entry of the trail, for an acknowledgement that changes something
 * @returns the activities, with what was delivered, in which the position lies beyond that; null when it was noted
 */
export async function acknowledge(engine: Engine, consumer: string, position: ChangePosition, audit: NewAuditEntry | null): Promise<ChangePosition | null> {
  const owners = Object.keys(position).toSorted();
  return engine.write(async (transaction) => {
    const known = await knownStandings(engine.dialect, transaction.query, consumer, owners);
    const start = await spanEnds(engine.dialect, transaction.query, 'outbox-removed', owners);
    const deliveredIn = (owner: string): number => known.get(owner)?.delivered ?? start[owner] ?? 0;
    const beyond = owners.filter((owner) => (position[owner] ?? 0) > deliveredIn(owner));
    if (beyond.length > 0) return Object.fromEntries(beyond.map((owner) => [owner, deliveredIn(owner)]));
    const now = await transaction.now();
    let moved = false;
    for (const owner of owners) moved = await raise(engine.dialect, transaction, { column: 'acknowledged', consumer, owner, to: position[owner] ?? 0, now }) || moved;
    if (moved && audit !== null) await appendAudit(engine, transaction, audit);
    return null;
  });
}

/** Notes the file of an export, which makes the consumer known, or that there is none. */
export async function noteExport(engine: Engine, consumer: string, owner: string, file: ConsumerProgress['export']): Promise<void> {
  await engine.write(async (transaction) => {
    const now = await transaction.now();
    if (file !== null) await makeKnown(engine.dialect, transaction, consumer, owner, now);
    const { values, add } = placeholders(engine.dialect);
    const set = `export_file = ${add(file?.file ?? null)}, export_to = ${add(file?.to ?? null)}, updated_at = ${add(now)}`;
    await transaction.query({ text: `update outbox_consumer set ${set} where owner = ${add(owner)} and consumer = ${add(consumer)}`, values });
  });
}

/** Forgets a consumer, in the order of the activities' codes as everybody. Returns whether it was known. */
export async function forget({ dialect, write }: Engine, consumer: string): Promise<boolean> {
  return write(async (transaction) => {
    const known = placeholders(dialect);
    const rows = await transaction.query({ text: `select owner from outbox_consumer where consumer = ${known.add(consumer)} order by owner`, values: known.values });
    for (const [owner] of rows) {
      const { values, add } = placeholders(dialect);
      await transaction.query({ text: `delete from outbox_consumer where owner = ${add(String(owner))} and consumer = ${add(consumer)}`, values });
    }
    return rows.length > 0;
  });
}

const standingColumns = 'owner, consumer, delivered, acknowledged, export_file, export_to, updated_at';

function toStanding([owner, consumer, delivered, acknowledged, file, to, updatedAt]: Row): ConsumerStanding {
  return {
    consumer: String(consumer), owner: String(owner), delivered: Number(delivered), acknowledged: Number(acknowledged), updatedAt: Number(updatedAt),
    export: typeof file === 'string' ? { file, to: Number(to) } : null,
  };
}

/** Where a consumer stands, of the activities in which it is known. */
async function knownStandings(dialect: Dialect, query: Query, consumer: string, owners: readonly string[]): Promise<ReadonlyMap<string, ConsumerStanding>> {
  if (owners.length === 0) return new Map();
  const { values, add } = placeholders(dialect);
  const where = `where consumer = ${add(consumer)} and owner in (${owners.map(add).join(', ')})`;
  const rows = await query({ text: `select ${standingColumns} from outbox_consumer ${where}`, values });
  return new Map(rows.map(toStanding).map((standing) => [standing.owner, standing]));
}

async function withWaiting(engine: Engine, owners: readonly string[], standings: readonly ConsumerStanding[]): Promise<readonly ConsumerProgress[]> {
  const ends = await spanEnds(engine.dialect, engine.read, 'outbox', owners);
  const progress: ConsumerProgress[] = [];
  for (const standing of standings) {
    const isBehind = standing.acknowledged < (ends[standing.owner] ?? 0);
    progress.push({ ...standing, ...(isBehind ? await waitingAfter(engine, standing.owner, standing.acknowledged) : nothing) });
  }
  return progress;
}

type Waiting = Pick<ConsumerProgress, 'waiting' | 'waitingSince'>;

const nothing: Waiting = { waiting: 0, waitingSince: null };

async function waitingAfter({ dialect, read }: Engine, owner: string, position: number): Promise<Waiting> {
  const { values, add } = placeholders(dialect);
  const after = `from outbox_entry where owner = ${add(owner)} and change_number > ${add(position)} order by change_number`;
  const [oldest] = await read({ text: `select created_at ${after} limit 1`, values });
  if (oldest === undefined) return nothing;
  const [count] = await read({ text: `select count(*) from (select 1 ${after} limit ${mostCounted}) as counted`, values });
  return { waiting: Number(count?.[0]), waitingSince: Number(oldest[0]) };
}

interface Raise { readonly column: 'delivered' | 'acknowledged'; readonly consumer: string; readonly owner: string; readonly to: number; readonly now: number }

/** Moves a consumer forward; one that is there already, or further, is left alone. Returns whether it moved. */
async function raise(dialect: Dialect, transaction: WriteTransaction, { column, consumer, owner, to, now }: Raise): Promise<boolean> {
  const { values, add } = placeholders(dialect);
  const set = `${column} = ${add(to)}, updated_at = ${add(now)}`;
  const text = `update outbox_consumer set ${set} where owner = ${add(owner)} and consumer = ${add(consumer)} and ${column} < ${add(to)} returning owner`;
  return (await transaction.query({ text, values })).length > 0;
}

/** From now on nothing is removed that the consumer has not acknowledged. One that is known already is left alone. */
async function makeKnown(dialect: Dialect, transaction: WriteTransaction, consumer: string, owner: string, now: number): Promise<void> {
  const start = await holdRemoval(dialect, transaction, owner);
  const { values, add } = placeholders(dialect);
  const row = [owner, consumer, start, start, null, null, now, now].map(add).join(', ');
  const columns = 'owner, consumer, delivered, acknowledged, export_file, export_to, created_at, updated_at';
  await transaction.query({ text: `insert into outbox_consumer (${columns}) values (${row}) on conflict (owner, consumer) do nothing`, values });
}
