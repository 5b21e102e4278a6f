// Remembers what was computed: for a short text, in a map that cannot grow without bound, or for a moment.
import { LRUCache } from 'lru-cache';

/** Most characters that are read of a header which lists what a client accepts. Programs send some hundred. */
export const maxAcceptLength = 4096;

/**
 * Gives `compute` a memory. Meant for header texts: clients send the same few over and over.
 * @param compute a pure function of the text
 * @param max how many texts are kept: those that were asked for last
 * @param maxLength texts of more characters are computed each time, so that a client cannot fill the memory
 */
export function remembering<T>(compute: (text: string) => T, max = 200, maxLength = 300): (text: string) => T {
  // In an object, since null can be a value.
  const known = new LRUCache<string, { readonly value: T }>({ max });
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found.value;
    const value = compute(text);
    if (text.length <= maxLength) known.set(text, { value });
    return value;
  };
}

/**
 * Spares the process work that anybody may ask for: who comes while it is done shares the outcome, and so does who
 * comes soon after. A failure is not remembered.
 * @param rest for how long, as a multiple of the time that it took: at 19, all askers together use a twentieth of the
 * processor
 */
export function shared<T>(work: () => Promise<T>, rest = 19): () => Promise<T> {
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
