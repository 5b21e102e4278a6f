// Requests of the supervisor to several workers at once: waits until each has answered, has ended, or is late.

/** Requests of one kind, each to several workers. */
interface WorkerRequests<T> {
  /**
   * Asks workers.
   * @param put sends the request with its id to one of them
   * @returns the answers that arrived in time, in order of arrival
   */
  ask(workers: readonly number[], put: (worker: number, id: number) => void): Promise<readonly T[]>;
  /** A worker answered the request with this id. @returns whether it was awaited */
  answered(worker: number, id: number, answer: T): boolean;
  /** A worker has ended: its answers are no longer awaited, and those that it gave to open requests are left out. */
  ended(worker: number): void;
}

interface OpenRequest<T> {
  readonly awaited: Set<number>;
  readonly answers: Map<number, T>;
  readonly done: () => void;
}

/** @param timeoutMs how long the answers to one request are awaited */
export function createWorkerRequests<T>(timeoutMs: number): WorkerRequests<T> {
  const open = new Map<number, OpenRequest<T>>();
  let lastId = 0;
  const isOver = (request: OpenRequest<T>, worker: number): boolean => {
    if (!request.awaited.delete(worker)) return false;
    if (request.awaited.size === 0) request.done();
    return true;
  };
  return {
    ask: async (workers, put) => {
      if (workers.length === 0) return [];
      lastId += 1;
      const id = lastId;
      const { promise, resolve } = Promise.withResolvers<void>();
      const request: OpenRequest<T> = { awaited: new Set(workers), answers: new Map(), done: resolve };
      open.set(id, request);
      const late = setTimeout(resolve, timeoutMs);
      for (const worker of workers) put(worker, id);
      await promise;
      clearTimeout(late);
      open.delete(id);
      return [...request.answers.values()];
    },
    answered: (worker, id, answer) => {
      const request = open.get(id);
      if (request?.awaited.has(worker) !== true) return false;
      request.answers.set(worker, answer);
      return isOver(request, worker);
    },
    ended: (worker) => {
      for (const request of open.values()) {
        // What it answered before counts as that of one that has ended.
        request.answers.delete(worker);
        isOver(request, worker);
      }
    },
  };
}
