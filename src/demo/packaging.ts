// How the articles of the demonstration are packed: cartons, inner packs and pallets, with their weights and sizes.
import type { Item } from './catalogue.ts';

/** Weight in grams, lengths in millimetres. */
export interface Box {
  readonly weight: number;
  readonly length: number;
  readonly width: number;
  readonly height: number;
}

/**
 * A carton or inner pack of this many units: stacked as near to a cube as possible, with cardboard of 4 % of the weight
 * around them.
 */
export function packDimensions(item: Item, units: number): Box {
  let best: Box | null = null;
  for (let along = 1; along <= units; along += 1) {
    for (let across = 1; along * across <= units; across += 1) {
      if (units % (along * across) !== 0) continue;
      const box = {
        weight: Math.round(item.weight * units * 1.04),
        length: item.length * along + 6,
        width: item.width * across + 6,
        height: (item.height * units) / (along * across) + 6,
      };
      if (best === null || longestEdge(box) < longestEdge(best)) best = box;
    }
  }
  if (best === null) throw new RangeError(`${item.reference} has no units in its carton.`);
  return best;
}

function longestEdge(box: Box): number {
  return Math.max(box.length, box.width, box.height);
}

/** A pallet of 120 x 80 cm, up to 180 cm high and 900 kg, filled with such cartons. */
export function palletOf(carton: Box): Box & { readonly perLayer: number; readonly layers: number } {
  const fitting = (length: number, width: number): number => Math.floor(1200 / length) * Math.floor(800 / width);
  const perLayer = Math.max(1, fitting(carton.length, carton.width), fitting(carton.width, carton.length));
  const layers = Math.max(
    1,
    Math.min(Math.floor(1656 / carton.height), Math.floor(875_000 / (perLayer * carton.weight))),
  );
  return {
    perLayer,
    layers,
    weight: perLayer * layers * carton.weight + 25_000,
    length: 1200,
    width: 800,
    height: 144 + layers * carton.height,
  };
}

/** In the unit that records use for weights. */
export function kilograms(grams: number): number {
  return grams / 1000;
}

/** Cubic decimetres, three decimals. */
export function litres(box: Box): number {
  return Math.round((box.length * box.width * box.height) / 1000) / 1000;
}
