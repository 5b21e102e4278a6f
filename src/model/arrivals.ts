// A list of what has come and has not left yet, in the order in which it came.

interface Arrivals<Item> {
  /** @returns what takes it off the list; nothing happens where it has left already */
  readonly add: (item: Item) => () => void;
  readonly count: () => number;
  /** The one that has been here for longest. */
  readonly first: () => Item | null;
  /** All that are here now, those who came first in front. */
  readonly all: () => readonly Item[];
}

/**
 * An empty list, for what comes and goes thousands of times a second. A `Set` would leave its former tables to the
 * garbage collector, each of which refers to what it held and to the table after it: once one of them has grown old,
 * everything that went through the set since, with all that hangs on it, is kept and copied until old memory is
 * collected. Here whoever leaves refers to nobody any more.
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
