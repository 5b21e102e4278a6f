// Statements about several activities: one for all of them, or one for each if they lie on different machines.
import type { Engine, RunStatement } from './engine.ts';
import type { Statement } from './statement.ts';

/**
 * Runs a query about several activities. On a distributed database, one statement per activity goes to that activity's
 * machine, all of them at once (decision 58).
 * @param statementOf each of its rows belongs to one activity; rows are ordered by activity code or not at all
 * @returns the rows, on a distributed database in the order of the activity codes
 */
export async function perActivity<T>(
  engine: Pick<Engine, 'isDistributed'>,
  query: RunStatement,
  activities: readonly string[],
  statementOf: (activities: readonly string[]) => Statement<T>,
): Promise<readonly T[]> {
  if (activities.length === 0) return [];
  if (engine.isDistributed !== true) return query(statementOf(activities));
  const found = activities.toSorted().map((activity) => query(statementOf([activity])));
  return (await Promise.all(found)).flat();
}
