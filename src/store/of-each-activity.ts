// In charge of statements about several activities: one for all of them, or one for each where they lie apart.
import type { Engine, RunStatement } from './engine.ts';
import type { Statement } from './statement.ts';

/**
 * Runs what is asked about several activities. On a distributed database a statement about each goes to the machine of
 * its activity, all of them at once (decision 58).
 * @param statementOf its rows are of one activity each, in the order of the activities' codes or in none
 * @returns the rows, on a distributed database in the order of the activities' codes
 */
export async function ofEachActivity<T>(
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
