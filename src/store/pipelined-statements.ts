// Statements of a transaction whose answers are not awaited one by one.

/** Statements sent ahead. */
export interface Pipeline {
  /** Takes the answer of a statement that was sent; a failure is kept for `all`. */
  readonly add: (answer: Promise<unknown>) => void;
  /** Waits for all answers. @throws the error of the first one that failed */
  readonly all: () => Promise<void>;
}

/**
 * Runs `work`, and then waits for everything it sent ahead.
 * @returns what `work` returns
 * @throws the error of the first failed statement, even if `work` threw only because that had undone the transaction
 */
export async function withPipeline<T>(work: (pipeline: Pipeline) => Promise<T>): Promise<T> {
  const answers: Promise<unknown>[] = [];
  const pipeline: Pipeline = {
    add: (answer) => {
      // The answer is awaited below; this keeps an earlier failure from counting as unhandled.
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
