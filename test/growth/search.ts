// Looks for texts whose cost grows faster than their length: pieces of a grammar, one of them repeated, at two lengths.
import type { Reader } from './readers.ts';

/** A text that can be made of any length: a beginning, something over and over, an end. */
export interface Shape {
  readonly before: string;
  readonly pump: string;
  readonly after: string;
}

/** What reading a shape cost at a quarter and at the whole of a length, milliseconds. */
interface Cost {
  readonly shape: Shape;
  readonly bytes: number;
  readonly quarter: number;
  readonly whole: number;
}

/** The text of a shape, of about so many UTF-16 units. */
export function textOf({ before, pump, after }: Shape, length: number): string {
  return before + pump.repeat(Math.max(1, Math.floor((length - before.length - after.length) / pump.length))) + after;
}

/** Least processor time of some runs, milliseconds: that of this thread, whatever else the machine does. */
export async function timeOf(reader: Reader, text: string, runs = 3): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const began = process.threadCpuUsage();
    try {
      await reader.read(text);
    } catch {
      // A refusal costs what it costs.
    }
    const { user, system } = process.threadCpuUsage(began);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/** Shapes of a reader, in an order that a seed decides. */
function* shapesOf({ pieces, frames = [] }: Reader, seed: number): Generator<Shape> {
  const random = generator(seed);
  const some = (most: number): string =>
    Array.from(
      { length: Math.floor(random() * (most + 1)) },
      () => pieces[Math.floor(random() * pieces.length)] ?? '',
    ).join('');
  for (const [before, after] of [['', ''], ...frames] as const)
    for (const pump of pieces) yield { before, pump, after };
  for (const pump of pieces) for (const before of pieces) yield { before, pump, after: '' };
  for (;;) {
    const pump = some(3);
    const [before, after] = frames[Math.floor(random() * 2 * frames.length)] ?? [some(3), some(2)];
    if (pump !== '') yield { before, pump, after };
  }
}

/** The costliest shapes of a reader by byte and by growth, found within a time. */
export async function search(reader: Reader, milliseconds: number, seed: number): Promise<readonly Cost[]> {
  const found: Cost[] = [];
  const until = performance.now() + milliseconds;
  for (const shape of shapesOf(reader, seed)) {
    if (performance.now() > until) break;
    const whole = textOf(shape, reader.longest);
    if ((await timeOf(reader, whole, 1)) < 0.0002 * whole.length) continue;
    const cost = {
      shape,
      bytes: whole.length,
      quarter: await timeOf(reader, textOf(shape, reader.longest / 4)),
      whole: await timeOf(reader, whole),
    };
    found.push(cost);
  }
  return found.toSorted((left, right) => right.whole - left.whole).slice(0, 5);
}

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
