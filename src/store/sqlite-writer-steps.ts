// What the thread that writes to an embedded database is told, and what it answers.
import { OperatorError } from '../model/operator-error.ts';
import type { SqlValue } from './engine.ts';
import { extendedCode } from './sqlite-connection.ts';

/** What the thread is told to do, one after the other. */
export type WriterStep =
  /** Which file the steps behind are about; not answered. `leave` closes it, and another one may be opened. */
  | { readonly do: 'open'; readonly path: string }
  | { readonly do: 'leave' }
  | { readonly do: 'end' }
  | { readonly do: 'begin' | 'commit' | 'rollback' }
  /** Answers the rows: `query` within a transaction, `once` as one of its own. */
  | { readonly do: 'query' | 'once'; readonly text: string; readonly values: readonly SqlValue[] }
  /** Runs one statement with each of the rows. */
  | { readonly do: 'each'; readonly text: string; readonly rows: readonly (readonly SqlValue[])[] };

export interface WriterRequest {
  /** 0 where the thread itself is meant. */
  readonly id: number;
  readonly step: WriterStep;
}
export interface WriterAnswer {
  readonly id: number;
  readonly result: unknown;
  readonly fault: WriterFault | null;
}
/** An error on its way between threads, which would lose its kind. */
interface WriterFault {
  readonly message: string;
  /** SQLite's code with its higher bits; 0 for other errors. */
  readonly code: number;
  /** Null where it is nothing that an operator can mend. */
  readonly remedy: string | null;
}

/** An error of SQLite, as node:sqlite names its parts. */
class SqliteFault extends Error {
  readonly code = 'ERR_SQLITE_ERROR';
  readonly errcode: number;

  constructor(message: string, errcode: number) {
    super(message);
    this.errcode = errcode;
  }
}

export function toFault(error: unknown): WriterFault {
  if (error instanceof OperatorError)
    return { message: error.message, code: extendedCode(error.cause), remedy: error.remedy };
  return { message: error instanceof Error ? error.message : String(error), code: extendedCode(error), remedy: null };
}

export function toError({ message, code, remedy }: WriterFault): Error {
  const cause = code === 0 ? undefined : new SqliteFault(message, code);
  return remedy === null ? (cause ?? new Error(message)) : new OperatorError(message, remedy, { cause });
}
