// How often tests with random values, faults or killed processes try: a part of their rounds on every run, all of them
// in the gate.
import type { EngineUnderTest } from './engines.ts';

/** All of them: `TEST_ROUNDS=all`. */
export const allRounds = process.env.TEST_ROUNDS === 'all';

/**
 * @param all rounds that prove the rule; `TEST_ROUNDS=all` runs them
 * @param part how many are run otherwise: a tenth, unless they take long
 */
export function rounds(all: number, part: number = Math.ceil(all / 10)): number {
  return allRounds ? all : part;
}

/** The same for what has run all its rounds on SQLite, and of which the engine is a small part: a third on a server. */
export function roundsAnywhere(all: number, part?: number): number {
  return rounds(process.env.TEST_DATABASE_URL === undefined ? all : Math.ceil(all / 3), part);
}

/**
 * Of storage, on each of `allEngines`: fewer on PostgreSQL, whose every statement is a round trip. In memory it has a
 * tenth of them always: whoever runs all of them has a server too.
 */
export function roundsOn({ name, parallel }: EngineUnderTest, onSqlite: number, onPostgres: number): number {
  const all = name === 'SQLite' ? onSqlite : onPostgres;
  return parallel ? rounds(all) : Math.ceil(all / 10);
}
