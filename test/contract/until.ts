// Waits for what a test cannot be told of.

/** Resolves when it is so; rejects when it is still not so after half a minute, or as long as is said. */
export async function until(isSo: () => boolean | Promise<boolean>, seconds = 30): Promise<void> {
  const deadline = performance.now() + 1000 * seconds;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`still not so after ${seconds} s: ${isSo.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
