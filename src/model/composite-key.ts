// Keys of caches and tables in memory that stand for several values.

/**
 * One text for several values, which no other values have: joined without more, `AB` at 15 and `AB1` at 5 would be the
 * same.
 * @param parts any JSON value
 */
export function compositeKey(...parts: readonly unknown[]): string {
  return JSON.stringify(parts);
}
