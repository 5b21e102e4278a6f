// What preparation reports say about an order: its progress, missing quantities, and its parcels.
import type { OrderReport } from '../../../client/src/index.ts';
import type { AnyRecord } from '../list/list-source.ts';

export type Report = OrderReport;
export type ReportParcel = OrderReport['parcels'][number];

/** State of an order according to its reports: the interface itself has no state for it. */
export type OrderState = 'waiting' | 'preparing' | 'shipped';

export function stateOf(reports: readonly Pick<Report, 'lastPackageLoadDate'>[]): OrderState {
  if (reports.length === 0) return 'waiting';
  return reports.every(({ lastPackageLoadDate }) => lastPackageLoadDate !== null) ? 'shipped' : 'preparing';
}

/** Ordered and prepared quantity of an article in an order. */
interface PreparedLine {
  readonly articleReference: string;
  readonly ordered: number;
  /** Null: there is no report yet. */
  readonly prepared: number | null;
}

/** By article, in the order of the lines: an article may be in several lines, and be prepared in several rounds. */
export function preparedLines(order: AnyRecord, reports: readonly Report[]): readonly PreparedLine[] {
  const lines = [...linesIn(order.orderEntries), ...subOrderLines(order.orderSubOrders)];
  const ordered = new Map<string, number>();
  for (const { articleReference, quantityToPrepare } of lines)
    ordered.set(articleReference, (ordered.get(articleReference) ?? 0) + quantityToPrepare);
  const prepared = new Map<string, number>();
  for (const { articleReference, preparedQuantity } of reports.flatMap(({ lignes }) => lignes))
    if (articleReference !== null)
      prepared.set(articleReference, (prepared.get(articleReference) ?? 0) + (preparedQuantity ?? 0));
  return [...ordered].map(([articleReference, quantity]) => ({
    articleReference,
    ordered: quantity,
    prepared: reports.length === 0 ? null : (prepared.get(articleReference) ?? 0),
  }));
}

interface Line {
  readonly articleReference: string;
  readonly quantityToPrepare: number;
}

function linesIn(value: unknown): readonly Line[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((line: Readonly<Record<string, unknown>>) =>
    typeof line.articleReference === 'string'
      ? [{ articleReference: line.articleReference, quantityToPrepare: Number(line.quantityToPrepare ?? 0) }]
      : [],
  );
}

/** Lines of sub-orders, if the order has none itself. */
function subOrderLines(value: unknown): readonly Line[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((order: Readonly<Record<string, unknown>>) => linesIn(order.orderEntries));
}
