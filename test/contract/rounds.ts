// How often tests with random values, faults or killed processes try: a part of their rounds on every run, all of them
// in the gate.

/** All of them: `TEST_ROUNDS=all`. */
export const allRounds = process.env.TEST_ROUNDS === 'all';

/** @param all rounds that prove the rule; `TEST_ROUNDS=all` runs them, anything else a tenth */
export function rounds(all: number): number {
  return allRounds ? all : Math.ceil(all / 10);
}
