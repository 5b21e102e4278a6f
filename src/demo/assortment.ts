// What an activity sells now: its range, and the articles that clients have created since.
import type { Item } from './catalogue.ts';
import { type Random, weighted } from './random.ts';

export interface Assortment {
  readonly all: () => readonly Item[];
  readonly find: (reference: string) => Item | null;
  readonly add: (item: Item) => void;
  /** A client has discontinued an article or taken it up again. */
  readonly setDiscontinued: (reference: string, discontinued: boolean) => void;
  /** Whether nobody orders it any more. */
  readonly isDiscontinued: (item: Item) => boolean;
  /** An article that a customer wants; popular ones are chosen more often. */
  readonly choose: (random: Random) => Item;
  /** Pieces of an article that customers want on an ordinary day. @param daily of all articles */
  readonly share: (item: Item, daily: number) => number;
}

export function createAssortment(range: readonly Item[]): Assortment {
  const items = [...range];
  const byReference = new Map(items.map((item) => [item.reference, item]));
  const discontinued = new Set(items.filter((item) => item.discontinued).map(({ reference }) => reference));
  let wanted = wantedOf(items, discontinued);
  const renew = (): void => {
    wanted = wantedOf(items, discontinued);
  };
  return {
    all: () => items,
    find: (reference) => byReference.get(reference) ?? null,
    add: (item) => {
      items.push(item);
      byReference.set(item.reference, item);
      if (item.discontinued) discontinued.add(item.reference);
      renew();
    },
    setDiscontinued: (reference, isDiscontinued) => {
      if (discontinued.has(reference) === isDiscontinued) return;
      if (isDiscontinued) discontinued.add(reference);
      else discontinued.delete(reference);
      renew();
    },
    isDiscontinued: ({ reference }) => discontinued.has(reference),
    choose: (random) => wanted.choose(random),
    share: (item, daily) => (discontinued.has(item.reference) ? 0 : (daily * item.popularity) / wanted.total),
  };
}

interface Demand {
  readonly choose: (random: Random) => Item;
  readonly total: number;
}

function wantedOf(items: readonly Item[], discontinued: ReadonlySet<string>): Demand {
  const sold = items.filter(({ popularity, reference }) => popularity > 0 && !discontinued.has(reference));
  return {
    choose: weighted(sold, ({ popularity }) => popularity),
    total: sold.reduce((sum, { popularity }) => sum + popularity, 0),
  };
}
