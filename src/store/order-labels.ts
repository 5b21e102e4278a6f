// In charge of the labels of an order: which there are, and with which of them its goods are on the way.
import type { StoredLabel } from './labels.ts';
import { rowsAs, sql, type Statement } from './statement.ts';
import { selectRows } from './table-statements.ts';
import { shippingLabelTable } from './tables/shipping.ts';

/** Whose order it is. */
interface OfOrder {
  readonly activity: string;
  readonly orderId: string;
}

/** A label that was made for an order, or may have been, and is not void. */
export interface LabelInForce extends Pick<StoredLabel, 'carrier' | 'context' | 'expeditionNumber' | 'request'> {}

/** An order has a few labels; more are not looked at. */
const maxLabels = 1000;

/** The newest labels of an order that were made, those that are void too; newest first. */
export function labelsOfOrder({ activity, orderId }: OfOrder, limit: number): Statement<StoredLabel> {
  const newest = { by: ['createdAt', 'id'], descending: true, limit } as const;
  return selectRows(shippingLabelTable, { activity, orderId, state: ['made', 'past', 'voided'] }, newest);
}

/** Labels of an order that are in force, oldest first; of those whose time has passed nothing is known but that. */
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
