// How much of each article the orders need and when: what suppliers deliver follows from it.
import { dayMs } from '../model/instant.ts';
import { historyDays } from './calendar.ts';
import type { Item } from './catalogue.ts';
import type { PlacedOrder } from './orders.ts';

/** Days whose orders the stock at the start of the history covers. */
const COVERED_DAYS = 18;

export interface Demand {
  /**
   * Units of an article that are prepared from one day to before another, days counted from the start. Days to come
   * need the average.
   */
  readonly between: (item: Item, from: number, to: number) => number;
  /** Units on the shelves at the start: whole cartons. */
  readonly opening: (item: Item) => number;
}

/** The demand of the orders. @param start first day of the history */
export function demandOf(orders: readonly PlacedOrder[], start: number): Demand {
  const daily = new Map<Item, number[]>();
  for (const order of orders) {
    for (const { launchedAt, lines } of order.preparations) {
      const day = Math.floor((launchedAt - start) / dayMs);
      for (const { item, quantity } of lines) {
        const days = daily.get(item) ?? [];
        days[day] = (days[day] ?? 0) + quantity;
        daily.set(item, days);
      }
    }
  }
  const between: Demand['between'] = (item, from, to) => {
    const days = daily.get(item) ?? [];
    const units = (first: number, last: number): number =>
      days.slice(first, last).reduce((sum, day) => sum + (day ?? 0), 0);
    return (
      units(from, Math.min(to, historyDays)) +
      (Math.max(0, to - Math.max(from, historyDays)) * units(0, historyDays)) / historyDays
    );
  };
  return { between, opening: (item) => (Math.ceil((between(item, 0, COVERED_DAYS) * 1.25) / item.pcb) + 1) * item.pcb };
}
