// A list of the items that are present, in order of arrival.

interface Arrivals<Item> {
  /** @returns a function that removes the item; it does nothing when the item has already been removed */
  readonly add: (item: Item) => () => void;
  readonly count: () => number;
  /** The item that has been present longest. */
  readonly first: () => Item | null;
  /** All items present, oldest first. */
  readonly all: () => readonly Item[];
}

/**
 * An empty list for items that come and go thousands of times a second. A `Set` would leave its former tables to the
 * garbage collector. Each of them refers to its contents and to the table after it, so once one has reached the old
 * generation, everything that passed through the set since then is retained and copied until that generation is
 * collected. An item removed from this list keeps no reference to any other.
 */
export function createArrivals<Item>(): Arrivals<Item> {
  let first: Link<Item> | null = null;
  let last: Link<Item> | null = null;
  let count = 0;
  const remove = (link: Link<Item>): void => {
    if (link.before === null) first = link.after;
    else link.before.after = link.after;
    if (link.after === null) last = link.before;
    else link.after.before = link.before;
    link.before = null;
    link.after = null;
    count -= 1;
  };
  return {
    add: (item) => {
      const link: Link<Item> = { item, before: last, after: null };
      if (last === null) first = link;
      else last.after = link;
      last = link;
      count += 1;
      let isHere = true;
      return () => {
        if (isHere) remove(link);
        isHere = false;
      };
    },
    count: () => count,
    first: () => first?.item ?? null,
    all: () => {
      const items: Item[] = [];
      for (let link = first; link !== null; link = link.after) items.push(link.item);
      return items;
    },
  };
}

interface Link<Item> {
  readonly item: Item;
  before: Link<Item> | null;
  after: Link<Item> | null;
}
