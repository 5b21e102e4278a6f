// Filters of the lists behind the figures.
import { filterText, quoted } from '../list/filter.ts';

const dayMs = 86_400_000;
/** A filter has at most 2000 characters, and 100 values in a comparison. */
const [maxValues, maxCharacters] = [100, 2000] as const;

/** @param days from today, negative for earlier ones */
export function dayFrom(now: number, days: number): string {
  return new Date(now + days * dayMs).toISOString().slice(0, 10);
}

export function onDay(field: string, day: string): string {
  return filterText([{ field, operator: '==', value: day }]);
}

export function since(field: string, day: string): string {
  return filterText([{ field, operator: '=ge=', value: day }]);
}

/** An order as a filter names it: two activities may have an order with the same name. */
export interface OrderName {
  readonly activityCode: string;
  readonly orderUniqueID: string;
}

/** Selects the first of these orders, as many as a filter can name, and no others. */
export function ordersNamed(orders: readonly OrderName[]): { readonly filter: string; readonly named: number } {
  // An order always has its name, so nothing matches.
  let filter = filterText([{ field: 'orderUniqueID', operator: '=null=', value: 'true' }]);
  let named = 0;
  for (const count of orders.slice(0, maxValues).keys()) {
    const longer = filterOf(orders.slice(0, count + 1));
    if (longer.length > maxCharacters) break;
    [filter, named] = [longer, count + 1];
  }
  return { filter, named };
}

function filterOf(orders: readonly OrderName[]): string {
  return [...Map.groupBy(orders, ({ activityCode }) => activityCode)]
    .map(([activity, own]) => {
      const names = own.map(({ orderUniqueID }) => quoted(orderUniqueID)).join(',');
      return `activityCode==${quoted(activity)};orderUniqueID=in=(${names})`;
    })
    .join(',');
}
