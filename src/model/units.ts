// What numbers count or measure, and the unit of each (decision 43).

/** A unit: its UCUM code if it has one, and its name as it appears after "in". */
export interface Unit {
  readonly code: string | null;
  readonly words: string;
}

/**
 * The kinds of number, each with its unit in this service. `count`, `rate` and `plain` have none: they are quantities,
 * ratios explained by their meaning, and identifiers, ranks and free values.
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
