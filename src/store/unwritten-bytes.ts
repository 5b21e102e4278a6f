// In charge of the memory of what was sent to the engine and is not written yet: who renders faster than the engine
// writes waits for it.

/** Bytes on their way to the engine. */
export interface UnwrittenBytes {
  /** Counts what was sent until its answer comes, whatever that is. */
  readonly add: (answer: Promise<unknown>, bytes: number) => void;
  /** To be awaited before more is rendered: undefined where there is room, else what comes once there is. */
  readonly room: () => Promise<void> | undefined;
}

/** @param maxBytes there is room until so many are on their way */
export function createUnwrittenBytes(maxBytes: number): UnwrittenBytes {
  let bytes = 0;
  let waiting: (() => void)[] = [];
  return {
    add: (answer, size) => {
      bytes += size;
      const settled = (): void => {
        bytes -= size;
        if (bytes > maxBytes) return;
        for (const resume of waiting) resume();
        waiting = [];
      };
      answer.then(settled, settled);
    },
    room: () => (bytes <= maxBytes ? undefined : new Promise((resume) => waiting.push(resume))),
  };
}
