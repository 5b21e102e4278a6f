// What numbers count or measure, and the unit of each (decision 43).

/** A unit: its code in UCUM where that has one, and its name as it stands behind "in". */
export interface Unit {
  readonly code: string | null;
  readonly words: string;
}

/**
 * What a number is, with the unit that it has in this service. `count`, `rate` and `plain` have none: how many, a ratio
 * that its meaning explains, and identifiers, ranks and free use.
 */
export const standardUnits = {
  weight: { code: 'kg', words: 'kilograms' },
  length: { code: 'cm', words: 'centimetres' },
  volume: { code: 'L', words: 'litres' },
  /** Of a container, for excise. */
  capacity: { code: 'L', words: 'litres' },
  quantity: { code: null, words: 'consumer units' },
  percent: { code: '%', words: 'percent' },
  days: { code: 'd', words: 'days' },
  amount: { code: null, words: 'the currency of the order (`paymentCurrency`)' },
  price: { code: null, words: 'the currency that is agreed for the activity' },
  count: null,
  rate: null,
  plain: null,
} as const satisfies Readonly<Record<string, Unit | null>>;

export type Measure = keyof typeof standardUnits;

/** The unit of every measure. */
export type Units = Readonly<Record<Measure, Unit | null>>;
