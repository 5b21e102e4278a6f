// The PostgreSQL dialect without a server: PGlite behind the same engine interface, for tests.
import type { PGlite } from '@electric-sql/pglite';
import type { Cell, Engine, Row, WriteTransaction } from '../../src/store/engine.ts';
import { createLongReads, defaultLongReads } from '../../src/store/long-reads.ts';
import { postgresSnapshot } from '../../src/store/postgres-snapshot.ts';
import { settingStatement } from '../../src/store/postgres-pool.ts';
import { bulkStatement, bulkValues, clockStatement, plannedForShortReads } from '../../src/store/postgres.ts';
import { type CompiledStatement, statementRunner } from '../../src/store/statement.ts';

type Runner = Pick<PGlite, 'query'>;

/** A PostgreSQL of its own in memory, as an engine; in the words of Citus where it stands in for one. */
export function pgliteEngine(pglite: PGlite, words: 'postgres' | 'citus' = 'postgres'): Engine {
  const longReads = createLongReads((statement) => rows(pglite, statement), defaultLongReads);
  let settled: Promise<unknown> | null = null;
  return {
    dialect: 'postgres',
    ...(words === 'citus' && { isDistributed: true }),
    now: () => serverTime(pglite),
    read: statementRunner(words, (statement) => rows(pglite, statement)),
    // For all that comes after it: there is one session.
    readShort: statementRunner(words, async (statement) => {
      if (words === 'postgres') settled ??= pglite.exec(settingStatement(plannedForShortReads));
      await settled;
      return rows(pglite, statement);
    }),
    readLong: (statement, reader) => statementRunner(words, (compiled) => longReads.read(compiled, reader))(statement),
    longReads: longReads.counts,
    // The one connection that there is: nobody may write meanwhile.
    snapshot: (work) =>
      postgresSnapshot(
        { rollback: async () => void (await pglite.query('rollback')) },
        (statement) => rows(pglite, statement),
        work,
      ),
    writeOnce: statementRunner(words, (statement) => rows(pglite, statement)),
    write: (work) => inTransaction(pglite, words, work),
    writeInBackground: (work) => inTransaction(pglite, words, work),
    optimize: async () => void (await pglite.query('analyze')),
    close: () => pglite.close(),
  };
}

function inTransaction<T>(
  pglite: PGlite,
  words: 'postgres' | 'citus',
  work: (transaction: WriteTransaction) => Promise<T>,
): Promise<T> {
  return pglite.transaction((transaction) =>
    work({
      now: () => serverTime(transaction),
      query: statementRunner(words, (statement) => rows(transaction, statement)),
      putRows: async (into, values) => {
        if (values.length > 0) await transaction.query(bulkStatement(into), [...bulkValues(into, values)]);
      },
    }),
  );
}

async function serverTime(runner: Runner): Promise<number> {
  return Number((await rows(runner, clockStatement))[0]?.[0]);
}

async function rows(runner: Runner, { text, values }: CompiledStatement): Promise<readonly Row[]> {
  const result = await runner.query<unknown[]>(text, [...values], { rowMode: 'array' });
  return result.rows.map((row) => row.map((cell, index) => toCell(cell, result.fields[index]?.name)));
}

function toCell(cell: unknown, name: string | undefined): Cell {
  if (cell === null || cell === undefined) return null;
  if (name === 'bytes' && typeof cell === 'string') return Buffer.from(cell);
  if (typeof cell === 'bigint') return Number(cell);
  if (typeof cell === 'string' || typeof cell === 'number') return cell;
  throw new Error(`a column of type ${typeof cell} is not expected`);
}
