// Counts the properties of parsed JSON: fewer than the colons of its text means that an object repeats a name.
import { isObject } from './scalar.ts';

/** Number of properties of a value and everything inside it, which may be nested as deeply as its text is long. */
export function countProperties(value: unknown): number {
  let count = 0;
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (Array.isArray(next)) for (const element of next) hold(element, waiting);
    else if (isObject(next)) {
      for (const name in next) {
        count += 1;
        hold(next[name], waiting);
      }
    }
  }
  return count;
}

function hold(value: unknown, waiting: unknown[]): void {
  if (typeof value === 'object' && value !== null) waiting.push(value);
}
