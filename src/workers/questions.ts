// A worker's questions to the supervisor: each has an id, and is either answered in time or rejected.

interface Questions<T> {
  /** Rejects when no answer comes. */
  ask(send: (id: number) => void): Promise<T>;
  answer(id: number, value: T): void;
}

/** A supervisor that takes longer is stuck. */
const patienceMs = 5000;

export function createQuestions<T>(): Questions<T> {
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
        }, patienceMs);
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
