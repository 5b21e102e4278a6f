// Reads that may have to scan many rows: few at a time, clients in turn, each within a time limit.
import { textBlock } from '../model/text-block.ts';
import { Problem } from '../model/problem.ts';
import type { Reader, Row, Spending } from './engine.ts';
import type { CompiledStatement } from './statement.ts';
import { createFairQueue, type QueueLimits, Refused } from '../model/fair-queue.ts';
import { waited } from '../model/work.ts';
import type { TurnQueue } from '../model/worker-link.ts';

/** Settings for the operator. */
export interface LongReadSettings {
  /** Statements at a time; on either engine each occupies a process, ours or the server's. */
  readonly maxLongReads: number;
  /** Longest time of one statement, counted from its start, and of all statements of a request. */
  readonly maxLongReadSeconds: number;
}

export const defaultLongReads: LongReadSettings = { maxLongReads: 2, maxLongReadSeconds: 30 };

export interface LongReadCounts {
  readonly running: number;
  readonly waiting: number;
  /** How many the time limit has ended since the start of the process. */
  readonly ended: number;
}

/**
 * Runs one statement. Resolves or rejects when the statement has ended, not before.
 * @param stop aborted when nobody wants the answer any more: the statement is to end
 * @throws EndedByLimit when it was ended because it took too long
 */
type RunLongRead = (statement: CompiledStatement, stop: AbortSignal) => Promise<readonly Row[]>;

export class EndedByLimit extends Error {}

/** For a new request. */
export function newSpending(): Spending {
  return { waitedMs: 0, workedMs: 0 };
}

interface LongReads {
  /** @throws Problem 503 `unavailable`, or 429 `quota-exceeded` if a client waits for its own reads */
  read(statement: CompiledStatement, reader: Reader): Promise<readonly Row[]>;
  counts(): LongReadCounts;
  /** Refuses waiting reads and ends running ones. */
  close(): void;
}

/** Most waiting reads, of all clients and of one. */
const maxWaiting = 200;
export const maxWaitingPerClient = 20;

/**
 * One client has at most half of the places at a time, so that another client's read need not wait for what the first
 * one asked before.
 */
export function longReadLimits({ maxLongReads, maxLongReadSeconds }: LongReadSettings): QueueLimits {
  return {
    places: maxLongReads,
    maxPerClient: Math.max(1, Math.floor(maxLongReads / 2)),
    maxWaiting,
    maxWaitingPerClient,
    maxWaitMs: 2000 * maxLongReadSeconds,
  };
}

/**
 * The long reads of one engine.
 * @param queue shared by all workers, if there are several
 */
export function createLongReads(
  run: RunLongRead,
  settings: LongReadSettings,
  queue: TurnQueue = createFairQueue(longReadLimits(settings)),
): LongReads {
  const { maxLongReadSeconds } = settings;
  const limitMs = 1000 * maxLongReadSeconds;
  const { maxWaitMs } = longReadLimits(settings);
  const closing = new AbortController();
  let ended = 0;
  return {
    read: async (statement, { client, gone, advice, spending = newSpending() }) => {
      const asked = performance.now();
      const entering = queue.enter(client, gone, Math.max(1, maxWaitMs - spending.waitedMs));
      const leave = await waited('wait among the long reads', entering).catch((error: unknown) => {
        throw error instanceof Refused ? refusal(error) : error;
      });
      const begun = performance.now();
      spending.waitedMs += begun - asked;
      const late = lateness(limitMs - spending.workedMs, spending.workedMs > 0);
      const stop = AbortSignal.any([closing.signal, late.signal, ...(gone === undefined ? [] : [gone])]);
      try {
        if (closing.signal.aborted || gone?.aborted === true) throw new Refused('gone');
        if (late.signal.aborted) throw new EndedByLimit('the request has used up its time');
        statement.sent?.(1);
        return await run(statement, stop);
      } catch (error) {
        // Whatever ended the statement, nobody waits for its result.
        if (closing.signal.aborted) throw refusal(new Refused('closed'));
        if (gone?.aborted === true) throw refusal(new Refused('gone'));
        if (!(error instanceof EndedByLimit || late.signal.aborted)) throw error;
        ended += 1;
        throw tooSlow(maxLongReadSeconds, advice);
      } finally {
        late.end();
        spending.workedMs += performance.now() - begun;
        leave();
      }
    },
    counts: () => ({ ...queue.counts(), ended }),
    close: () => {
      queue.close();
      closing.abort();
    },
  };
}

/**
 * Aborts if a further statement of a request takes longer than the rest of its time. The first statement has the full
 * time, which the engine enforces: it knows when the statement has begun.
 */
function lateness(leftMs: number, isFurther: boolean): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  if (isFurther && leftMs <= 0) controller.abort();
  const timer = isFurther && leftMs > 0 ? setTimeout(() => controller.abort(), leftMs) : undefined;
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

function refusal({ by }: Refused): Problem {
  if (by === 'client') {
    const detail = textBlock`
      This client has as many queries without an index waiting as it may: ${maxWaitingPerClient}, or fewer while others
      wait too. Wait for their answers before you send more.
    `;
    return new Problem('quota-exceeded', detail, { 'violated-policies': ['long-reads'] }, { 'Retry-After': '10' });
  }
  if (by === 'others')
    return new Problem(
      'unavailable',
      'Too many queries without an index are waiting. Queries that an index serves are not held up.',
      {},
      { 'Retry-After': '10' },
    );
  return new Problem(
    'unavailable',
    by === 'gone' ? 'The client closed the connection.' : 'The service is stopping.',
    {},
    { 'Retry-After': '5' },
  );
}

/** @param advice what to ask instead; default: for what is no list, at the command line too */
function tooSlow(seconds: number, advice = 'Ask for less, such as a shorter time.'): Problem {
  return new Problem(
    'unavailable',
    `The query took longer than ${seconds} s and was ended. ${advice}`,
    {},
    { 'Retry-After': '30' },
  );
}
