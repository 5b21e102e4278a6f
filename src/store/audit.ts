// In charge of the audit trail: who wrote what, when, from where, and with what outcome.
import { textBlock } from '../model/text-block.ts';
import { v7 as uuidv7 } from 'uuid';
import { removeInBatches } from './batches.ts';
import {
  arrayText,
  type Engine,
  type Placeholders,
  type Reader,
  type Row,
  type Statement,
  type WriteTransaction,
  placeholders,
} from './engine.ts';
import type { AuditEntry, AuditQuery, AuditTrail, NewAuditEntry } from './store.ts';

/** Who asks at the command line. */
const operator: Reader = { client: 'operator' };

/** Entries that one reading returns at most. */
const mostEntries = 1000;

/**
 * Adds an entry in a transaction, so that it is there exactly if what it tells of is. It is the last thing that the
 * transaction does: until its end nobody else can add one.
 */
export async function appendAudit(
  engine: Pick<Engine, 'dialect'>,
  transaction: WriteTransaction,
  entry: NewAuditEntry,
): Promise<void> {
  const { values, add } = placeholders(engine.dialect);
  const row = [
    await nextNumber(engine.dialect, transaction),
    uuidv7(),
    await transaction.now(),
    entry.actorKind,
    entry.actor,
    entry.subject,
    entry.action,
    JSON.stringify(entry.activityCodes.map(storable)),
    entry.target,
    entry.operationId,
    entry.outcome,
    entry.address,
    entry.details === null || entry.details === undefined ? null : JSON.stringify(entry.details),
  ];
  const cells = row.map((value) => add(typeof value === 'string' ? storable(value) : value));
  await transaction.query({
    text: `insert into audit_entry (change_number, ${columns}) values (${cells.join(', ')})`,
    values,
  });
}

/** The audit trail of a database. */
export function createAuditTrail(engine: Engine): AuditTrail {
  return {
    append: (entry) => engine.write((transaction) => appendAudit(engine, transaction, entry)),
    read: async (query, reader = operator) => {
      if (query.limit > mostEntries)
        throw new Error(`the audit trail is read in pages of at most ${mostEntries} entries`);
      // Of many entries few may concern the activities that are asked for.
      return (await engine.readLong(pageStatement(engine.dialect, query), reader)).map(toEntry);
    },
    has: async (id) => {
      const { values, add } = placeholders(engine.dialect);
      return (await engine.read({ text: `select 1 from audit_entry where id = ${add(id)}`, values })).length > 0;
    },
    removeBefore: (before) => removeBefore(engine, before),
  };
}

const columns =
  'id, at, actor_kind, actor, subject, action, activity_codes, target, operation_id, outcome, address, details';

/**
 * Locks the counter of the trail until the transaction ends: whoever reads up to a number will never find a smaller one
 * later.
 */
async function nextNumber(dialect: Engine['dialect'], transaction: WriteTransaction): Promise<number> {
  const { values, add } = placeholders(dialect);
  const insert = `insert into revision (owner, resource, last_change) values (${add('')}, ${add('audit')}, 1)`;
  const [row] = await transaction.query({
    text: textBlock`
      ${insert} on conflict (owner, resource) do update set last_change = revision.last_change + 1 returning last_change
    `,
    values,
  });
  return Number(row?.[0]);
}

/** What was refused may hold anything; PostgreSQL stores no zero character, and half a surrogate pair has no UTF-8. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}');
}

/** The statement of one reading. `since` belongs to the span that is asked for, `until` no longer does. */
export function pageStatement(dialect: Engine['dialect'], query: AuditQuery): Statement {
  const { values, add } = placeholders(dialect);
  const conditions: string[] = [];
  if (query.activityCodes !== null) conditions.push(concernsAnyOf(dialect, query.activityCodes.map(storable), add));
  for (const [column, text] of [
    ['operation_id', query.operationId],
    ['action', query.action],
    ['actor', query.actor],
  ] as const) {
    if (text !== null) conditions.push(`${column} = ${add(storable(text))}`);
  }
  if (query.since !== null) conditions.push(`at >= ${add(query.since)}`);
  if (query.until !== null) conditions.push(`at < ${add(query.until)}`);
  // After an entry that is not there comes nothing.
  if (query.after !== null)
    conditions.push(
      textBlock`
        change_number ${query.newestFirst ? '<' : '>'} (select change_number from audit_entry where id =
        ${add(query.after)})
      `,
    );
  const where = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`;
  return {
    text: textBlock`
      select ${columns} from audit_entry${where} order by change_number ${query.newestFirst ? 'desc' : 'asc'} limit
      ${add(query.limit)}
    `,
    values,
  };
}

function concernsAnyOf(dialect: Engine['dialect'], codes: readonly string[], add: Placeholders['add']): string {
  return dialect === 'sqlite'
    ? textBlock`
      exists (select 1 from json_each(activity_codes) where value in (select value from
      json_each(${add(JSON.stringify(codes))})))
    `
    : `activity_codes::jsonb ?| ${add(arrayText(codes))}::text[]`;
}

function toEntry([
  id,
  at,
  actorKind,
  actor,
  subject,
  action,
  activityCodes,
  target,
  operationId,
  outcome,
  address,
  details,
]: Row): AuditEntry {
  const codes: readonly string[] = JSON.parse(String(activityCodes));
  return {
    id: String(id),
    at: Number(at),
    actorKind: oneOf(actorKinds, actorKind),
    actor: String(actor),
    subject: textOrNull(subject),
    action: String(action),
    activityCodes: codes,
    target: textOrNull(target),
    operationId: textOrNull(operationId),
    outcome: oneOf(outcomes, outcome),
    address: textOrNull(address),
    details: details === null ? null : JSON.parse(String(details)),
  };
}

const actorKinds = ['client', 'platform-key', 'command'] as const;
const outcomes = ['accepted', 'partly', 'refused', 'failed'] as const;

function oneOf<T extends string>(known: readonly T[], cell: unknown): T {
  const found = known.find((value) => value === cell);
  if (found === undefined) throw new Error(`an audit entry with ${String(cell)} is not expected`);
  return found;
}

function textOrNull(cell: unknown): string | null {
  return cell === null ? null : String(cell);
}

function removeBefore(engine: Engine, before: number): Promise<number> {
  return removeInBatches(engine, { table: 'audit_entry', where: (add) => `at < ${add(before)}`, by: 'at' });
}
