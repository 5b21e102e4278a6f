// In charge of putting the bytes of a page together; and of what every way of reading a page is given.
import type { Engine } from './engine.ts';

/** The engine, and how the rows of the plan at hand are read from it. */
export interface PageReading {
  readonly engine: Engine;
  readonly rows: Engine['read'];
  /** An index leads to them, so that those of several activities may be asked for at once. */
  readonly isShort: boolean;
  /** By table and activity, the newest change of which it is known that its record is not withdrawn. */
  readonly liveChanges: Map<string, number>;
  /** Of the records of the page; one that is longer by itself has a page of its own. */
  readonly maxBytes: number;
}

/** Activities that are asked about at once: many statements go to the server together, and many rows are held. */
const maxTogether = 50;

/** What is asked about, in runs of what is asked about at once. @param isShort one at a time where it is not */
export function together<T>(items: readonly T[], isShort = true): readonly (readonly T[])[] {
  const size = isShort ? maxTogether : 1;
  if (items.length <= size) return items.length === 0 ? [] : [items];
  return Array.from({ length: Math.ceil(items.length / size) }, (_, run) => items.slice(run * size, (run + 1) * size));
}

/** The first of several stretches that are asked about at once: one, where each may take long. */
export function runOf<T>({ isShort }: PageReading, stretches: readonly T[]): readonly T[] {
  return stretches.slice(0, isShort ? maxTogether : 1);
}

/** One JSON array of the elements of several; a single one is passed on as it is. */
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
