// Returns of DPD France ("reverse inverse"): only a label, for a parcel that its consumer sends back.
import type { LabelRequest } from '../../model/shipping.ts';
import type { CarrierAccount } from '../carrier.ts';
import { elementsOf } from '../soap.ts';
import { xml, type XmlPart } from '../xml/write.ts';
import { addressOf, customerOf, kilograms } from './shipment-parts.ts';

/** The value of modeLiv for a return. */
export const returnMode = 'RETURN';

export const returnCreation = 'CreateReverseInverseShipmentWithLabelsBc';

/** Days for which a return label is valid; DPD accepts no fewer than 7. */
const validDays = 60;

export function isReturn({ modeLiv }: Pick<LabelRequest, 'modeLiv'>): boolean {
  return modeLiv === returnMode;
}

/** Elements of a return, in the order of the service's schema; the consumer is its shipper. */
export function returnOf(
  request: LabelRequest,
  account: CarrierAccount,
  { grams, now, labelType }: { readonly grams: number; readonly now: number; readonly labelType: string },
): readonly XmlPart[] {
  return [
    xml('receiveraddress', addressOf(request, 'dest')),
    xml('shipperaddress', addressOf(request, 'exp')),
    ...customerOf(account, now),
    ...elementsOf({
      weight: kilograms(grams),
      expire_offset: String(validDays),
      referencenumber: request.nDossier,
    }),
    xml('labelType', elementsOf({ type: labelType })),
    // The only mandatory boolean of the schema.
    xml('refasbarcode', 'false'),
  ];
}
