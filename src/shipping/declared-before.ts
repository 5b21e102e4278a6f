// Whether the goods of an order are on the way with another label already: they are declared as a whole, and once.
import { declaringCarriers } from '../carriers/index.ts';
import { isDeclared } from '../carriers/customs/rules.ts';
import type { Problem } from '../model/problem.ts';
import type { LabelRequest } from '../model/shipping.ts';
import { textBlock } from '../model/text-block.ts';
import type { LabelInForce } from '../store/order-labels.ts';
import { invalidLabel } from './label-request.ts';

/**
 * Tells labels that declare the same goods as a request does. A parcel to another country is none of them: a return
 * brings the goods back, and they may be sent elsewhere then.
 */
export function declaresTheSame(wanted: LabelRequest): (label: LabelInForce) => boolean {
  return ({ carrier, request }) => {
    const sent: Partial<LabelRequest> = JSON.parse(request);
    // Nothing is kept of the request of a label whose time has passed.
    return (
      declaringCarriers.includes(carrier) &&
      sent.destCountry === wanted.destCountry &&
      isDeclared({ ...wanted, ...sent })
    );
  };
}

/** The problem of a request whose goods were declared with another label. */
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
