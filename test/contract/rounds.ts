// How often tests with random values, faults or killed processes try: a part of their rounds on every run, all of them
// in the gate.

/** @param all rounds that prove the rule; `TEST_ROUNDS=all` runs them, anything else a fifth */
export function rounds(all: number): number {
  return process.env.TEST_ROUNDS === 'all' ? all : Math.ceil(all / 5);
}
