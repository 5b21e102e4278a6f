// What GLS wants where goods are declared: the code of its incoterm with the shipment, and an invoice on paper.
import type { CustomsDeclaration } from '../../model/customs.ts';
import type { Reason } from '../../model/record.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { type CarrierAccount, CarrierError } from '../carrier.ts';
import { declarationReasons } from '../customs/carrier-customs.ts';

/** As many as an invoice of a few pages has; GLS is sent none of them. */
export const maxLines = 99;

/**
 * What is wrong with a declaration.
 * @throws CarrierError `configuration` where the account has no incoterm: ShipIT takes it with the shipment
 */
export function customsReasons(
  customs: CustomsDeclaration,
  request: LabelRequest,
  account: CarrierAccount,
): readonly Reason[] {
  if (account.settings.incoterm === '')
    throw new CarrierError(
      'configuration',
      'The account has no incoterm code of GLS (setting incoterm), without which goods do not pass customs.',
    );
  return declarationReasons(customs, request, account);
}
