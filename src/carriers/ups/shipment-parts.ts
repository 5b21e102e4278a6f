// What UPS receives both for creating and for rating a shipment: parties, charges and packages.
import { amountText, type CustomsDeclaration } from '../../model/customs.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { insuredFor } from '../customs/rules.ts';
import { type JsonObject, withoutEmpty } from '../json.ts';
import { inLines } from '../label-rules.ts';
import { upsCustoms } from './customs.ts';
import { lineLength, maxLines } from './rules.ts';

/** The account pays for the transport (01), and for customs charges (02) if that is agreed. */
export function chargesOf(accountNumber: string, customs: CustomsDeclaration | undefined): readonly JsonObject[] {
  const types = customs?.incoterm === 'DDP' ? ['01', '02'] : ['01'];
  return types.map((Type) => ({ Type, BillShipper: { AccountNumber: accountNumber } }));
}

/** Weight and declared value of a package. */
export function contentsOf(grams: number, request: LabelRequest, customs: CustomsDeclaration | undefined): JsonObject {
  return {
    PackageWeight: { UnitOfMeasurement: { Code: 'KGS' }, Weight: kilograms(grams) },
    ...insuranceOf(request, customs),
  };
}

export function partyOf(request: LabelRequest, side: 'exp' | 'dest'): JsonObject {
  const name = request[`${side}Addr1`];
  return withoutEmpty({
    Name: name,
    AttentionName: name,
    Phone: withoutEmpty({ Number: request[`${side}Tel1`].replace(/\D/g, '') }),
    EMailAddress: request[`${side}Mail`],
    Address: addressOf(request, side),
  });
}

export function addressOf(request: LabelRequest, side: 'exp' | 'dest'): JsonObject {
  return withoutEmpty({
    AddressLine: inLines(request[`${side}Addr2`], lineLength, maxLines) ?? [request[`${side}Addr2`]],
    City: request[`${side}City`],
    PostalCode: request[`${side}Zip`],
    CountryCode: request[`${side}Country`],
  });
}

/** The declared value of the only package: an insured shipment has just one. */
function insuranceOf(request: LabelRequest, customs: CustomsDeclaration | undefined): JsonObject {
  const insured = insuredFor(customs, upsCustoms.insurance, request);
  if (customs === undefined || insured === 0) return {};
  const DeclaredValue = { CurrencyCode: customs.currency, MonetaryValue: amountText(insured) };
  return { PackageServiceOptions: { DeclaredValue } };
}

/** UPS has room for five characters: tenths of a kilogram, never less than the weight. */
function kilograms(grams: number): string {
  return (Math.ceil(grams / 100) / 10).toFixed(1);
}
