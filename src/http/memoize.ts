// Caches computed values: for short texts in a bounded map, or for a moment.
import { createGrowingCache } from '../model/growing-cache.ts';

/** The longest header that is parsed for what a client accepts, in characters. Programs send some hundred. */
export const maxAcceptLength = 4096;

/**
 * Memoizes `compute`. Meant for header texts, because clients send the same few repeatedly.
 * @param compute a pure function of the text
 * @param max how many texts are kept: the most recently used ones
 * @param maxLength longer texts are computed each time, so that a client cannot fill the memory
 */
export function memoize<T>(compute: (text: string) => T, max = 200, maxLength = 300): (text: string) => T {
  // Wrapped in an object, because null can be a value.
  const known = createGrowingCache<string, { readonly value: T }>(max);
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found.value;
    const value = compute(text);
    if (text.length <= maxLength) known.set(text, { value });
    return value;
  };
}

/**
 * Shares work that anybody may request: callers that arrive while it runs, or soon after, get the same result. Failures
 * are not cached.
 * @param rest how long the result is reused, as a multiple of the time that it took: with 19, all callers together use
 *   a twentieth of the processor
 */
export function shareResult<T>(work: () => Promise<T>, rest = 19): () => Promise<T> {
  let outcome: Promise<T> | null = null;
  return () => {
    if (outcome !== null) return outcome;
    const started = performance.now();
    const forget = (): void => {
      outcome = null;
    };
    outcome = work();
    outcome.then(() => setTimeout(forget, rest * (performance.now() - started)).unref(), forget);
    return outcome;
  };
}
