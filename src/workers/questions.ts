// In charge of what a worker asks the supervisor: each question has an id, and its answer in time or none.

interface Questions<T> {
  /** Rejects where no answer comes. */
  ask(send: (id: number) => void): Promise<T>;
  answer(id: number, value: T): void;
}

/** A supervisor that has more to do than that is stuck. */
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
