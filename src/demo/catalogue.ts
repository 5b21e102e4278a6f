// What the warehouse knows about an article.

export type PlainRecord = Readonly<Record<string, unknown>>;

/** A supplier of an activity. */
export interface Supplier {
  readonly code: string;
  readonly name: string;
}

export interface Alcohol {
  readonly degree: number;
  readonly litres: number;
  readonly type: string;
  readonly taxation: string;
  readonly regie: string;
}

/** One article as the warehouse handles it. Weights in grams, lengths in millimetres, prices in cents without tax. */
export interface Item {
  readonly reference: string;
  /** Number of the article within its company: part of its barcodes. */
  readonly number: number;
  /** `empty`: returned for its deposit, and never ordered. */
  readonly kind: 'goods' | 'kit' | 'consumable' | 'service' | 'empty';
  readonly long: string;
  readonly short: string;
  readonly family: string;
  readonly subFamily: string;
  readonly brand: string;
  readonly model: string;
  readonly modelName: string;
  readonly colour: string | null;
  readonly size: string | null;
  readonly supplier: Supplier;
  readonly price: number;
  /** Percent. */
  readonly vat: number;
  readonly weight: number;
  readonly length: number;
  readonly width: number;
  readonly height: number;
  /** Consumer units per inner pack (1: no inner pack) and per carton. */
  readonly spcb: number;
  readonly pcb: number;
  readonly fragile: boolean;
  readonly serialized: boolean;
  readonly lots: boolean;
  /** Days from production to the sale deadline; null: it does not expire. */
  readonly shelfLife: number | null;
  readonly alcohol: Alcohol | null;
  /** Cents refunded for the empty bottle; null: it is not returnable. */
  readonly deposit: number | null;
  readonly origin: string;
  readonly customs: string;
  readonly discontinued: boolean;
  /** Share of the demand, relative to the others; 0: nobody orders it. */
  readonly popularity: number;
  readonly rotation: 'A' | 'B' | 'C';
}

/** A fifth of the articles accounts for four fifths of the demand. @param chance from 0 to 1 */
export function rotationOf(chance: number): Item['rotation'] {
  return chance < 0.2 ? 'A' : chance < 0.55 ? 'B' : 'C';
}

export function popularityOf(rotation: Item['rotation']): number {
  return { A: 16, B: 1.8, C: 0.4 }[rotation];
}

/** Whether an article has a place on the shelves. */
export function isStocked({ kind }: Item): boolean {
  return kind === 'goods' || kind === 'kit' || kind === 'empty';
}

/** Days before the sale deadline from which goods are no longer shipped. */
export function shippingDeadline(shelfLife: number): number {
  return Math.round(shelfLife * 0.1);
}
