// Reads orders, newest first, with all of their reports, so that nothing said about an order is a guess.
import type { Client, Order, OrderReport } from '../../../client/src/index.ts';
import { walked } from './bounded-walk.ts';
import { since } from './filters.ts';

/** Some of the newest orders, with their reports. */
interface OrdersRead {
  readonly orders: readonly Order[];
  readonly reports: readonly OrderReport[];
  /** Where older orders continue; null: these are all. */
  readonly next: string | null;
}

/** Maximum number of values of an interface parameter. */
const maxNames = 100;

/**
 * @param start first day on which they were placed
 * @param from end of an earlier read; null: the newest
 * @param maxPages of 100 orders
 * @param onProgress called with the number of orders read
 */
export async function readOrders(
  client: Client,
  start: string,
  from: string | null,
  maxPages: number,
  signal: AbortSignal,
  onProgress?: (orders: number) => void,
): Promise<OrdersRead> {
  const { records: orders, next } = await walked(
    client.orders,
    { filter: since('customerOrderPlacementDate', start), sort: '-customerOrderPlacementDate' },
    from,
    { maxPages, signal, ...(onProgress !== undefined && { onProgress }) },
  );
  const names = [...new Set(orders.map(({ orderUniqueID }) => orderUniqueID))];
  const parts = Array.from({ length: Math.ceil(names.length / maxNames) }, (_, part) =>
    names.slice(part * maxNames, (part + 1) * maxNames),
  );
  const reports: OrderReport[] = [];
  for (const orderUniqueID of parts) {
    for await (const { records } of client.orderReports.pages({ orderUniqueID, limit: 100 }, { signal }))
      reports.push(...records);
  }
  return { orders, reports, next };
}
