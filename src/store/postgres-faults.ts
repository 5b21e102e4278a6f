// What goes wrong on the way to a PostgreSQL server: told apart, and told to clients.
import { DatabaseError } from 'pg';
import { Problem } from '../model/problem.ts';

/** A server that is away is nobody's mistake but passes: clients get 503 and try again. */
export async function guarded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '57014') throw new Problem('unavailable', 'The query took too long. Narrow it with a filter on an indexed field.', {}, { 'Retry-After': '30' });
    if (isAway(error)) throw new Problem('unavailable', 'Storage cannot be reached at the moment.', {}, { 'Retry-After': '5' }, error);
    throw error;
  }
}

/** Marks an error as a loss where the driver threw it: what the server did not say is about the connection, in words and codes of many kinds. */
export function judged(error: unknown): unknown {
  if (error instanceof DatabaseError || error instanceof TypeError) return error;
  return Object.assign(new Error(messageOf(error), { cause: error }), { code: lostCode });
}

/** The connection does not exist any more, or nobody can say what it does. */
export function isLoss(error: unknown): boolean {
  return error instanceof DatabaseError ? /^(08|57P|25P03|$)/.test(error.code ?? '') : codeOf(error) === lostCode;
}

/** What an error says, also where several addresses of a server were tried. */
export function messageOf(error: unknown): string {
  return error instanceof AggregateError ? error.errors.map(messageOf).join(', ') : error instanceof Error ? error.message : String(error);
}

const lostCode = 'CONNECTION_LOST';

function isAway(error: unknown): boolean {
  return isLoss(error) || (error instanceof DatabaseError && /^(53|28|3D000|25006)/.test(error.code ?? ''));
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
