// The audit trail: who wrote what, when, from where, and with what outcome.
import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { removeInBatches } from './batches.ts';
import type { Engine, Reader, WriteTransaction } from './engine.ts';
import { anyOf, keysOf } from './sql-dialects.ts';
import { perEngine, planAnew, type Sql, sql, type Statement } from './statement.ts';
import type { AuditEntry, AuditQuery, AuditTrail, EntryOf, NewAuditEntry } from './audit-contract.ts';
import type { RowOf } from './table.ts';
import { countRows, insert, selectRows } from './table-statements.ts';
import { auditEntryTable } from './tables/writes.ts';

/** The reader on whose behalf the command line asks. */
const operator: Reader = { client: 'operator' };

/** Most entries that one read returns. */
const maxEntries = 1000;

/**
 * Adds an entry in a transaction, so that the entry exists exactly if the change that it describes does. On the
 * embedded database it takes its number at once, since only one transaction writes at a time. On PostgreSQL all writes
 * of all activities would contend for one counter, so there the entry waits until `numberEntries` gives it a number.
 */
export async function appendAudit(transaction: WriteTransaction, entry: NewAuditEntry): Promise<void> {
  const { details } = entry;
  const [changeNumber, at] = await Promise.all([nextNumber(transaction), transaction.now()]);
  const row = {
    ...entry,
    changeNumber: changeNumber ?? waitingNumber(),
    id: uuidv7(),
    at,
    actor: storable(entry.actor),
    subject: storableOrNull(entry.subject),
    action: storable(entry.action),
    activityCodes: entry.activityCodes.map(storable),
    target: storableOrNull(entry.target),
    operationId: storableOrNull(entry.operationId),
    address: storableOrNull(entry.address),
    details: details === null || details === undefined ? null : storable(JSON.stringify(details)),
  };
  await transaction.query(insert(auditEntryTable, row));
}

/** Adds the entry of what a transaction has done, if there is one. */
export async function appendEntryOf<T>(transaction: WriteTransaction, done: T, entryOf?: EntryOf<T>): Promise<void> {
  const entry = entryOf?.(done) ?? null;
  if (entry !== null) await appendAudit(transaction, entry);
}

/** The audit trail of a database. */
export function createAuditTrail(engine: Engine): AuditTrail {
  return {
    append: (entry) => engine.write((transaction) => appendAudit(transaction, entry)),
    read: async (query, reader = operator) => {
      if (query.limit > maxEntries)
        throw new Error(`the audit trail is read in pages of at most ${maxEntries} entries`);
      await numberEntries(engine);
      // Of many entries, few may concern the activities asked for.
      return (await engine.readLong(pageStatement(query), reader)).map(toEntry);
    },
    has: async (id) => (await engine.read(countRows(auditEntryTable, { id })))[0] !== 0,
    number: () => numberEntries(engine),
    removeBefore: (before) => removeBefore(engine, before),
  };
}

/** The next number of the trail; null if the entry has to wait for it. */
async function nextNumber(transaction: WriteTransaction): Promise<number | null> {
  const [row] = await transaction.query(perEngine({ sqlite: () => raisedBy(1), postgres: () => sql`` }));
  return row === undefined ? null : Number(row[0]);
}

/** Raises the counter of the trail and locks it until the transaction ends; returns the last number. */
function raisedBy(count: number): Statement {
  return sql`
    insert into revision (owner, resource, last_change) values (${''}, ${'audit'}, ${count}) on conflict
    (owner, resource) do update set last_change = revision.last_change + excluded.last_change returning last_change
  `;
}

/** Entries numbered in one transaction. */
const numberedAtOnce = 5000;

/** A random negative number that no other entry has: the column is never empty, and its values are unique. */
function waitingNumber(): number {
  return -1 - Number.parseInt(randomBytes(6).toString('hex'), 16);
}

const isWaiting = sql`change_number < 0`;

/**
 * Numbers all present entries in the order of their times. The transaction first takes the counter and then looks for
 * entries: one that it cannot see yet gets a higher number later, so a reader that has read up to a number will never
 * miss a smaller one. On the embedded database, such entries occur only in a backup restored from PostgreSQL.
 */
async function numberEntries(engine: Engine): Promise<void> {
  const any = sql`select 1 from audit_entry where ${isWaiting} limit 1`;
  for (let count = numberedAtOnce; count === numberedAtOnce; ) {
    if ((await engine.read(any)).length === 0) return;
    count = await engine.write(async ({ query }) => {
      const [counter] = await query(raisedBy(0));
      const last = Number(counter?.[0]);
      const numbered = await query(
        planAnew(sql`
          update audit_entry set change_number = ${last} + waiting.place from (
            select id, row_number() over (order by at, id) as place from audit_entry where ${isWaiting}
            order by at, id limit ${numberedAtOnce}
          ) as waiting where audit_entry.id = waiting.id returning 1
        `),
      );
      await query(raisedBy(numbered.length));
      return numbered.length;
    });
  }
}

/**
 * Refused input may contain anything; PostgreSQL stores no NUL character, and an unpaired surrogate has no UTF-8 form.
 */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}');
}

function storableOrNull(text: string | null): string | null {
  return text === null ? null : storable(text);
}

/** The statement of one read. `since` is included in the requested span, `until` is not. */
export function pageStatement(query: AuditQuery): Statement<RowOf<typeof auditEntryTable>> {
  const conditions: Sql[] = [sql`change_number > 0`];
  if (query.activityCodes !== null) conditions.push(concernsAnyOf(query.activityCodes.map(storable)));
  for (const name of ['operationId', 'action', 'actor'] as const) {
    const text = query[name];
    if (text !== null) conditions.push(sql`${auditEntryTable.column[name]} = ${storable(text)}`);
  }
  if (query.since !== null) conditions.push(sql`at >= ${query.since}`);
  if (query.until !== null) conditions.push(sql`at < ${query.until}`);
  // Nothing follows an unknown entry.
  if (query.after !== null) {
    const comesAfter = query.newestFirst ? sql`<` : sql`>`;
    conditions.push(sql`change_number ${comesAfter} (select change_number from audit_entry where id = ${query.after})`);
  }
  return selectRows(auditEntryTable, sql.all(conditions), {
    by: ['changeNumber'],
    descending: query.newestFirst,
    limit: query.limit,
  });
}

function concernsAnyOf(codes: readonly string[]): Statement {
  return perEngine({
    sqlite: () => sql`exists (select 1 from json_each(activity_codes) where ${anyOf(sql`value`, codes)})`,
    postgres: () => sql`activity_codes::jsonb ?| ${keysOf(codes)}`,
  });
}

function toEntry({ changeNumber: _, details, ...entry }: RowOf<typeof auditEntryTable>): AuditEntry {
  return { ...entry, details: details === null ? null : JSON.parse(details) };
}

function removeBefore(engine: Engine, before: number): Promise<number> {
  return removeInBatches(engine, { table: auditEntryTable.name, where: sql`at < ${before}`, by: 'at' });
}
