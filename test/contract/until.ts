// Waits for what a test cannot be told of.

/** Resolves when it is so; rejects when it is still not so after two minutes, or as long as is said. */
export async function until(isSo: () => boolean | Promise<boolean>, seconds = 120): Promise<void> {
  const deadline = performance.now() + 1000 * seconds;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`still not so after ${seconds} s: ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * Lets so many turns of the event loop pass, ten milliseconds apart: for what nothing tells that it has happened. A
 * machine that stands still takes none, however long that lasts.
 */
export async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise((resolve) => setTimeout(resolve, 10));
}
