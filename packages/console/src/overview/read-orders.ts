// Reads orders, the newest first, with all reports of those that it reads: what is said of an order is never a guess.
import type { Client, Order, OrderReport } from '../../../client/src/index.ts';
import { walked } from './bounded-walk.ts';
import { since } from './filters.ts';

/** Some of the newest orders, with their reports. */
export interface OrdersRead {
  readonly orders: readonly Order[];
  readonly reports: readonly OrderReport[];
  /** Where older orders go on; null: these are all. */
  readonly next: string | null;
}

/** Values that a parameter of the interface takes. */
const maxNames = 100;

/**
 * @param start first day of those on which they were placed
 * @param from where an earlier reading ended; null: the newest
 * @param maxPages of 100 orders
 * @param onProgress told how many orders were read
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
