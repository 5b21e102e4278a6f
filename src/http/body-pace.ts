// How slowly a body may come: measures how long its client makes us wait.
import { Problem } from '../model/problem.ts';
import { textBlock } from '../model/text-block.ts';

/** How long a body may take: enough for a slow connection, but not for a stalled one. */
export interface Pace {
  /** The longest wait; a client that sends more slowly than the rate below uses it up. */
  readonly graceMs: number;
  /** The rate at which sent bytes earn the time back. Our own pauses do not count. */
  readonly minBytesPerSecond: number;
}

/** Measures how long the client makes us wait. */
export function createReadTimeout(
  { graceMs, minBytesPerSecond }: Pace,
  end: () => void,
): { readonly wait: () => void; readonly pause: (received: number) => void } {
  let left = graceMs;
  let since = 0;
  let timer: NodeJS.Timeout | null = null;
  return {
    wait: () => {
      if (timer !== null) return;
      since = performance.now();
      timer = setTimeout(end, left);
    },
    pause: (received) => {
      if (timer === null) return;
      clearTimeout(timer);
      timer = null;
      left = Math.min(graceMs, left - (performance.now() - since) + (received / minBytesPerSecond) * 1000);
    },
  };
}

/** The refusal of a body that came more slowly. */
export function tooSlow({ graceMs, minBytesPerSecond }: Pace): Problem {
  return new Problem(
    'request-timeout',
    textBlock`
      The body came too slowly: the service waits ${graceMs / 1000} s, and one more for every ${minBytesPerSecond}
      bytes that arrive.
    `,
    {},
    { connection: 'close' },
  );
}
