// The threads that write to embedded databases: starting one costs more processor time than what most commands write,
// so a thread whose database is closed waits a while for the next one.
import { Worker } from 'node:worker_threads';
import { limitYoungMemoryOfThreads } from '../model/garbage-collection.ts';
import type { WriterAnswer, WriterRequest, WriterStep } from './sqlite-writer-steps.ts';

/** What a thread writes: nobody needs to wait for `background` work, so it gets the processor after the rest. */
export type WriterKind = 'usual' | 'background';

/** A thread and its current listener. */
export interface WriterThread {
  readonly kind: WriterKind;
  readonly worker: Worker;
  listener: ThreadListener;
}

export interface ThreadListener {
  readonly answered: (answer: WriterAnswer) => void;
  /** The thread ended by itself, with an error if there was one. */
  readonly ended: (error: unknown) => void;
}

/** An idle thread is stopped after this time: it holds some 20 MB. */
export const usualIdleAfterMs = 30_000;
/** Nothing closes more than this many databases at the same time. */
const maxSpare = 4;

/**
 * Threads without a database, each with a function that takes it from this list. Threads belong to the process, and so
 * does the list.
 */
const spare = new Map<WriterThread, () => void>();

/** A thread for the database at a path; its first step opens the file. Throws what `new Worker` throws. */
export function takeThread(path: string, kind: WriterKind, listener: ThreadListener): WriterThread {
  const [thread = newThread(kind), take] = [...spare].findLast(([each]) => each.kind === kind) ?? [];
  take?.();
  thread.listener = listener;
  post(thread, { do: 'open', path });
  return thread;
}

/** Has the database closed after all earlier steps. */
export async function releaseThread(thread: WriterThread): Promise<void> {
  const { worker, listener } = thread;
  worker.ref();
  const state = await new Promise<'closed' | 'not closed' | 'ended'>((resolve) => {
    thread.listener = {
      answered: (answer) => {
        if (answer.id === 0) resolve(answer.fault === null ? 'closed' : 'not closed');
        else listener.answered(answer);
      },
      ended: () => resolve('ended'),
    };
    post(thread, { do: 'leave' });
  });
  if (state === 'closed' && spare.size < maxSpare) keep(thread);
  else if (state !== 'ended') await endThread(thread);
}

/** Ends a running thread after all earlier steps. */
export function endThread({ worker }: Pick<WriterThread, 'worker'>): Promise<void> {
  worker.ref();
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  post({ worker }, { do: 'end' });
  return ended;
}

function keep(thread: WriterThread): void {
  thread.worker.unref();
  const take = (): void => {
    clearTimeout(timer);
    spare.delete(thread);
  };
  const timer = setTimeout(() => {
    take();
    void endThread(thread);
  }, usualIdleAfterMs).unref();
  thread.listener = { answered: () => undefined, ended: take };
  spare.set(thread, take);
}

function newThread(kind: WriterKind): WriterThread {
  limitYoungMemoryOfThreads();
  const worker = new Worker(new URL('./sqlite-writer-thread.ts', import.meta.url), {
    workerData: kind,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const thread: WriterThread = { kind, worker, listener: { answered: () => undefined, ended: () => undefined } };
  worker.on('message', (answer) => thread.listener.answered(answer));
  worker.on('error', (error) => thread.listener.ended(error));
  worker.on('exit', () => thread.listener.ended(undefined));
  return thread;
}

function post({ worker }: Pick<WriterThread, 'worker'>, step: WriterStep): void {
  worker.postMessage({ id: 0, step } satisfies WriterRequest);
}
