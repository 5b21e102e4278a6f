// Looks for the costliest text by byte: begins with legal texts, changes and grows them, and goes on from those that
// cost most.
import { grown, mutate, shorter } from './mutate.ts';
import { type Random, randomFrom } from './random.ts';

/** One place for text. */
export interface Surface {
  readonly name: string;
  /** Most characters that are tried. */
  readonly most: number;
  readonly seeds: readonly [string, ...string[]];
}

/**
 * Puts a text somewhere and measures what that costs.
 * @param usual microseconds that a text there takes that asks for nothing unusual; 0 while that is measured
 */
export type Measure<Place extends Surface> = (surface: Place, text: string, usual: number) => Promise<Finding>;

export interface Finding {
  readonly surface: string;
  readonly text: string;
  /** Bytes of the request and its head, or of the file and something for each of its records. */
  readonly bytes: number;
  /** Of the answer; of a file 200, or 400 where nothing of it is read. 0: there was no answer, or reading it failed. */
  readonly status: number;
  /** Bytes of the answer's body, or of the reasons for what is refused. */
  readonly answered: number;
  readonly microseconds: number;
  readonly grown: number;
  /** Beyond what the cheapest text at the same place takes, and beyond coincidence. */
  readonly microsecondsPerByte: number;
}

interface SearchBounds {
  readonly seed: number;
  /** The search ends after so long, milliseconds, from when the usual costs are known, … */
  readonly longest: number;
  /** … and after so many texts. */
  readonly texts: number;
  /** Only places whose name holds this. */
  readonly only?: string;
}

/** Microseconds that a text takes more than another for no reason of its own, such as a collection of garbage. */
export const noise = 8000;
/** Texts that are gone on from, of each surface. */
const kept = 6;

/**
 * Searches some places.
 * @param onFinding is told of each that is the worst of its place so far
 * @returns the worst of each place, the worst first
 */
export async function search<Place extends Surface>(
  surfaces: readonly Place[],
  measure: Measure<Place>,
  bounds: SearchBounds,
  onFinding: (finding: Finding) => void = () => {},
): Promise<readonly Finding[]> {
  const { seed, longest, texts: mostTexts, only = '' } = bounds;
  const random = randomFrom(seed);
  let [tried, until] = [0, Infinity];
  const over = (): boolean => tried >= mostTexts || performance.now() > until;
  const places: readonly Searched<Place>[] = surfaces
    .filter(({ name }) => name.includes(only))
    .map((surface) => ({ surface, found: [], usual: Infinity }));
  const attempt = async (place: Searched<Place>, text: string): Promise<void> => {
    tried += 1;
    const finding = await measure(place.surface, text, place.usual);
    if (keep(place.found, finding)) onFinding(finding);
  };
  for (const place of places) place.usual = await usualCost(place.surface, measure);
  until = performance.now() + longest;
  // One piece of all places after another, so that a search that ends soon has looked everywhere; in another order with
  // each seed, so that short ones try all pieces by and by.
  const growing = places.map((place) => ({ place, texts: random.shuffled(growth(place.surface)) }));
  for (let index = 0; growing.some(({ texts }) => index < texts.length); index += 1) {
    for (const { place, texts } of growing)
      if (index < texts.length && !over()) await attempt(place, texts[index] ?? '');
  }
  while (!over()) {
    for (const place of places)
      if (!over())
        await attempt(
          place,
          mutate(chosen(place, random), random.pick(place.surface.seeds), place.surface.most, random),
        );
  }
  return places.flatMap(({ found: [first] }) => first ?? []).toSorted(byCost);
}

/** The shortest text found that costs nearly as much by the byte as a finding, within so many tries. */
export async function minimize<Place extends Surface>(
  surfaces: readonly Place[],
  measure: Measure<Place>,
  finding: Finding,
  tries: number,
): Promise<Finding> {
  const surface = surfaces.find(({ name }) => name === finding.surface);
  if (surface === undefined) return finding;
  const usual = await usualCost(surface, measure);
  let [best, left] = [finding, tries];
  for (let again = true; again; ) {
    again = false;
    for (const text of shorter(best.text)) {
      if (left === 0) return best;
      left -= 1;
      const tryOf = await measure(surface, text, usual);
      if (tryOf.microsecondsPerByte < best.microsecondsPerByte * 0.9) continue;
      best = tryOf;
      again = true;
      break;
    }
  }
  return best;
}

/**
 * A cost; beyond so many microseconds it is measured again and the lesser taken, because what was a coincidence is less
 * then.
 */
export async function steadyCost<Costs extends { readonly microseconds: number }>(
  unusual: number,
  once: () => Promise<Costs>,
): Promise<Costs> {
  const first = await once();
  const second = first.microseconds > unusual ? await once() : first;
  return second.microseconds < first.microseconds ? second : first;
}

/** A table for people. */
export function table(findings: readonly Finding[]): string {
  const rows = findings.map(({ surface, bytes, microseconds, microsecondsPerByte, grown, status, answered, text }) => [
    surface,
    String(bytes),
    (microseconds / 1000).toFixed(1),
    microsecondsPerByte.toFixed(2),
    (grown / bytes).toFixed(0),
    String(status),
    String(answered),
    JSON.stringify(text).slice(0, 60),
  ]);
  const all = [['where', 'bytes', 'ms', 'µs/byte', 'grown/byte', 'status', 'answer', 'text'], ...rows];
  const widths = all[0]?.map((_title, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

interface Searched<Place extends Surface> {
  readonly surface: Place;
  /** The worst first. */
  readonly found: Finding[];
  /** See `Measure`. */
  usual: number;
}

/** The least of some tries of each seed: the first ones are slow, because their code is. */
async function usualCost<Place extends Surface>(surface: Place, measure: Measure<Place>): Promise<number> {
  const costs: number[] = [];
  for (let round = 0; round < 4; round += 1)
    for (const text of surface.seeds) costs.push((await measure(surface, text, 0)).microseconds);
  return Math.min(...costs);
}

function growth({ seeds, most }: Surface): readonly string[] {
  return seeds.slice(0, 1).flatMap((seed) => [...grown(seed, most)]);
}

/** @returns whether it is the worst now */
function keep(found: Finding[], finding: Finding): boolean {
  found.push(finding);
  found.sort(byCost);
  found.splice(kept);
  return found[0] === finding;
}

function byCost(one: Finding, other: Finding): number {
  return other.microsecondsPerByte - one.microsecondsPerByte;
}

function chosen({ surface: { seeds }, found }: Searched<Surface>, random: Random): string {
  return random.oneIn(4) ? random.pick(seeds) : (found[random.below(found.length)]?.text ?? seeds[0]);
}
