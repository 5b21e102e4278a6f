// Failures of a PostgreSQL server or connection: classifies them, and reports them to clients.
import { textBlock } from '../model/text-block.ts';
import { DatabaseError } from 'pg';
import { OperatorError } from '../model/operator-error.ts';
import { Problem } from '../model/problem.ts';
import { rightsRemedy } from './database-rights.ts';

/**
 * Does work on the server. An unreachable server is a temporary condition and nobody's mistake: clients get 503 and try
 * again.
 * @param kind of a statement that exceeds the time limit: a reader can ask for less, a writer cannot
 */
export async function guarded<T>(work: () => Promise<T>, kind: 'read' | 'write' = 'read'): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = error instanceof DatabaseError ? (error.code ?? '') : '';
    if (code === '57014') throw kind === 'read' ? slowRead(error) : slowWrite(error);
    if (isCollision(error))
      throw new Problem(
        'unavailable',
        'Others wrote the same at the same moment, and this write was undone. Send it again.',
        {},
        { 'Retry-After': '1' },
        error,
      );
    if (code === '25006')
      throw new Problem(
        'unavailable',
        'Storage takes no writes at the moment.',
        {},
        { 'Retry-After': '30' },
        readOnly(error),
      );
    if (isAway(error))
      throw new Problem('unavailable', 'Storage cannot be reached at the moment.', {}, { 'Retry-After': '5' }, error);
    if (code === '42501' || code === '3F000') throw noRight(error);
    throw error;
  }
}

/** The server, or a pooler before it, allows no more connections, to anybody or to this login or database. */
export function isWithoutRoom(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  // PgBouncer has one code for all that it refuses, and names the setting whose limit is reached.
  return error.code === '53300' || (error.code === '08P01' && /\(max_\w*client_conn/.test(error.message));
}

/** A deadlock or serialization failure: the server undid one of the transactions so that the other could continue. */
export function isCollision(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === '40P01' || error.code === '40001');
}

/**
 * Marks an error from the driver as a lost connection: errors that the server did not report concern the connection,
 * with many different messages and codes.
 */
export function classified(error: unknown): unknown {
  if (error instanceof DatabaseError || error instanceof TypeError) return error;
  return Object.assign(new Error(messageOf(error), { cause: error }), { code: lostCode });
}

/** The connection no longer exists, or its state is unknown. */
export function isLoss(error: unknown): boolean {
  return error instanceof DatabaseError ? /^(08|57P|25P03|$)/.test(error.code ?? '') : codeOf(error) === lostCode;
}

/** The message of an error, including those for several addresses of one server. */
export function messageOf(error: unknown): string {
  return error instanceof AggregateError
    ? error.errors.map(messageOf).join(', ')
    : error instanceof Error
      ? error.message
      : String(error);
}

/**
 * Whether an error of an engine is due to the server asked, so that another one may answer: it is away, had to cancel
 * the query of a standby to continue replication (SQLSTATE 40001), does not let the login read (42501), or cannot read
 * its own files (58, XX).
 */
export function isOfServer(error: unknown): boolean {
  if (isAway(error) || isCollision(error)) return true;
  if (error instanceof DatabaseError && /^(42501|58|XX)/.test(error.code ?? '')) return true;
  return error instanceof Error && error.cause !== undefined && isOfServer(error.cause);
}

const lostCode = 'CONNECTION_LOST';

function isAway(error: unknown): boolean {
  return isLoss(error) || (error instanceof DatabaseError && /^(53|28|3D000)/.test(error.code ?? ''));
}

/** The cause is for the command line, where no list can be narrowed by a field. */
function slowRead(cause: unknown): Problem {
  const told = new OperatorError(
    'The database took longer to answer than it may.',
    `Ask for less, such as a shorter time. ${whatToLookFor}`,
    { cause },
  );
  return new Problem(
    'unavailable',
    'The query took too long. Narrow it with a filter on an indexed field.',
    {},
    { 'Retry-After': '30' },
    told,
  );
}

function slowWrite(cause: unknown): Problem {
  const told = new OperatorError(
    'A statement that writes to the database took longer than 30 seconds and was undone.',
    `${whatToLookFor} Then run the command again: an import completes itself.`,
    { cause },
  );
  return new Problem(
    'unavailable',
    'The write took longer than 30 seconds and was undone. Send fewer records, or shorter ones, at a time.',
    {},
    { 'Retry-After': '30' },
    told,
  );
}

const whatToLookFor = textBlock`
    Look for what the server is busy with or waits for (select * from pg_stat_activity), and let it look at its tables
    anew (vacuum analyze).
  `;

function readOnly(cause: unknown): OperatorError {
  return new OperatorError(
    'The database takes no writes at the moment.',
    textBlock`
      See whether it is a standby, or why default_transaction_read_only is on: some providers set it when the disk is
      full.
    `,
    { cause },
  );
}

/** Insufficient privilege, or no schema in which anything could be made. */
function noRight(cause: unknown): OperatorError {
  return new OperatorError(
    `The login of DATABASE_URL may not do that in the database: ${messageOf(cause)}.`,
    rightsRemedy,
    { cause },
  );
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
