// The account test of DHL: the user, a shipment of each product for which the account has a billing number, which DHL
// judges without creating it, and the key for tracking.
import { textBlock } from '../../model/text-block.ts';
import { accessToken } from '../access-token.ts';
import { type CarrierAccount, CarrierError, type CarrierAnswer, type CarrierRequest } from '../carrier.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { sampleRequest } from '../sample-request.ts';
import { canShip, dhlToken } from './errors.ts';
import { validationOutcome, trialOf } from './label.ts';
import { billingNumber, dhlModes } from './rules.ts';
import { probeTracking } from './tracking.ts';

type Talk<T> = Generator<CarrierRequest, T, CarrierAnswer>;

/** Tests each part of the account that is set up. */
export function* probe(account: CarrierAccount): Talk<string> {
  const found: string[] = [];
  let shipments = '';
  if (canShip(account)) {
    shipments = yield* probeShipments(account, yield* accessToken(dhlToken(account), 'new'));
    found.push('the user for labels');
  }
  if (account.settings.trackingKey) {
    yield* probeTracking(account);
    found.push('the key for tracking');
  }
  if (found.length === 0)
    throw new CarrierError(
      'configuration',
      textBlock`
        The account can neither make labels (settings clientId, clientSecret, username, password) nor track (setting
        trackingKey).
      `,
    );
  return `DHL accepts ${found.join(' and ')}. ${shipments}`.trimEnd();
}

/**
 * Has a shipment of each product judged. A user or an application that may try none is no fault of the account: what
 * the token shows stays true then.
 * @throws CarrierError `configuration` where DHL does not accept a billing number or the profile
 */
function* probeShipments(account: CarrierAccount, token: string): Talk<string> {
  const taken: string[] = [];
  const sentences: string[] = [];
  for (const request of samplesOf(account)) {
    const { modeLiv } = request;
    const answer = yield trialOf({ account, request }, token);
    if (answer.status === 401 || answer.status === 403)
      return textBlock`
        It lets the user try no shipment (status ${String(answer.status)}): whether it takes the billing numbers shows
        only with a label.
      `;
    try {
      validationOutcome(answer);
      taken.push(modeLiv);
    } catch (error) {
      if (!(error instanceof CarrierError) || (error.kind !== 'invalid' && error.kind !== 'refused')) throw error;
      sentences.push(`It would not make a label of ${modeLiv}: ${error.message}`);
    }
  }
  if (taken.length > 0) sentences.unshift(`It would make labels of ${taken.join(', ')}.`);
  return sentences.join(' ');
}

/** From DHL's own building to itself, or to the Austrian post: within the Union nothing is declared. */
function samplesOf(account: CarrierAccount): readonly LabelRequest[] {
  return Object.entries(dhlModes)
    .filter(([modeLiv, mode]) => modeLiv === mode.product && billingNumber(account, mode) !== null)
    .map(([modeLiv]) =>
      sampleRequest({
        modeLiv,
        ...{ expAddr1: 'DHL Paket GmbH', expAddr2: 'Sträßchensweg 10', expZip: '53113', expCity: 'Bonn' },
        expCountry: 'DE',
        ...(domestic.has(modeLiv) ? withinGermany : toAustria),
        ...{ weight: '500', nbPackage: '1' },
      }),
    );
}

const domestic: ReadonlySet<string> = new Set(['V01PAK', 'V62KP']);
const withinGermany = {
  ...{ destAddr1: 'DHL Paket GmbH', destAddr2: 'Sträßchensweg 10', destZip: '53113', destCity: 'Bonn' },
  destCountry: 'DE',
} as const;
const toAustria = {
  ...{ destAddr1: 'Österreichische Post AG', destAddr2: 'Rochusplatz 1', destZip: '1030', destCity: 'Wien' },
  destCountry: 'AT',
} as const;
