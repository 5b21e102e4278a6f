// Runs the demonstration: plays the warehouse up to the time of its clock, and delivers what it reports. One process at
// a time does so, under a lease; what was delivered before a kill is delivered again, which changes nothing.
import { setImmediate as pause, setTimeout as wait } from 'node:timers/promises';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { StoredDemoClock } from '../store/demonstration.ts';
import type { Store } from '../store/store.ts';
import type { FeedTurns } from '../feeds/feed-turns.ts';
import { messageSeries } from './feed-delivery.ts';
import { stepForward } from './clock-advances.ts';
import { AdvanceFailed, askAdvance } from './demo-requests.ts';
import { hourMs } from './calendar.ts';
import { attendedMs, clockAt, isAttended, isSetBack, startedClock } from './clock.ts';
import { deliver } from './deliver-messages.ts';
import { ifFree } from './lease.ts';
import { type DemoFeedMessage, tickMs } from './messages.ts';
import { type OutboxPosition, outboxEnds, parseInput, readOutboxOf } from './outside-inputs.ts';
import { setSandboxClocks } from './sandbox-account.ts';
import { warehouseSummary } from './summary.ts';
import type { DemoNote } from './notes.ts';
import { createWarehouse, gatheredFrom, type Warehouse, warehouseVersion } from './warehouse.ts';

export interface RunnerOptions {
  readonly store: Store;
  /** Shared by all feeds of this process. */
  readonly turns: FeedTurns;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Receives the notes of what happens on request. */
  readonly onNote?: (note: DemoNote) => void;
  readonly onRefused?: (message: DemoFeedMessage, refused: number) => void;
  /** Receives the time reached; if it throws, the work ends. */
  readonly onProgress?: (clock: number) => void;
  /** Ends the playing in progress soon. */
  readonly signal?: AbortSignal;
}

/**
 * Why nothing is run: there is no live demonstration, it was played by other rules, another process is playing it, or
 * it was ended.
 */
export type NotRunning = 'none' | 'other-version' | 'busy' | 'stopped';

export interface DemoRunner {
  /** Starts the clock, as a server does when it begins to run it; `busy` if another process is playing. */
  readonly start: (speed: number) => Promise<NotRunning | null>;
  /**
   * Plays up to now and carries out waiting advances if anything is due and no other process is playing; otherwise does
   * next to nothing.
   */
  readonly round: () => Promise<void>;
  /**
   * Has the clock set forward: it is requested as over HTTP, and carried out by the process that is playing, or here.
   * @param by who requests it, for display
   * @param audit entry written with the request; null: none
   * @returns the time of the clock then
   * @throws DemoRefused, AdvanceFailed
   */
  readonly advance: (durationMs: number, by: string, audit?: NewAuditEntry | null) => Promise<number | NotRunning>;
}

/** The warehouse in the memory of this process: it follows the stored one. */
interface Memory {
  readonly warehouse: Warehouse;
  readonly filledAt: number;
  /** Number of the last input taken. */
  lastInput: number;
  /** The summary that is stored. */
  told: string | null;
}

/** Steps in which it is replayed: in between, other work gets its turn. */
const silentStepMs = 6 * hourMs;
/** Interval at which a caller waiting for an advance checks again while another process is playing. */
const busyMs = 250;

export function createDemoRunner(options: RunnerOptions): DemoRunner {
  const { store, now, signal } = options;
  const leases = store.jobLeases();
  let memory: Memory | null = null;
  /** Where this process last anchored the clock. */
  let anchored: number | null = null;

  /** Runs work while no other process plays. After a failure the warehouse in memory is dropped and played again. */
  const alone = <T>(work: (clock: StoredDemoClock, memory: Memory) => Promise<T>): Promise<T | NotRunning> =>
    ifFree(leases, async () => {
      const clock = await store.demonstration.clock();
      const none = reasonNot(clock);
      if (clock === null || none !== null) return none ?? 'none';
      try {
        memory = await followed(store, clock, memory);
        const done = await work(clock, memory);
        await tell(store, memory);
        return done;
      } catch (error) {
        memory = null;
        throw error;
      }
    });
  /**
   * Plays up to now, and a step further if an advance is open.
   * @param attends whether this process attends the clock
   * @returns whether one was open
   */
  const playOn = (attends: boolean): Promise<boolean | NotRunning> =>
    alone(async (held, mine) => {
      const at = now();
      // Where the machine slept, the clock stopped and has to catch up with the time of day.
      await play(options, mine, attends ? Math.max(clockAt(held, at), at) : clockAt(held, at));
      await takeInputs(options, mine, held);
      await tell(store, mine);
      const isBack = isSetBack(held, at, anchored);
      // One that a machine ahead has anchored is left to it: it would take the difference for time that has passed.
      if (attends && (isBack || at >= held.anchorAt)) {
        await anchor(store, mine, { held, at, isBack });
        anchored = at;
      }
      if (signal?.aborted) return false;
      const playTo = async (until: number): Promise<void> => {
        await play(options, mine, until);
        // Before an advance is done: whoever waits for it then reads what came of it.
        await tell(store, mine);
      };
      const isOpen = await stepForward({ store, warehouse: mine.warehouse, now, playTo });
      if (isOpen) anchored = (await store.demonstration.clock())?.anchorAt ?? null;
      return isOpen;
    });

  return {
    start: (speed) =>
      alone(async (clock) => {
        const { anchorAt, anchorClock } = startedClock(clock, now(), speed);
        await store.demonstration.set({ anchorAt, anchorClock, speed });
        anchored = anchorAt;
        await setSandboxClocks(store, { at: anchorAt, clock: anchorClock, speed }, now());
        return null;
      }),
    round: async () => {
      for (let goesOn: unknown = true; goesOn === true; ) {
        const clock = await store.demonstration.clock();
        if (clock === null || reasonNot(clock) !== null || !(await isDue(store, clock, now(), anchored))) return;
        goesOn = await playOn(true);
      }
    },
    advance: async (durationMs, by, audit = null) => {
      const { number } = await askAdvance(store.demonstration.advances.ask, { durationMs, now: now(), by }, audit);
      return carriedOut(options, number, () => playOn(false));
    },
  };
}

/** Lets the clock run on from where the warehouse is. */
async function anchor(
  store: Store,
  { warehouse }: Memory,
  { held, at, isBack }: { readonly held: StoredDemoClock; readonly at: number; readonly isBack: boolean },
): Promise<void> {
  const anchorClock = warehouse.now();
  await store.demonstration.set({ anchorAt: at, anchorClock });
  // Parcels move by the machine's clock, which went on or was set back.
  if (!isAttended(held, at) || isBack) await setSandboxClocks(store, { at, clock: anchorClock, speed: held.speed }, at);
}

/** Continues until an advance has ended, here or elsewhere. Ending this ends the advance. */
async function carriedOut(
  { store, now, signal }: RunnerOptions,
  number: number,
  playOn: () => Promise<boolean | NotRunning>,
): Promise<number | NotRunning> {
  const { advances } = store.demonstration;
  const fail = (failure: string): Promise<void> =>
    advances.end(number, { state: 'failed', endedAt: now(), failure }, null);
  try {
    for (;;) {
      const advance = await advances.find(number);
      if (advance === null || advance.state === 'failed')
        throw new AdvanceFailed(advance?.failure ?? 'The demonstration was made anew.');
      if (advance.state === 'done') return advance.toClock ?? now();
      if (signal?.aborted) {
        await fail('Interrupted.');
        return 'stopped';
      }
      const ran = await playOn();
      if (ran === 'busy') await wait(busyMs);
      else if (typeof ran === 'string') return ran;
    }
  } catch (error) {
    await fail(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

function reasonNot(clock: StoredDemoClock | null): NotRunning | null {
  if (clock === null) return 'none';
  return clock.version === warehouseVersion ? null : 'other-version';
}

/** Whether a message may be due, an input was received, or the clock has to be attended. */
async function isDue(store: Store, clock: StoredDemoClock, now: number, anchored: number | null): Promise<boolean> {
  if (now - clock.anchorAt >= attendedMs || isSetBack(clock, now, anchored)) return true;
  if (Math.floor(clockAt(clock, now) / tickMs) > Math.floor(clock.playedTo / tickMs)) return true;
  if ((await store.demonstration.waiting()).length > 0) return true;
  if ((await store.demonstration.advances.open()).length > 0) return true;
  const known = positionOf(clock);
  return Object.entries(await outboxEnds(store)).some(([code, end]) => end > (known[code] ?? 0));
}

function positionOf({ outbox }: StoredDemoClock): OutboxPosition {
  const position: Record<string, number> = {};
  const stored: unknown = JSON.parse(outbox);
  for (const [code, end] of Object.entries(Object(stored))) if (typeof end === 'number') position[code] = end;
  return position;
}

/** The warehouse at the time of the stored clock: continued from the one in memory, or from its beginning. */
async function followed(store: Store, clock: StoredDemoClock, memory: Memory | null): Promise<Memory> {
  const usable = memory !== null && memory.filledAt === clock.filledAt && memory.warehouse.now() <= clock.playedTo;
  const mine: Memory = usable
    ? memory
    : { warehouse: createWarehouse(clock.filledAt), filledAt: clock.filledAt, lastInput: 0, told: null };
  mine.told = clock.summary;
  for (const { number, takenAt, body } of await store.demonstration.inputs(mine.lastInput)) {
    if (takenAt === null) continue;
    await playSilently(mine.warehouse, takenAt, clock.playedTo);
    mine.warehouse.take(parseInput(body));
    mine.lastInput = number;
  }
  await playSilently(mine.warehouse, clock.playedTo, clock.playedTo);
  // Earlier notes have already been reported.
  mine.warehouse.newNotes();
  return mine;
}

/** Stores what is shown of the demonstration by those who do not play it. */
async function tell(store: Store, mine: Memory): Promise<void> {
  const summary = warehouseSummary(mine.warehouse);
  if (summary === mine.told) return;
  await store.demonstration.set({ summary });
  mine.told = summary;
}

/** Plays what was already delivered; towards the end records are made, because later messages include them. */
async function playSilently(warehouse: Warehouse, until: number, delivered: number): Promise<void> {
  const from = gatheredFrom(delivered);
  while (warehouse.now() < until) {
    const isSilent = warehouse.now() < from;
    const next = Math.min(until, warehouse.now() + silentStepMs, isSilent ? from : until);
    warehouse.advance(next, isSilent ? () => false : undefined);
    await pause();
  }
}

/**
 * Plays on and delivers the messages, tick by tick: each feed has one message per tick, so a tick that is delivered
 * again does not revert changes of its own.
 */
async function play(options: RunnerOptions, { warehouse, filledAt }: Memory, until: number): Promise<void> {
  const { store, turns, now, onNote, onRefused = () => undefined, onProgress, signal } = options;
  while (warehouse.now() < until && signal?.aborted !== true) {
    const messages = warehouse.advance(Math.min(until, nextTick(warehouse.now())));
    for (const message of messages) {
      await deliver({ store, turns, now, onRefused, series: messageSeries(filledAt) }, message);
      await pause();
    }
    for (const note of warehouse.newNotes()) onNote?.(note);
    if (messages.length === 0 && warehouse.now() < until) continue;
    await store.demonstration.set({ playedTo: warehouse.now() });
    onProgress?.(warehouse.now());
  }
}

function nextTick(instant: number): number {
  return (Math.floor(instant / tickMs) + 1) * tickMs;
}

/** Takes the inputs received from outside since, dated by the demonstration's clock. */
async function takeInputs({ store, onNote }: RunnerOptions, mine: Memory, clock: StoredDemoClock): Promise<void> {
  const { inputs, next } = await readOutboxOf(store, positionOf(clock));
  if (inputs.length === 0 && (await store.demonstration.waiting()).length === 0) return;
  await store.demonstration.takeIn(
    mine.warehouse.now(),
    inputs.map((input) => JSON.stringify(input)),
    JSON.stringify(next),
  );
  for (const { number, takenAt, body } of await store.demonstration.inputs(mine.lastInput)) {
    if (takenAt === null) break;
    mine.warehouse.take(parseInput(body));
    mine.lastInput = number;
  }
  for (const note of mine.warehouse.newNotes()) onNote?.(note);
}
