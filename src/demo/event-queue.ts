// The planned events of the demonstration warehouse, in order of time.
import type { NoteText } from './notes.ts';

/** A planned event. Of those at the same instant, the lower rank comes first, then the one planned first. */
interface PlannedEvent {
  readonly at: number;
  readonly rank: number;
  readonly order: number;
  /** Null: too minor to report. */
  readonly title: NoteText | null;
  readonly run: () => void;
}

interface PlanOptions {
  readonly rank?: number;
  readonly title?: NoteText;
}

export interface EventQueue {
  /** @param at milliseconds; an instant in the past happens next */
  readonly plan: (at: number, run: () => void, options?: PlanOptions) => void;
  /** Runs all events up to and including an instant. */
  readonly runUntil: (until: number) => void;
  /** The next events that have a title. */
  readonly upcoming: (count: number) => readonly { readonly at: number; readonly title: NoteText }[];
}

/** An empty queue: a binary heap. */
export function createEventQueue(): EventQueue {
  const heap: PlannedEvent[] = [];
  let planned = 0;
  return {
    plan: (at, run, { rank = 0, title } = {}) => {
      planned += 1;
      push(heap, { at, rank, order: planned, title: title ?? null, run });
    },
    runUntil: (until) => {
      for (let next = heap[0]; next !== undefined && next.at <= until; next = heap[0]) {
        removeFirst(heap);
        next.run();
      }
    },
    upcoming: (count) => {
      const titled = heap.toSorted(compare).flatMap(({ at, title }) => (title === null ? [] : [{ at, title }]));
      // Many orders belong to the same wave.
      const distinct = new Map(titled.map((next) => [JSON.stringify(next), next]));
      return [...distinct.values()].slice(0, count);
    },
  };
}

type Ranked = Pick<PlannedEvent, 'at' | 'rank' | 'order'>;

function compare(one: Ranked, other: Ranked): number {
  return one.at - other.at || one.rank - other.rank || one.order - other.order;
}

function push(heap: PlannedEvent[], event: PlannedEvent): void {
  let place = heap.length;
  heap.push(event);
  while (place > 0) {
    const above = (place - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || compare(parent, event) <= 0) break;
    heap[place] = parent;
    place = above;
  }
  heap[place] = event;
}

function removeFirst(heap: PlannedEvent[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let place = 0;
  for (;;) {
    let below = 2 * place + 1;
    const [left, right] = [heap[below], heap[below + 1]];
    if (left === undefined) break;
    const smaller = right !== undefined && compare(right, left) < 0 ? right : left;
    if (smaller === right) below += 1;
    if (compare(last, smaller) <= 0) break;
    heap[place] = smaller;
    place = below;
  }
  heap[place] = last;
}
