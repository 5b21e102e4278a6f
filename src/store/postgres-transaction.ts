// Write transactions on a PostgreSQL server.
import type { Row } from './engine.ts';
import { type Connections, withLease } from './postgres-pool.ts';
import { createSequence, type Query } from './postgres-batching.ts';
import type { CompiledStatement } from './statement.ts';

/**
 * One transaction: commits when `work` resolves, rolls back when it throws. Statements that `work` issues after its end
 * are refused.
 * @param isInBackground its statements give way to reads
 */
export function inTransaction<T>(
  connections: Connections,
  isInBackground: boolean,
  work: (query: Query) => Promise<T>,
): Promise<T> {
  return withLease(connections, async ({ ask, rollback }) => {
    const sequence = createSequence(ask, isInBackground);
    // Sent with the first statement, which fails if this does.
    sequence.query(begin).catch(() => undefined);
    let open = true;
    try {
      const value = await work(async (statement): Promise<readonly Row[]> => {
        if (!open) throw new Error('this transaction has ended');
        return sequence.query(statement);
      });
      open = false;
      await sequence.query(commit);
      return value;
    } catch (error) {
      open = false;
      // Statements issued but not awaited would otherwise run after the end, outside the transaction.
      await sequence.settled();
      await rollback();
      throw error;
    }
  });
}

const begin = command('begin isolation level read committed');
const commit = command('commit');

function command(text: string): CompiledStatement {
  return { text, values: [], plannedAnew: false };
}
