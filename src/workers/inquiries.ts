// Questions of the supervisor to several workers at once: waits until each has answered, has ended, or is late.

/** Questions of one kind, each to several workers. */
interface Inquiries<T> {
  /**
   * Asks workers.
   * @param put sends the question with its id to one of them
   * @returns the answers that arrived in time, in order of arrival
   */
  ask(workers: readonly number[], put: (worker: number, id: number) => void): Promise<readonly T[]>;
  /** A worker answered the question with this id. @returns whether it was awaited */
  answered(worker: number, id: number, answer: T): boolean;
  /** A worker has ended, so its answers are no longer awaited. */
  ended(worker: number): void;
}

interface Inquiry<T> {
  readonly awaited: Set<number>;
  readonly answers: T[];
  readonly done: () => void;
}

/** @param patienceMs how long the answers to one question are awaited */
export function createInquiries<T>(patienceMs: number): Inquiries<T> {
  const open = new Map<number, Inquiry<T>>();
  let lastId = 0;
  const isOver = (inquiry: Inquiry<T>, worker: number): boolean => {
    if (!inquiry.awaited.delete(worker)) return false;
    if (inquiry.awaited.size === 0) inquiry.done();
    return true;
  };
  return {
    ask: async (workers, put) => {
      if (workers.length === 0) return [];
      lastId += 1;
      const id = lastId;
      const { promise, resolve } = Promise.withResolvers<void>();
      const inquiry: Inquiry<T> = { awaited: new Set(workers), answers: [], done: resolve };
      open.set(id, inquiry);
      const late = setTimeout(resolve, patienceMs);
      for (const worker of workers) put(worker, id);
      await promise;
      clearTimeout(late);
      open.delete(id);
      return inquiry.answers;
    },
    answered: (worker, id, answer) => {
      const inquiry = open.get(id);
      if (inquiry?.awaited.has(worker) !== true) return false;
      inquiry.answers.push(answer);
      return isOver(inquiry, worker);
    },
    ended: (worker) => {
      for (const inquiry of open.values()) isOver(inquiry, worker);
    },
  };
}
