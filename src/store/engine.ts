// What a database engine must offer; everything in which the two engines differ is hidden behind it.
import type { LongReadCounts } from './long-reads.ts';
import type { Statement } from './statement.ts';

export type SqlValue = string | number | null;
/** One column of one row: text, number (all integers are below 2^53), bytes, or null. */
export type Cell = string | number | Buffer | null;
export type Row = readonly Cell[];

export type Dialect = 'sqlite' | 'postgres';
/** The dialect in which statements are written for an engine: Citus refuses some PostgreSQL forms (decision 58). */
export type Words = Dialect | 'citus';

/** Runs a statement; returns its rows, each converted by the statement. */
export type RunStatement = <T = Row>(statement: Statement<T>) => Promise<readonly T[]>;

/**
 * Runs statements inside one write transaction, in the order of the calls: a caller may do other work before it awaits
 * the answer.
 */
export interface WriteTransaction {
  /** As Engine.now, on the transaction's own connection. */
  now(): Promise<number>;
  readonly query: RunStatement;
  /** Inserts rows or, if a row with the same values in the conflict columns exists, replaces its other columns. */
  putRows(into: BulkTarget, rows: readonly (readonly SqlValue[])[]): Promise<void>;
}

/** A table that takes many rows at once. */
export interface BulkTarget {
  readonly table: string;
  readonly columns: readonly BulkColumn[];
  /** Columns of the unique key that decides between insert and replace; empty: always insert. */
  readonly conflict: readonly string[];
}
export interface BulkColumn {
  readonly name: string;
  readonly type: 'text' | 'integer' | 'decimal';
}

/** The database as it was at one instant, however long it is read and whatever is written meanwhile. */
export interface Snapshot {
  readonly query: RunStatement;
  /** The rows of a statement with a very large result, in batches of some hundred; none are kept in memory. */
  readonly stream: <T = Row>(statement: Statement<T>) => AsyncIterable<readonly T[]>;
}

/** On whose behalf a long read runs. */
export interface Reader {
  /** The cost key whose turn it takes. */
  readonly client: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone?: AbortSignal;
  /** What the statements of the same request have used so far; absent: it has only one statement. */
  readonly spending?: Spending;
  /** Sentences for a client whose read took too long: what made it slow, and what to ask instead. */
  readonly advice?: string;
}

/** What one request has used of the limits of long reads. */
export interface Spending {
  waitedMs: number;
  workedMs: number;
}

export interface Engine {
  readonly dialect: Dialect;
  /**
   * The tables are distributed over many machines, by activity: a request about several activities sends a statement
   * for each (`per-activity.ts`). Absent: they are not distributed.
   */
  readonly isDistributed?: true;
  /** The clock that dates writes, milliseconds: the database's own, so that all processes share it. */
  now(): Promise<number>;
  /** Reads outside any transaction. A column named `bytes` arrives as a Buffer. */
  readonly read: RunStatement;
  /**
   * The same for a statement that an index serves: on PostgreSQL it is sent together with others, and answered after
   * them. Such statements are frequent, and their reads have no effects that a failure of another could undo.
   */
  readonly readShort: RunStatement;
  /** The same for a statement that may have to scan many rows: it must not delay others. */
  readonly readLong: <T = Row>(statement: Statement<T>, reader: Reader) => Promise<readonly T[]>;
  /**
   * Reads on a connection of its own from one state of the database, without blocking anybody and without a time limit.
   * On SQLite, anything written meanwhile stays in the file beside the database until the snapshot ends.
   */
  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * A number that changes once any process has written anything; it costs no more than a read from memory. NaN if it
   * cannot be determined now. Absent: the engine has none.
   */
  readonly dataVersion?: () => number;
  /** The number of long reads now, and of those ended. */
  longReads(): LongReadCounts;
  /** How many connections the server has refused because it allows no more. Absent: the engine has no server. */
  readonly refusedConnections?: () => number;
  /** One statement as a write transaction of its own, in one round trip to the engine. */
  readonly writeOnce: RunStatement;
  /** One write transaction: commits when `work` resolves, rolls back when it throws. */
  write<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * The same for recurring work such as that of a feed, which gives way to reads: if the embedded engine writes in this
   * process, a separate thread does it, which gets the processor after all others; a server gets it in short pieces.
   */
  writeInBackground<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T>;
  /** Refreshes the query planner's statistics, after large loads. */
  optimize(): Promise<void>;
  close(): Promise<void>;
}

/** A column or table name in double quotes; names come from definitions only, never from a request. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The end of an insert into the target: existing rows take the new values; '' if every row is new. */
export function conflictText({ columns, conflict }: BulkTarget): string {
  if (conflict.length === 0) return '';
  const replaced = columns
    .filter(({ name }) => !conflict.includes(name))
    .map(({ name }) => `${quotedName(name)} = excluded.${quotedName(name)}`);
  return ` on conflict (${conflict.map(quotedName).join(', ')}) do update set ${replaced.join(', ')}`;
}

/**
 * The text form of a PostgreSQL array (manual, section 8.15.2). Its placeholder is followed directly by `::text[]`: the
 * driver sends the text without a type, so that the server takes it for an array. With a cast from text to array, the
 * planner would know neither the value nor its length, and the cast would be evaluated anew for each row examined.
 */
export function arrayText(values: readonly SqlValue[]): string {
  return `{${values.map(arrayElement).join(',')}}`;
}

function arrayElement(value: SqlValue): string {
  if (typeof value !== 'string') return String(value);
  // Half as expensive, and the same wherever JSON escapes nothing but quotes and backslashes.
  return escapedByJson.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : JSON.stringify(value);
}

/** Control characters and surrogates; those in pairs need not be, but the expression is twice as fast without `u`. */
const escapedByJson = /[^ -\ud7ff\ue000-\uffff]/;
