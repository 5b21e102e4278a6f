// Figures of orders and their preparation, calculated from the records.
import type { Order, OrderReport } from '../../../client/src/index.ts';
import { type OrderState, stateOf } from '../order/reports.ts';
import type { OrderName } from './filters.ts';

type OrderPart = Pick<Order, 'orderUniqueID' | 'activityCode' | 'customerOrderPlacementDate' | 'expectedPrepDate'>;
type ReportPart = Pick<OrderReport, 'orderUniqueID' | 'activityCode' | 'lastPackageLoadDate' | 'lignes'>;

export interface OrderFigures {
  /** Oldest first; a day of UTC. */
  readonly days: readonly { readonly day: string; readonly counts: Readonly<Record<OrderState, number>> }[];
  readonly late: readonly OrderName[];
  readonly short: readonly OrderName[];
  /** Number of orders of which everything that was prepared is in a truck. */
  readonly loaded: number;
  /** Median time from the order to the truck of those, milliseconds; null: there are none. */
  readonly medianMs: number | null;
}

const dayMs = 86_400_000;
/**
 * @param orders of the last days, newest first
 * @param reports all of these orders, and possibly others
 * @param now milliseconds since 1970
 * @param days to look back
 * @param isWhole false: older ones of the last days were not read, and incomplete days are left out
 */
export function orderFigures(
  orders: readonly OrderPart[],
  reports: readonly ReportPart[],
  now: number,
  days: number,
  isWhole: boolean,
): OrderFigures {
  const reportsOf = Map.groupBy(reports, (report) => nameOf(report));
  const counts = new Map<string, Record<OrderState, number>>(
    Array.from({ length: days }, (_, index) => {
      const day = new Date(now - (days - 1 - index) * dayMs).toISOString().slice(0, 10);
      return [day, { waiting: 0, preparing: 0, shipped: 0 }];
    }),
  );
  for (const order of orders) {
    const own = counts.get(order.customerOrderPlacementDate?.slice(0, 10) ?? '');
    if (own !== undefined) own[stateOf(reportsOf.get(nameOf(order)) ?? [])] += 1;
  }
  const late = orders.filter(
    (order) => !reportsOf.has(nameOf(order)) && Date.parse(order.expectedPrepDate ?? '') < now,
  );
  const short = orders.filter((order) =>
    (reportsOf.get(nameOf(order)) ?? []).some(({ lignes }) =>
      lignes.some(({ orderedQuantity, preparedQuantity }) => (preparedQuantity ?? 0) < (orderedQuantity ?? 0)),
    ),
  );
  const took = durations(orders, reportsOf);
  const oldest = isWhole ? '' : (orders.at(-1)?.customerOrderPlacementDate?.slice(0, 10) ?? '');
  const known = [...counts].filter(([day]) => day > oldest);
  return {
    // If not even one day was read completely, an incomplete day is better than nothing.
    days: (known.length > 0 ? known : [...counts].slice(-1)).map(([day, own]) => ({ day, counts: own })),
    ...{ late, short, loaded: took.length },
    medianMs: medianOf(took),
  };
}

function durations(
  orders: readonly OrderPart[],
  reportsOf: ReadonlyMap<string, readonly ReportPart[]>,
): readonly number[] {
  return orders.flatMap((order) => {
    const loaded = (reportsOf.get(nameOf(order)) ?? []).map((report) => Date.parse(report.lastPackageLoadDate ?? ''));
    const took = Math.max(...loaded) - Date.parse(order.customerOrderPlacementDate ?? '');
    return loaded.length > 0 && took >= 0 ? [took] : [];
  });
}

function medianOf(values: readonly number[]): number | null {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? null;
}

/** Two activities may have an order with the same name. */
function nameOf({ activityCode, orderUniqueID }: Pick<OrderPart, 'activityCode' | 'orderUniqueID'>): string {
  return `${activityCode}/${orderUniqueID}`;
}
