// Assembles the bytes of a page; holds what every way of reading a page is given.
import type { Engine } from './engine.ts';

/** The engine, and how the rows of the current plan are read from it. */
export interface PageReading {
  readonly engine: Engine;
  readonly rows: Engine['read'];
  /** An index leads to the rows, so several activities may be queried at once. */
  readonly isShort: boolean;
  /** By table and activity, the newest change known to belong to a record that is not withdrawn. */
  readonly liveChanges: Map<string, number>;
  /** Of all records of the page; a single record that is longer has a page of its own. */
  readonly maxBytes: number;
}

/** Activities queried at once: this many statements go to the server together, and their rows are held in memory. */
const maxTogether = 50;

/** Splits the items into runs that are queried at once. @param isShort if false, one item at a time */
export function together<T>(items: readonly T[], isShort = true): readonly (readonly T[])[] {
  const size = isShort ? maxTogether : 1;
  if (items.length <= size) return items.length === 0 ? [] : [items];
  return Array.from({ length: Math.ceil(items.length / size) }, (_, run) => items.slice(run * size, (run + 1) * size));
}

/** The first of several stretches, as many as are queried at once: only one if each may take long. */
export function runOf<T>({ isShort }: PageReading, stretches: readonly T[]): readonly T[] {
  return stretches.slice(0, isShort ? maxTogether : 1);
}

/** One JSON array with the elements of several arrays; a single array is returned as it is. */
export function joinArrays(arrays: readonly Buffer[]): Buffer {
  const [first] = arrays;
  return first !== undefined && arrays.length === 1 ? first : arrayOf(arrays.map((array) => array.subarray(1, -1)));
}

/** A JSON array of elements, or of runs of elements joined by commas. */
export function arrayOf(elements: readonly Buffer[]): Buffer {
  const separated = elements.flatMap((element, index) => (index === 0 ? [element] : [comma, element]));
  return Buffer.concat([openBracket, ...separated, closeBracket]);
}

const openBracket = Buffer.from('[');
const closeBracket = Buffer.from(']');
const comma = Buffer.from(',');
