// Runs a piece of background work again and again, one round at a time, until it is stopped.

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
