// The processes for long reads: started when needed, stopped when idle, ended together with a read that takes too long.
// Starting one costs a hundred times as much as most reads, so an idle one whose database is closed waits a while for
// the next one.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Problem } from '../model/problem.ts';
import type { SqlValue } from './engine.ts';
import type { CompiledStatement } from './statement.ts';
import { EndedByLimit } from './long-reads.ts';

/** What a process is sent: a read, or that it is to close its database. */
export type LongReadMessage = LongReadRequest | 'leave';
export interface LongReadRequest {
  readonly path: string;
  readonly text: string;
  readonly values: readonly SqlValue[];
}
export interface LongReadAnswer {
  readonly rows: unknown;
  readonly fault: string | null;
}
/**
 * What a process reports: of a read first that it is working on it, which after a start takes a moment; `left` once its
 * database is closed.
 */
export type LongReadNews = 'begun' | 'left' | LongReadAnswer;

export interface LongReaders {
  /**
   * Reads in a process that nobody else uses meanwhile, so that ending it ends nothing else.
   * @returns the rows as returned by node:sqlite
   * @throws EndedByLimit, Problem `unavailable` when the process was ended for another reason
   */
  read(statement: Pick<CompiledStatement, 'text' | 'values'>, stop: AbortSignal): Promise<unknown>;
  /** Ends the processes that read, and takes the database from the others. Later reads start new ones. */
  close(): Promise<void>;
}

/** How long a read may take, how long one may continue when nobody waits for it, how long an idle process stays. */
export interface LongReaderTimes {
  readonly maxReadMs: number;
  readonly unwantedMs: number;
  readonly idleMs: number;
}

/**
 * Starting a process costs some 50 ms: one second lets most reads finish by themselves, and limits how often that cost
 * is paid.
 */
const unwantedMs = 1000;

/** On a busy machine a process may take seconds to start; that does not count towards the time of a read. */
const maxStartMs = 20_000;

/** As long as an idle process has to close its database. */
const maxLeaveMs = 5000;

const usualIdleMs = 60_000;

/** As many as one database usually has at a time. */
const maxSpare = 2;

/** Processes without a database, each with a function that takes it from this list, which is the whole program's. */
const spare = new Map<ChildProcess, () => void>();

/**
 * Processes rather than threads: a thread inside SQLite cannot be stopped.
 * @param path file of the database
 */
export function createLongReaders(
  path: string,
  times: Pick<LongReaderTimes, 'maxReadMs'> & Partial<LongReaderTimes>,
): LongReaders {
  const { maxReadMs, idleMs, ...other } = { unwantedMs, idleMs: usualIdleMs, ...times };
  /** Those that have this database, each with what has it forgotten. */
  const open = new Map<ChildProcess, () => void>();
  /** Idle processes; the most recently used is reused first. */
  const resting = new Map<ChildProcess, NodeJS.Timeout>();
  const adopt = (reader: ChildProcess): ChildProcess => {
    const forget = (): void => {
      open.delete(reader);
      clearTimeout(resting.get(reader));
      resting.delete(reader);
      reader.off('exit', forget);
      reader.off('error', forget);
    };
    open.set(reader, forget);
    reader.once('exit', forget);
    reader.once('error', forget);
    return reader;
  };
  const take = (): ChildProcess => {
    const rested = [...resting].at(-1);
    if (rested === undefined) return adopt(takeSpare() ?? start());
    clearTimeout(rested[1]);
    resting.delete(rested[0]);
    return rested[0];
  };
  const rest = (reader: ChildProcess): void => {
    // One that answered just when it was ended is about to exit.
    if (!open.has(reader) || reader.killed) return;
    resting.set(
      reader,
      setTimeout(() => {
        resting.delete(reader);
        reader.kill('SIGKILL');
      }, idleMs).unref(),
    );
  };
  return {
    read: async ({ text, values }, stop) => {
      const reader = take();
      hold(reader, true);
      try {
        return await answerOf(reader, { path, text, values }, { maxReadMs, unwantedMs: other.unwantedMs, stop });
      } finally {
        hold(reader, false);
        rest(reader);
      }
    },
    close: async () => {
      const idle = [...resting.keys()];
      for (const [reader, forget] of open) {
        forget();
        if (!idle.includes(reader)) reader.kill('SIGKILL');
      }
      await Promise.all(idle.map(release));
    },
  };
}

function start(): ChildProcess {
  const started = fork(fileURLToPath(new URL('./sqlite-long-reader.ts', import.meta.url)), {
    serialization: 'advanced',
    execArgv: ['--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  // A process that could not be started or reached is useless; without a listener its error would end the program.
  started.on('error', () => started.kill('SIGKILL'));
  return started;
}

function takeSpare(): ChildProcess | undefined {
  const [reader, take] = [...spare].at(-1) ?? [];
  take?.();
  return reader;
}

/** Has an idle process close its database, and keeps it for the next one. */
async function release(reader: ChildProcess): Promise<void> {
  if (!(await hasLeft(reader)) || spare.size >= maxSpare) {
    reader.kill('SIGKILL');
    return;
  }
  const take = (): void => {
    clearTimeout(timer);
    spare.delete(reader);
    reader.off('exit', take);
  };
  const timer = setTimeout(() => {
    take();
    reader.kill('SIGKILL');
  }, usualIdleMs).unref();
  reader.once('exit', take);
  spare.set(reader, take);
}

/** Whoever removes or replaces the file of a closed database finds it let go of. */
async function hasLeft(reader: ChildProcess): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const [hear, lost] = [(): void => resolve(true), (): void => resolve(false)];
  const late = setTimeout(lost, maxLeaveMs);
  hold(reader, true);
  reader.once('message', hear);
  reader.once('exit', lost);
  reader.once('error', lost);
  reader.send('leave' satisfies LongReadMessage);
  try {
    return await promise;
  } finally {
    clearTimeout(late);
    reader.off('message', hear);
    reader.off('exit', lost);
    reader.off('error', lost);
    hold(reader, false);
  }
}

/** Settles when the reader has answered or exited. */
async function answerOf(
  reader: ChildProcess,
  request: LongReadRequest,
  { maxReadMs, unwantedMs, stop }: Omit<LongReaderTimes, 'idleMs'> & { readonly stop: AbortSignal },
): Promise<unknown> {
  const answered = Promise.withResolvers<unknown>();
  let reason: Error | null = null;
  const lost = (): void =>
    answered.reject(
      reason ?? new Problem('unavailable', 'The process that reads was ended.', {}, { 'Retry-After': '5' }),
    );
  const hear = (news: LongReadNews): void => {
    if (news === 'begun') {
      clearTimeout(late);
      late = setTimeout(() => end(new EndedByLimit('the read took too long')), maxReadMs);
    } else if (news === 'left') return;
    else if (news.fault === null) answered.resolve(news.rows);
    else answered.reject(new Error(news.fault));
  };
  const end = (why: Error | null = null): void => {
    reason ??= why;
    reader.kill('SIGKILL');
  };
  let late = setTimeout(end, maxStartMs);
  let left: NodeJS.Timeout | undefined;
  const leave = (): void => {
    left = setTimeout(end, unwantedMs);
  };
  reader.on('message', hear);
  reader.once('exit', lost);
  reader.once('error', lost);
  stop.addEventListener('abort', leave);
  reader.send(request satisfies LongReadMessage);
  try {
    return await answered.promise;
  } finally {
    clearTimeout(late);
    clearTimeout(left);
    stop.removeEventListener('abort', leave);
    reader.off('message', hear);
    reader.off('exit', lost);
    reader.off('error', lost);
  }
}

/** An idle reader must not keep the program alive; a busy one must. */
function hold(reader: ChildProcess, busy: boolean): void {
  if (busy) {
    reader.ref();
    reader.channel?.ref();
  } else {
    reader.unref();
    reader.channel?.unref();
  }
}
