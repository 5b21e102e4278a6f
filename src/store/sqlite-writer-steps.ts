// The messages between an embedded database and its writer thread.
import { OperatorError } from '../model/operator-error.ts';
import type { SqlValue } from './engine.ts';
import { extendedCode } from './sqlite-connection.ts';

/** The steps that the thread runs, one after the other. */
export type WriterStep =
  /** Names the file for the following steps; not answered. `leave` closes it, and another one may be opened. */
  | { readonly do: 'open'; readonly path: string }
  | { readonly do: 'leave' }
  | { readonly do: 'end' }
  | { readonly do: 'begin' | 'commit' | 'rollback' }
  /** Answered with the rows: `query` runs within a transaction, `once` as a transaction of its own. */
  | { readonly do: 'query' | 'once'; readonly text: string; readonly values: readonly SqlValue[] }
  /** Runs one statement with each of the rows. */
  | { readonly do: 'each'; readonly text: string; readonly rows: readonly (readonly SqlValue[])[] };

export interface WriterRequest {
  /** 0 for the thread itself. */
  readonly id: number;
  readonly step: WriterStep;
}
export interface WriterAnswer {
  readonly id: number;
  readonly result: unknown;
  readonly fault: WriterFault | null;
}
/** An error passed between threads, where it would lose its class. */
interface WriterFault {
  readonly message: string;
  /** SQLite's extended code; 0 for other errors. */
  readonly code: number;
  /** Null if an operator can do nothing about it. */
  readonly remedy: string | null;
}

/** An SQLite error with the properties of those from node:sqlite. */
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
