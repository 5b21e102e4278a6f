// Looks for the costliest request by byte: begins with legal texts, changes and grows them, and goes on from those that cost most.
import { ask } from '../wire.ts';
import type { Target } from '../target.ts';
import { type Cost, costOf } from './cost.ts';
import { grown, mutate, shorter } from './mutate.ts';
import { type Random, randomFrom } from './random.ts';
import { type Surface, surfaces } from './surfaces.ts';

export interface Finding {
  readonly surface: string;
  readonly text: string;
  /** Bytes of the request, its head included as if it had `headBytes`. */
  readonly bytes: number;
  readonly status: number;
  /** Bytes of the answer's body. */
  readonly answered: number;
  readonly microseconds: number;
  readonly grown: number;
  /** Beyond what the cheapest request to the same place takes, and beyond coincidence. */
  readonly microsecondsPerByte: number;
}

export interface SearchBounds {
  readonly seed: number;
  /** The search ends after so long, milliseconds, … */
  readonly longest: number;
  /** … and after so many requests. */
  readonly requests: number;
  /** Only places whose name holds this. */
  readonly only?: string;
}

/** What the head of any request of ours has, nearly all of it the token. */
const headBytes = 800;
/** Microseconds that a request takes more than another for no reason of its own, such as a collection of garbage. */
const noise = 8000;
/** Texts that are gone on from, of each surface. */
const kept = 6;

/**
 * Searches one server.
 * @param onFinding is told of each that is the worst of its surface so far
 * @returns the worst of each surface, the worst first
 */
export async function search(target: Target, { seed, longest, requests, only = '' }: SearchBounds, onFinding: (finding: Finding) => void = () => {}): Promise<readonly Finding[]> {
  const random = randomFrom(seed);
  const until = performance.now() + longest;
  const places: readonly Place[] = surfaces.filter(({ name }) => name.includes(only)).map((surface) => ({ surface, found: [], usual: Infinity }));
  let asked = 0;
  const over = (): boolean => asked >= requests || performance.now() > until;
  const attempt = async (place: Place, text: string): Promise<void> => {
    asked += 1;
    const finding = await tried(target, place, text);
    if (keep(place.found, finding)) onFinding(finding);
  };
  for (const place of places) place.usual = await usualCost(target, place.surface);
  // One piece of all places after another, so that a search that ends soon has looked everywhere.
  const growing = places.map((place) => ({ place, texts: growth(place.surface) }));
  for (let index = 0; growing.some(({ texts }) => index < texts.length); index += 1) {
    for (const { place, texts } of growing) if (index < texts.length && !over()) await attempt(place, texts[index] ?? '');
  }
  while (!over()) {
    for (const place of places) if (!over()) await attempt(place, mutate(chosen(place, random), random.pick(place.surface.seeds), place.surface.most, random));
  }
  return places.flatMap(({ found: [first] }) => first ?? []).toSorted(byCost);
}

/** The shortest text found that costs nearly as much by the byte as a finding, within so many requests. */
export async function minimize(target: Target, finding: Finding, requests: number): Promise<Finding> {
  const surface = surfaces.find(({ name }) => name === finding.surface);
  if (surface === undefined) return finding;
  const place: Place = { surface, found: [], usual: await usualCost(target, surface) };
  let [best, left] = [finding, requests];
  for (let again = true; again;) {
    again = false;
    for (const text of shorter(best.text)) {
      if (left === 0) return best;
      left -= 1;
      const tryOf = await tried(target, place, text);
      if (tryOf.microsecondsPerByte < best.microsecondsPerByte * 0.9) continue;
      best = tryOf;
      again = true;
      break;
    }
  }
  return best;
}

/** A table for people. */
export function table(findings: readonly Finding[]): string {
  const rows = findings.map(({ surface, bytes, microseconds, microsecondsPerByte, grown, status, answered, text }) => [
    surface, String(bytes), (microseconds / 1000).toFixed(1), microsecondsPerByte.toFixed(2), (grown / bytes).toFixed(0), String(status), String(answered), JSON.stringify(text).slice(0, 60),
  ]);
  const all = [['where', 'bytes', 'ms', 'µs/byte', 'grown/byte', 'status', 'answer', 'text'], ...rows];
  const widths = all[0]?.map((_title, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  return all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n');
}

interface Place {
  readonly surface: Surface;
  /** The worst first. */
  readonly found: Finding[];
  /** Microseconds that a request there takes that asks for nothing unusual. */
  usual: number;
}

/** The least of some requests of each seed: the first ones are slow, because their code is. */
async function usualCost(target: Target, surface: Surface): Promise<number> {
  const costs: number[] = [];
  for (let round = 0; round < 4; round += 1) for (const text of surface.seeds) costs.push((await tried(target, { surface, found: [], usual: 0 }, text)).microseconds);
  return Math.min(...costs);
}

function growth({ seeds, most }: Surface): readonly string[] {
  return seeds.slice(0, 1).flatMap((seed) => [...grown(seed, most)]);
}

async function tried(target: Target, { surface, usual }: Place, text: string): Promise<Finding> {
  const request = surface.request(text);
  const bytes = headBytes + request.path.length + Buffer.byteLength(request.body ?? '') + Object.values(request.headers ?? {}).reduce((sum, value) => sum + value.length, 0);
  let [status, answered] = [0, 0];
  const once = async (): Promise<Cost> => costOf(target.pid, async () => {
    const answer = await ask(target, request).catch(() => null);
    [status, answered] = [answer?.status ?? 0, answer?.body.length ?? 0];
  });
  const first = await once();
  // What was a coincidence, such as a collection of garbage, is less the second time.
  const second = first.microseconds > usual + noise ? await once() : first;
  const microseconds = Math.min(first.microseconds, second.microseconds);
  return { surface: surface.name, text, bytes, status, answered, microseconds, grown: first.grown, microsecondsPerByte: Math.max(0, microseconds - usual - noise) / bytes };
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

function chosen({ surface: { seeds }, found }: Place, random: Random): string {
  return random.oneIn(4) ? random.pick(seeds) : found[random.below(found.length)]?.text ?? seeds[0];
}
