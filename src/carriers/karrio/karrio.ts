// Karrio: a server run by the operator that speaks to many carriers (REST interface v1, as of version 2026.1).
import { noDryRun, noPoints } from '../desk.ts';
import { textBlock } from '../../model/text-block.ts';
import { type Carrier, type CarrierAccount, type CarrierAnswer, type CarrierRequest, isSuccess } from '../carrier.ts';
import {
  cashOnDeliveryCents,
  country,
  email,
  lines,
  maxLength,
  matching,
  outputs,
  parcels,
  required,
  unwanted,
  within,
} from '../label-rules.ts';
import { answeredJson, valueAt } from '../json.ts';
import type { LabelRequest } from '../../model/shipping.ts';
import { customsSettings } from '../customs/settings.ts';
import { karrioCustoms } from './customs.ts';
import { headersOf, karrioError, title } from './errors.ts';
import { createLabel, fetchLabel, karrioOutputs, streetLength } from './label.ts';
import { track } from './tracking.ts';
import { ownList } from '../desk.ts';
import { voidLabel } from './void.ts';
import { unreadable } from '../carrier-messages.ts';
import { withRedaction } from '../redaction.ts';
import { ownAddressPattern, originsOf } from '../endpoints.ts';
import type { Reason } from '../../model/record.ts';

export const karrio: Carrier = withRedaction({
  name: 'karrio',
  title: 'Karrio',
  settings: [
    {
      name: 'baseUrl',
      meaning: 'Address of your Karrio server, without a slash at the end, such as http://localhost:5002.',
      pattern: ownAddressPattern,
    },
    { name: 'apiKey', meaning: 'API key of the Karrio server (key_…).', secret: true },
    {
      name: 'carrierName',
      meaning: 'Carrier behind Karrio, as Karrio spells it, such as chronopost or dpd_meta. Tracking needs it.',
      pattern: '[a-z0-9_]+',
    },
    {
      name: 'carrierId',
      meaning: "Name of the carrier's connection in Karrio, where there are several.",
      otherwise: '',
    },
    {
      name: 'currency',
      meaning: 'Currency of cash on delivery, three letters.',
      otherwise: 'EUR',
      pattern: '[A-Z]{3}',
    },
    ...customsSettings,
    {
      name: 'pickupOption',
      meaning: textBlock`
        Karrio's option that takes the number of a pick-up point, as its page of the carrier names it. Empty: no pick-up
        points.
      `,
      otherwise: '',
      pattern: '[a-z0-9_]*',
    },
  ],
  outputs: karrioOutputs,
  origins: ({ settings }) => originsOf(settings.baseUrl),
  check,
  customs: karrioCustoms,
  createLabel,
  fetchLabel,
  track,
  probe,
  desk: {
    voidLabel,
    findPoints: noPoints(title, 'The carrier behind Karrio has a finder of its own.'),
    dryRun: noDryRun(title),
    handover: ownList,
  },
});

const maxParcels = 99;
const maxGrams = 1_000_000;

function check(request: LabelRequest, { settings }: CarrierAccount): readonly Reason[] {
  const pickup =
    settings.pickupOption === ''
      ? unwanted(
          request,
          'shippingPickupPoint',
          textBlock`
            shippingPickupPoint cannot be sent: the account names no option of Karrio that takes it (setting
            pickupOption).
          `,
        )
      : [];
  const cash = Number.isNaN(cashOnDeliveryCents(request)) ? within(request, 'crtValue', 0, 100_000_000, 'cents') : [];
  return [
    ...required(request, 'modeLiv', "Karrio's code of the carrier's service"),
    ...addressReasons(request),
    ...parcels(request, { maxParcels, maxGrams }),
    ...cash,
    ...pickup,
    ...unwanted(
      request,
      'pickupPoint',
      'pickupPoint cannot be sent: Karrio knows no point where parcels are handed in.',
    ),
    ...maxLength(request, 'nDossier', 100),
    ...maxLength(request, 'nClient', 50),
    ...maxLength(request, 'content', 100),
    ...matching(request, 'apiVersion', /^v1$/, 'v1 or absent'),
    ...outputs(request, karrioOutputs),
  ];
}

function addressReasons(request: LabelRequest): readonly Reason[] {
  return [
    ...required(request, 'expAddr1', 'the name of the sender'),
    ...required(request, 'expCity', 'the city of the sender'),
    ...required(request, 'expZip', 'the postcode of the sender'),
    ...required(request, 'expCountry', 'the country of the sender'),
    ...required(request, 'destAddr1', 'the name of the recipient'),
    ...required(request, 'destCity', 'the city of the recipient'),
    ...required(request, 'destZip', 'the postcode of the recipient'),
    ...required(request, 'destCountry', 'the country of the recipient'),
    ...maxLength(request, 'expAddr1', 100),
    ...lines(request, 'expAddr2', streetLength, 2),
    ...maxLength(request, 'destAddr1', 100),
    ...lines(request, 'destAddr2', streetLength, 2),
    ...maxLength(request, 'expCity', 50),
    ...maxLength(request, 'destCity', 50),
    ...maxLength(request, 'expZip', 20),
    ...maxLength(request, 'destZip', 20),
    ...country(request, 'expCountry'),
    ...country(request, 'destCountry'),
    ...email(request, 'expMail'),
    ...email(request, 'destMail'),
  ];
}

/** Reading one shipment shows that the server is there and the key is right. */
function* probe(account: CarrierAccount): Generator<CarrierRequest, string, CarrierAnswer> {
  const answer = yield {
    method: 'GET',
    url: `${account.settings.baseUrl}/v1/shipments?limit=1`,
    headers: headersOf(account),
    body: null,
    repeat: 'safe',
  };
  if (!isSuccess(answer)) throw karrioError(answer, 'reading');
  if (!Array.isArray(valueAt(answeredJson(answer, title), 'results'))) throw unreadable(title, 'no list of shipments');
  return textBlock`
    Karrio accepts the API key. Whether the carrier behind it accepts its own credentials shows only with a label.
  `;
}
