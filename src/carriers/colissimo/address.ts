// Sender and recipient of a Colissimo order: who stands on which line, and which telephone is a mobile one.
import type { LabelRequest } from '../../model/shipping.ts';
import { type JsonObject, withoutEmpty } from '../json.ts';
import { inLines, isFrenchMobile } from '../label-rules.ts';
import { belgianMobile, frenchMobile, plainName, splitName, withoutSeparators } from './contact.ts';
import type { PointAddress } from './points.ts';
import { lineLength, pointProducts, returnProducts } from './rules.ts';

/** The sender; of a return that is a person, whose first and last names Colissimo wants apart. */
export function senderOf(request: LabelRequest): JsonObject {
  const name = plainName(request.expAddr1);
  return partyOf(
    request,
    'exp',
    returnProducts.includes(request.modeLiv) ? splitName(name) : { companyName: name },
    streetOf(request, 'exp'),
  );
}

/**
 * The recipient: of a return a company, at a point a person whose first and last names Colissimo wants apart.
 * @param point whose address takes the place of the recipient's, as La Poste's own modules send it; null: none
 */
export function recipientOf(request: LabelRequest, point: PointAddress | null): JsonObject {
  const name = plainName(request.destAddr1);
  if (returnProducts.includes(request.modeLiv))
    return partyOf(request, 'dest', { companyName: name }, streetOf(request, 'dest'));
  const names = pointProducts.includes(request.modeLiv) ? splitName(name) : { lastName: name };
  return point === null
    ? partyOf(request, 'dest', names, streetOf(request, 'dest'))
    : partyOf(request, 'dest', { companyName: point.name, ...names }, point);
}

type Names = Readonly<Partial<Record<'companyName' | 'firstName' | 'lastName', string>>>;

function partyOf(
  request: LabelRequest,
  side: 'exp' | 'dest',
  names: Names,
  { line2, line3, countryCode, city, zipCode }: Omit<PointAddress, 'name'>,
): JsonObject {
  return withoutEmpty({
    ...names,
    line2,
    line3,
    countryCode,
    city,
    zipCode,
    ...telephoneOf(request, side),
    email: request[`${side}Mail`],
    language: request[`${side}Lang`].toUpperCase(),
  });
}

function streetOf(request: LabelRequest, side: 'exp' | 'dest'): Omit<PointAddress, 'name'> {
  const [line2 = '', line3 = ''] = inLines(request[`${side}Addr2`], lineLength, 2) ?? [request[`${side}Addr2`]];
  return {
    line2,
    line3,
    countryCode: request[`${side}Country`],
    city: request[`${side}City`],
    zipCode: request[`${side}Zip`],
  };
}

function telephoneOf(request: LabelRequest, side: 'exp' | 'dest'): JsonObject {
  const [telephone, country] = [request[`${side}Tel1`], request[`${side}Country`]];
  const figures = withoutSeparators(telephone);
  if (country === 'BE') {
    const mobile = belgianMobile(telephone);
    return mobile === null ? { phoneNumber: figures } : { mobileNumber: mobile };
  }
  if (country === 'FR') return frenchMobile(telephone) === null ? { phoneNumber: figures } : { mobileNumber: figures };
  // Points and lockers abroad notify the recipient by message too.
  return isFrenchMobile(telephone) || (side === 'dest' && pointProducts.includes(request.modeLiv))
    ? { mobileNumber: figures }
    : { phoneNumber: figures };
}
