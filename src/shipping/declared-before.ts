// Whether the goods of an order are already on their way with another label: they are declared as a whole, and only
// once.
import { declaringCarriers } from '../carriers/index.ts';
import { isDeclared } from '../carriers/customs/rules.ts';
import type { Problem } from '../model/problem.ts';
import type { LabelRequest } from '../model/shipping.ts';
import { textBlock } from '../model/text-block.ts';
import type { LabelInForce } from '../store/order-labels.ts';
import { invalidLabel } from './label-request.ts';

/**
 * Recognizes labels that declare the same goods as a request. A parcel to another country does not count: a return
 * brings the goods back, and they may then be sent elsewhere.
 */
export function declaresTheSame(wanted: LabelRequest): (label: LabelInForce) => boolean {
  return ({ carrier, request }) => {
    const sent: Partial<LabelRequest> = JSON.parse(request);
    // The request of a label is not kept after its retention.
    return (
      declaringCarriers.includes(carrier) &&
      sent.destCountry === wanted.destCountry &&
      isDeclared({ ...wanted, ...sent })
    );
  };
}

/** The problem for a request whose goods were declared with another label. */
export function declaredBefore({ carrier, context, expeditionNumber }: LabelInForce): Problem {
  const label =
    expeditionNumber === null
      ? `a label of ${carrier} (context ${context}) of which it is not known yet whether it was made`
      : `the label ${expeditionNumber} of ${carrier} (context ${context})`;
  return invalidLabel({
    orderId: [
      textBlock`
        The goods of this order were declared to customs with ${label}, all of them: another label would declare them
        twice. For several parcels name an order for each of them, or ask for all in one request (nbPackage) where the
        carrier takes that. A label that is not used is voided first.
      `,
    ],
  });
}
