// Requests of a worker to the supervisor: each has an id, and is either answered in time or rejected.

interface SupervisorRequests<T> {
  /** Rejects when no answer comes. */
  ask(send: (id: number) => void): Promise<T>;
  answer(id: number, value: T): void;
}

/** A supervisor that takes longer hangs. */
const timeoutMs = 5000;

export function createSupervisorRequests<T>(): SupervisorRequests<T> {
  const open = new Map<number, (value: T) => void>();
  let lastId = 0;
  return {
    ask: (send) =>
      new Promise((resolve, reject) => {
        lastId += 1;
        const id = lastId;
        const late = setTimeout(() => {
          open.delete(id);
          reject(new Error('the supervisor of the workers does not answer'));
        }, timeoutMs);
        open.set(id, (value) => {
          clearTimeout(late);
          open.delete(id);
          resolve(value);
        });
        send(id);
      }),
    answer: (id, value) => open.get(id)?.(value),
  };
}
