// The labels of an order: all of them, and those under which its goods may be on the way.
import type { StoredLabel } from './labels.ts';
import { rowsAs, sql, type Statement } from './statement.ts';
import { selectRows } from './table-statements.ts';
import { shippingLabelTable } from './tables/shipping.ts';

/** Identifies an order. */
interface OfOrder {
  readonly activity: string;
  readonly orderId: string;
}

/** A label that was or may have been made for an order and is not void. */
export interface LabelInForce extends Pick<StoredLabel, 'carrier' | 'context' | 'expeditionNumber' | 'request'> {}

/** An order has a few labels; no more than this are read. */
const maxLabels = 1000;

/** The newest labels made for an order, voided ones included; newest first. */
export function labelsOfOrder({ activity, orderId }: OfOrder, limit: number): Statement<StoredLabel> {
  const newest = { by: ['createdAt', 'id'], descending: true, limit } as const;
  return selectRows(shippingLabelTable, { activity, orderId, state: ['made', 'past', 'voided'] }, newest);
}

/** Labels in force for an order, oldest first; of labels emptied after their time, nothing else is known. */
export function labelsInForce({ activity, orderId }: OfOrder): Statement<LabelInForce> {
  const { quoted, column } = shippingLabelTable;
  const shown = sql.join([column.carrier, column.context, column.expeditionNumber, column.request]);
  return rowsAs(
    sql`
      select ${shown} from ${quoted} where ${column.activity} = ${activity} and ${column.orderId} = ${orderId}
      and ${column.state} in (${sql.join(['asked', 'made', 'unknown'])})
      order by ${column.createdAt}, ${column.id} limit ${maxLabels}
    `,
    ([carrier, context, number, request]) => ({
      carrier: String(carrier),
      context: String(context),
      expeditionNumber: number === null ? null : String(number),
      request: String(request),
    }),
  );
}
