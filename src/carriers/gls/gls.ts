// GLS: labels through its ShipIT interface (REST), tracking through "Track and Trace v1".
import type { Carrier, CarrierAccount, CarrierExchange } from '../carrier.ts';
import { dryRun } from './dry-run.ts';
import { handover } from './handover.ts';
import { customsSettings } from '../customs/settings.ts';
import { glsCustoms } from './customs.ts';
import { createLabel } from './label.ts';
import { otherSpellings } from './numbers.ts';
import { probeBySample, sampleRequest } from '../sample-request.ts';
import { findShops } from './shops.ts';
import { glsReasons, glsOutputs } from './rules.ts';
import { textBlock } from '../../model/text-block.ts';
import { track } from './tracking.ts';
import { voidLabel } from './void.ts';
import { withRedaction } from '../redaction.ts';
import { addressPattern, originsOf } from '../endpoints.ts';

export const gls: Carrier = withRedaction({
  name: 'gls',
  title: 'GLS',
  settings: [
    { name: 'clientId', meaning: 'Client ID of your application at dev-portal.gls-group.net.' },
    { name: 'clientSecret', meaning: 'Client secret of your application.', secret: true },
    { name: 'contactId', meaning: 'Contact ID of the shipper, from GLS.', pattern: '[^\\s]{1,20}' },
    {
      name: 'middleware',
      meaning: 'Name of the shipping software that GLS agreed upon with you.',
      otherwise: 'LogisticsConnect',
      pattern: '[^"{},;()|\\\\\\r\\n]{1,40}',
    },
    {
      name: 'senderOnLabel',
      meaning: textBlock`
        Which sender stands on labels: that of the contact ID, or that of the request, which GLS must have allowed for
        the contact ID.
      `,
      otherwise: 'contact',
      choices: ['contact', 'request'],
    },
    {
      name: 'incoterm',
      meaning: 'Incoterm code for parcels that cross a customs border, such as 10. Empty: none.',
      otherwise: '',
      pattern: '(\\d{2})?',
    },
    {
      name: 'customsApi',
      meaning: textBlock`
        Whether GLS is told the goods of parcels through customs by its Customs API, for which your application needs a
        permission of its own: no, as a draft that somebody completes in its Customs Portal, or yes.
      `,
      otherwise: 'no',
      choices: ['no', 'draft', 'yes'],
    },
    ...customsSettings.filter(({ name }) => name !== 'incoterm'),
    {
      name: 'currency',
      meaning: 'Currency of cash on delivery, three letters.',
      otherwise: 'EUR',
      pattern: '[A-Z]{3}',
    },
    { name: 'language', meaning: 'Language of the wordings of tracking.', otherwise: 'EN', choices: ['EN', 'DE'] },
    {
      name: 'baseUrl',
      meaning: 'Address of the interface: https://api.gls-group.net, for tests https://api-sandbox.gls-group.net.',
      otherwise: 'https://api.gls-group.net',
      pattern: addressPattern,
    },
  ],
  outputs: glsOutputs,
  origins: ({ settings }) => originsOf(settings.baseUrl),
  check: glsReasons,
  customs: glsCustoms,
  createLabel,
  otherNumbers: otherSpellings,
  // A reprint needs the day of the first print, which is unknown for a label that is not stored here.
  fetchLabel: null,
  track,
  probe,
  desk: { voidLabel, findPoints: findShops, dryRun, handover },
});

function probe(account: CarrierAccount, now: number): CarrierExchange<string> {
  const works = 'GLS accepts client ID, secret and contact ID';
  return probeBySample(dryRun({ account, request: sample, now }), works, 'a parcel to Germany');
}

/** To GLS itself. */
const sample = sampleRequest({
  modeLiv: 'PARCEL',
  ...{ destAddr1: 'GLS Germany', destAddr2: 'GLS-Germany-Str. 1-7', destZip: '36286', destCity: 'Neuenstein' },
  ...{ destCountry: 'DE', weight: '1000', nbPackage: '1' },
});
