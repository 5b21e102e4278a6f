// How often tests with random values, faults or killed processes try: a few rounds on every run, a share of them in the
// gate, another one each time, and all of them before a release.
import type { EngineUnderTest } from './engines.ts';

/** `TEST_ROUNDS`. */
const wanted = process.env.TEST_ROUNDS;
/** All of them: `TEST_ROUNDS=all`. */
export const allRounds = wanted === 'all';
/** A fifth of them: `TEST_ROUNDS=gate`. */
const ofGate = wanted === 'gate';
/** For what takes long and has no rounds. */
export const inGate = allRounds || ofGate;
/**
 * In `npm test`, false elsewhere: why something is not done there that takes long, or that needs programs which
 * `npm ci` does not bring, in a file of which the rest is done (whole files: tools/files-left-to-gate.ts).
 * The gate does it, `TEST_ROUNDS=gate npm test`, and whoever runs its file alone.
 */
export const leftToGate: false | string =
  process.env.TEST_QUICK !== undefined && 'the gate does it, and who runs this file alone';
const shares = 5;
/** Processes are killed at so many moments at least, so that one that the kill misses proves nothing less. */
const fewestOfGate = 3;

if (wanted !== undefined && !allRounds && !ofGate) throw new Error(`TEST_ROUNDS is "${wanted}": all or gate`);

/** `TEST_SEED`: which share a run of the gate takes. The gate gives another number each time, and prints it. */
export const testSeed = Number(process.env.TEST_SEED ?? 0);
if (!Number.isSafeInteger(testSeed) || testSeed < 0) throw new Error(`TEST_SEED is "${process.env.TEST_SEED}"`);

/** `leftToGate` for what takes PostgreSQL in memory ten times as long as SQLite: the gate does it on a server. */
export function leftToServer({ parallel }: EngineUnderTest): false | string {
  return !parallel && leftToGate;
}

/**
 * @param all rounds that prove the rule; `TEST_ROUNDS=all` runs them
 * @param part how many are run otherwise: a tenth, unless they take long. In the gate a fifth of all, if that is more.
 */
export function rounds(all: number, part: number = Math.ceil(all / 10)): number {
  if (allRounds) return all;
  return ofGate ? Math.max(part, Math.ceil(all / shares), Math.min(all, fewestOfGate)) : part;
}

/** The same for what has run all its rounds on SQLite, and of which the engine is a small part: a third on a server. */
export function roundsAnywhere(all: number, part?: number): number {
  return rounds(anywhere(all), part);
}

/**
 * Of storage, on each of `allEngines`: fewer on PostgreSQL, whose every statement is a round trip. In memory it has a
 * tenth of them always: whoever runs all of them has a server too.
 */
export function roundsOn({ name, parallel }: EngineUnderTest, onSqlite: number, onPostgres: number): number {
  const all = name === 'SQLite' ? onSqlite : onPostgres;
  return parallel ? rounds(all) : Math.ceil(all / 10);
}

/**
 * Which of the random values 1 to `all` are tried: the first ones; in the gate those of its share, which lie together.
 * @param all see `rounds`
 */
export function seedsOf(all: number, part?: number): readonly number[] {
  const count = rounds(all, part);
  const before = ofGate ? (testSeed % shares) * count : 0;
  return Array.from({ length: count }, (_none, index) => 1 + ((before + index) % all));
}

/** The same, fewer of them on a server: see `roundsAnywhere`. */
export function seedsAnywhere(all: number, part?: number): readonly number[] {
  return seedsOf(anywhere(all), part);
}

/**
 * Which of the steps of something are made to fail, where there is one after the other until there is none: every
 * `usual`th, from a first one that differs in each run of the gate and for each `what`; of all rounds each.
 */
export function stridesOf(what: number, usual: number): { readonly first: number; readonly stride: number } {
  const stride = allRounds ? 1 : usual;
  return { first: 1 + ((what + testSeed) % stride), stride };
}

/** Of a few things that are much alike and take long, a run of the gate tries one: whether it is this one. */
export function isInTurn(index: number, count: number): boolean {
  return !ofGate || testSeed % count === index;
}

/** The same for a test. @returns false, or why it is not tried in this run: the `skip` of the test */
export function notInTurn(index: number, count: number): false | string {
  return isInTurn(index, count) ? false : `TEST_SEED=${testSeed}: this run of the gate has another of ${count}`;
}

/**
 * What hardly depends on the engine, a run of the gate tries on one of the two.
 * @param what 0 or 1: then one is tried on SQLite when the other is tried on a server
 * @returns false, or why it is not tried on this one
 */
export function onOtherEngine(what: 0 | 1 = 0): false | string {
  const here = process.env.TEST_DATABASE_URL === undefined ? 0 : 1;
  return isInTurn(here ^ what, 2) ? false : `TEST_SEED=${testSeed}: this run of the gate has it on the other engine`;
}

/**
 * What takes longest of all, every second run of the gate tries. Not by the last digit of the seed, which chooses the
 * engine: what runs on one of the two would always be on the same one.
 * @param what 0 or 1: those of 1 are tried when those of 0 are not
 * @returns false, or why it is not tried in this run
 */
export function notInThisRun(what: 0 | 1): false | string {
  const isTried = !ofGate || Math.floor(testSeed / 2) % 2 === what;
  return isTried ? false : `TEST_SEED=${testSeed}: the gate has it every second time`;
}

function anywhere(all: number): number {
  return process.env.TEST_DATABASE_URL === undefined ? all : Math.ceil(all / 3);
}
