// The queues shared by all workers: whose turn it is, and what happens to the places of a worker that has ended.
import { createFairQueue, type FairQueue, Refused } from '../model/fair-queue.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

type Entering = Extract<FromWorker, { readonly tell: 'enter' }>;

interface SharedQueues {
  /** Answers when the turn has come, or will never come. */
  enter(worker: number, entering: Entering): void;
  leave(worker: number, id: number): void;
  /** Releases all that a worker holds and waits for. */
  ended(worker: number): void;
}

interface Entry {
  readonly worker: number;
  readonly queue: string;
  /** Aborted when it no longer waits. */
  readonly gone: AbortController;
  giveBack: (() => void) | null;
}

/** @param send sends a worker a message; does nothing if it has ended */
export function createSharedQueues(send: (worker: number, message: ToWorker) => void): SharedQueues {
  const queues = new Map<string, FairQueue>();
  const entries = new Map<string, Entry>();
  /** Queues whose current holders have been told that others are waiting. */
  const awaited = new Set<string>();
  const queueOf = ({ queue: name, limits }: Entering): FairQueue => {
    const queue = queues.get(name) ?? createFairQueue(limits);
    queues.set(name, queue);
    return queue;
  };
  const tellAwaited = (name: string): void => {
    const is = queues.get(name)?.isAwaited() === true;
    if (is === awaited.has(name)) return;
    if (is) awaited.add(name);
    else awaited.delete(name);
    for (const { worker, queue, giveBack } of entries.values())
      if (queue === name && giveBack !== null) send(worker, { tell: 'awaited', queue, is });
  };
  const leave = (key: string): void => {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    entry.gone.abort();
    entry.giveBack?.();
    tellAwaited(entry.queue);
  };
  return {
    enter: (worker, entering) => {
      const { id, queue, client, maxWaitMs } = entering;
      const key = `${worker} ${id}`;
      const entry: Entry = { worker, queue, gone: new AbortController(), giveBack: null };
      entries.set(key, entry);
      queueOf(entering)
        .enter(client, entry.gone.signal, maxWaitMs)
        .then(
          (giveBack) => {
            // It may have left at the moment when its turn came.
            if (entry.gone.signal.aborted) return giveBack();
            entry.giveBack = giveBack;
            send(worker, { tell: 'entered', id });
            if (awaited.has(queue)) send(worker, { tell: 'awaited', queue, is: true });
          },
          (error: unknown) => {
            entries.delete(key);
            if (!(error instanceof Refused)) throw error;
            if (error.by !== 'gone') send(worker, { tell: 'refused', id, by: error.by, isLate: error.isLate });
          },
        )
        .finally(() => tellAwaited(queue));
      tellAwaited(queue);
    },
    leave: (worker, id) => leave(`${worker} ${id}`),
    ended: (worker) => {
      for (const [key, entry] of entries) if (entry.worker === worker) leave(key);
    },
  };
}
