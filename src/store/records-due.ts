// Finds the records past their retention, one span of change order at a time, and what belongs to them.
import type { Resource } from '../model/resource.ts';
import { updatedField } from './access-path.ts';
import type { Cell, Row, RunStatement } from './engine.ts';
import { limitTo } from './sql-dialects.ts';
import { selectKeyed } from './keyed-rows.ts';
import { planAnew, sql } from './statement.ts';
import { orderDocumentTable, outboxEntryTable } from './tables/writes.ts';

/** A span of change order of one activity. */
export interface DueStep {
  readonly resource: Resource;
  /** All resources of the program. */
  readonly resources: readonly Resource[];
  readonly activity: string;
  /** Records last written before this instant (milliseconds) are old. */
  readonly before: number;
  /** Change number of the last old record. */
  readonly upTo: number;
  /** Change number after which the span begins. */
  readonly after: number;
  /** Number of records to examine. */
  readonly limit: number;
}

export interface DueRecord {
  readonly naturalKey: string;
}

/** The content of a span. */
interface DueRecords {
  readonly due: readonly DueRecord[];
  /** Records that belong to the due ones, by resource. */
  readonly children: readonly { readonly child: Resource; readonly records: readonly DueRecord[] }[];
  /** Ids of the documents that belong to them. */
  readonly documents: readonly string[];
  /** Records that are old but stay: a record or document that belongs to them is not old, or waits in the outbox. */
  readonly heldBack: number;
  /** Change number to continue after; null if this was the last span. */
  readonly next: number | null;
}

/** Examines the next records of the span, in change order. */
export async function dueRecords(query: RunStatement, step: DueStep): Promise<DueRecords> {
  const { resource, resources, activity, upTo, after, limit } = step;
  const children = resources.filter(({ parent }) => parent?.resource === resource.name);
  const [parentField = null] = children.flatMap(({ parent }) => parent?.field ?? []);
  const fields = [parentField, resource.documentsBy ?? null];
  const columns = [
    sql`natural_key`,
    sql`change_number`,
    ...fields.map((field) => (field === null ? sql`null` : sql.quoted(field))),
  ];
  const rows = await query(
    planAnew(
      sql`
        select ${sql.join(columns)} from ${sql.quoted(resource.table)} where owner = ${activity} and change_number >
        ${after} and change_number <= ${upTo} order by owner, change_number ${limitTo(limit)}
      `,
    ),
  );
  const next = rows.length < limit ? null : Number(rows.at(-1)?.[1]);
  const below = await Promise.all(children.map((child) => childrenOf(query, step, child, textsAt(rows, 2))));
  const documents = resource.documentsBy === undefined ? [] : await documentsOf(query, step, textsAt(rows, 3));
  const held = new Set(below.flatMap((found) => found.filter(({ isOld }) => !isOld).map(({ parent }) => parent)));
  const heldByDocument = new Set(documents.filter(({ isOld }) => !isOld).map(({ parent }) => parent));
  const due = rows.filter(([, , parent, id]) => !held.has(textOf(parent)) && !heldByDocument.has(textOf(id)));
  const [dueParents, dueIds] = [new Set(textsAt(due, 2)), new Set(textsAt(due, 3))];
  return {
    due: due.map(([key]) => ({ naturalKey: String(key) })),
    children: children.map((child, index) => ({
      child,
      records: (below[index] ?? []).filter(({ parent }) => dueParents.has(parent)),
    })),
    documents: documents.filter(({ parent }) => dueIds.has(parent)).map(({ id }) => id),
    heldBack: rows.length - due.length,
    next,
  };
}

interface Child extends DueRecord {
  readonly parent: string;
  readonly isOld: boolean;
}

async function childrenOf(
  query: RunStatement,
  { activity, before }: DueStep,
  child: Resource,
  parents: readonly string[],
): Promise<readonly Child[]> {
  const { table, parent } = child;
  if (parent === undefined || parents.length === 0) return [];
  const rows = { table, activity, column: parent.field, keys: parents, unique: false } as const;
  const [field, written] = [sql.quoted(parent.field), sql.quoted(updatedField(child))];
  return (await query(selectKeyed(rows, sql`${field}, natural_key, ${written}`))).map(([of, key, at]) => ({
    parent: textOf(of),
    naturalKey: String(key),
    isOld: Number(at) < before,
  }));
}

/** A document that the warehouse has not acknowledged stays, and its record with it. */
async function documentsOf(
  query: RunStatement,
  { activity, before }: DueStep,
  parents: readonly string[],
): Promise<readonly { readonly parent: string; readonly id: string; readonly isOld: boolean }[]> {
  if (parents.length === 0) return [];
  const rows = { table: orderDocumentTable.name, activity, column: 'order_id', keys: parents, unique: false } as const;
  const found = await query(selectKeyed(rows, sql`order_id, id, created_at, change_number`));
  if (found.length === 0) return [];
  const entries = {
    table: outboxEntryTable.name,
    activity,
    column: 'change_number',
    keys: found.map(([, , , change]) => Number(change)),
    unique: true,
  } as const;
  const waiting = new Set((await query(selectKeyed(entries, sql`change_number`))).map(([change]) => Number(change)));
  return found.map(([of, id, at, change]) => ({
    parent: textOf(of),
    id: String(id),
    isOld: Number(at) < before && !waiting.has(Number(change)),
  }));
}

function textsAt(rows: readonly Row[], index: number): readonly string[] {
  return [
    ...new Set(rows.flatMap((row) => (row[index] === null || row[index] === undefined ? [] : [textOf(row[index])]))),
  ];
}

function textOf(cell: Cell | undefined): string {
  return cell === null || cell === undefined ? '' : String(cell);
}
