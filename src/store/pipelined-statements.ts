// In charge of the statements of a transaction whose answers nobody awaits one by one.

/** Statements that were sent ahead. */
export interface Pipeline {
  /** Takes the answer of a statement that was sent; a failure is kept for `all`. */
  readonly add: (answer: Promise<unknown>) => void;
  /** Waits for all answers. @throws what the first one that failed threw */
  readonly all: () => Promise<void>;
}

/**
 * Runs `work`, and then waits for what it sent ahead.
 * @returns what `work` returns
 * @throws why the first statement failed, also where `work` only threw because the transaction was undone by that
 */
export async function withPipeline<T>(work: (pipeline: Pipeline) => Promise<T>): Promise<T> {
  const answers: Promise<unknown>[] = [];
  const pipeline: Pipeline = {
    add: (answer) => {
      // It is awaited below; a failure before that is not unheard.
      answer.catch(() => undefined);
      answers.push(answer);
    },
    all: async () => void (await Promise.all(answers)),
  };
  try {
    const result = await work(pipeline);
    await pipeline.all();
    return result;
  } catch (error) {
    await pipeline.all();
    throw error;
  }
}
