// Keys that combine several values, for caches and tables in memory.

/**
 * One text that is unique to these values. Plain concatenation would not be: `AB` with 15 and `AB1` with 5 would
 * collide.
 * @param parts any JSON values
 */
export function compositeKey(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}
