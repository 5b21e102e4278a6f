// What a database engine must offer; everything that differs between the two engines hides behind it.
import type { LongReadCounts } from './long-reads.ts';
import type { Statement } from './statement.ts';

export type SqlValue = string | number | null;
/** One column of one row: text, number (all integers are below 2^53), bytes, or null. */
export type Cell = string | number | Buffer | null;
export type Row = readonly Cell[];

export type Dialect = 'sqlite' | 'postgres';
/** In which words statements are said to an engine: Citus refuses some of PostgreSQL's (decision 58). */
export type Words = Dialect | 'citus';

/** Runs a statement; gives what it makes of each row. */
export type RunStatement = <T = Row>(statement: Statement<T>) => Promise<readonly T[]>;

/**
 * Runs statements inside one write transaction, in the order of the calls: a caller may do other work before it awaits
 * the answer.
 */
export interface WriteTransaction {
  /** As Engine.now, on the transaction's own connection. */
  now(): Promise<number>;
  readonly query: RunStatement;
  /** Inserts or, where the conflict columns already hold such a row, replaces the other columns. */
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
  /** The rows of a statement that may give very many, in batches of some hundred: none are kept. */
  readonly stream: <T = Row>(statement: Statement<T>) => AsyncIterable<readonly T[]>;
}

/** For whom a long read is. */
export interface Reader {
  /** Whose turn it takes: a cost key. */
  readonly client: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly gone?: AbortSignal;
  /** What the statements of the same request have used up so far; absent: it has but one. */
  readonly spending?: Spending;
  /** Sentences for who hears that the read took too long: what made it long, and what to ask instead. */
  readonly advice?: string;
}

/** What one request has used up of the limits of long reads. */
export interface Spending {
  waitedMs: number;
  workedMs: number;
}

export interface Engine {
  readonly dialect: Dialect;
  /**
   * The tables lie on many machines, by activity: what is asked with a request about several activities is asked about
   * each by itself (`of-each-activity.ts`). Absent: they do not.
   */
  readonly isDistributed?: true;
  /** The clock that dates writes, milliseconds: the database's own, so that all processes share it. */
  now(): Promise<number>;
  /** Reads outside any transaction. A column named `bytes` arrives as a Buffer. */
  readonly read: RunStatement;
  /**
   * The same for a statement that an index serves: on PostgreSQL it goes to the server together with others, and is
   * answered after them. Such statements are often asked, and reading has no effect that another would undo.
   */
  readonly readShort: RunStatement;
  /** The same for a statement that may have to look at many rows: it must not hold up others. */
  readonly readLong: <T = Row>(statement: Statement<T>, reader: Reader) => Promise<readonly T[]>;
  /**
   * Reads on a connection of its own from one state of the database; nobody is held up by it, and no time ends it. On
   * SQLite what is written meanwhile stays in the file beside the database until it ends.
   */
  snapshot<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * A number that differs once anything was written by whatever process, for no more than a look into memory; NaN where
   * it cannot be told now. Absent: the engine has none.
   */
  readonly dataVersion?: () => number;
  /** How many long reads there are now, and have been ended. */
  longReads(): LongReadCounts;
  /** One statement as a write transaction of its own, in one exchange with the engine. */
  readonly writeOnce: RunStatement;
  /** One write transaction: commits when `work` resolves, rolls back when it throws. */
  write<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * The same for work that comes again and again, as that of a feed: where the embedded engine writes in this process,
   * a thread of its own does it, to which the system gives the processor after all others.
   */
  writeInBackground<T>(work: (transaction: WriteTransaction) => Promise<T>): Promise<T>;
  /** What one bulk loading of an empty table would be slowed down by; after large loads. */
  optimize(): Promise<void>;
  close(): Promise<void>;
}

/** A column or table name in double quotes; names come from definitions only, never from a request. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** What ends an insert into the target: rows that are there already take the new values; '' where every row is new. */
export function conflictText({ columns, conflict }: BulkTarget): string {
  if (conflict.length === 0) return '';
  const replaced = columns
    .filter(({ name }) => !conflict.includes(name))
    .map(({ name }) => `${quotedName(name)} = excluded.${quotedName(name)}`);
  return ` on conflict (${conflict.map(quotedName).join(', ')}) do update set ${replaced.join(', ')}`;
}

/**
 * The text form of a PostgreSQL array (manual, section 8.15.2). Its placeholder stands before `::text[]` and nothing
 * else: the driver sends text without a type, so that the server takes it for an array; of a cast from text to array it
 * would know neither the value nor its length when it plans, and would carry it out anew for each row that it looks at.
 */
export function arrayText(values: readonly SqlValue[]): string {
  return `{${values.map(arrayElement).join(',')}}`;
}

function arrayElement(value: SqlValue): string {
  return typeof value === 'string' ? `"${value.replace(/["\\]/g, '\\$&')}"` : String(value);
}
