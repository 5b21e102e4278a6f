// Bounds the memory of data sent to the engine but not written yet: rendering waits for the engine when it is faster.

/** Bytes in flight to the engine. */
export interface UnwrittenBytes {
  /** Counts data from when it is sent until its answer arrives, successful or not. */
  readonly add: (answer: Promise<unknown>, bytes: number) => void;
  /**
   * To be awaited before more is rendered: undefined if there is room, otherwise a promise that resolves once there is.
   */
  readonly room: () => Promise<void> | undefined;
}

/** @param maxBytes there is room while fewer bytes than this are in flight */
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
