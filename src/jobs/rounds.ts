// Runs a piece of background work again and again, one round at a time, until it is stopped.

/** A piece of work that comes again and again. */
export interface Task {
  /** For the log where a round fails, such as 'old stock images could not be removed'. */
  readonly failure: string;
  /** Milliseconds from one round to the next. */
  readonly every: number;
  readonly round: () => Promise<unknown>;
}

/**
 * Starts tasks, each with its first round after a minute or, where it comes more often, after its own time.
 * @param failed is told which round threw, and what
 * @returns stops them all and waits for the rounds that run
 */
export function startTasks(tasks: readonly Task[], failed: (failure: string, error: unknown) => void): () => Promise<void> {
  const running = tasks.map(({ failure, every, round }) => startRounds(round, Math.min(every, 60_000), every, (error) => failed(failure, error)));
  return async () => void await Promise.all(running.map((each) => each.stop()));
}

/** A repeated piece of work. */
export interface Rounds {
  /** Stops the repetition and waits for the round that runs. */
  stop(): Promise<void>;
}

/**
 * Starts the first round after `first` milliseconds and the next ones `every` milliseconds after the last has ended.
 * @param failed is told when a round throws; the next one comes all the same
 */
export function startRounds(work: () => Promise<unknown>, first: number, every: number, failed: (error: unknown) => void): Rounds {
  let running: Promise<unknown> = Promise.resolve();
  let stopped = false;
  let timer: NodeJS.Timeout;
  const later = (milliseconds: number): void => {
    // The timer alone shall not keep the process alive.
    timer = setTimeout(round, milliseconds).unref();
  };
  const round = (): void => {
    running = work().catch(failed).finally(() => {
      if (!stopped) later(every);
    });
  };
  later(first);
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
