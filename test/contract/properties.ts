// Property tests: random values that are the same in each run of a commit, so that what fails once fails again.
import fc from 'fast-check';
import { allRounds, testSeed } from './rounds.ts';

// Whoever tries all rounds looks for what nobody has seen yet; `TEST_SEED` repeats what a run printed.
if (!allRounds || process.env.TEST_SEED !== undefined) fc.configureGlobal({ seed: testSeed });

export { default } from 'fast-check';
