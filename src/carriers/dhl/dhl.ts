// DHL: labels of DHL Paket for German business customers ("Parcel DE Shipping" v2), tracking of all of DHL ("Shipment
// Tracking – Unified").
import { noPoints } from '../desk.ts';
import { textBlock } from '../../model/text-block.ts';
import type { Carrier } from '../carrier.ts';
import { customsSettings } from '../customs/settings.ts';
import { dhlCustoms } from './customs.ts';
import { handover } from './handover.ts';
import { createLabel, dryRun, fetchLabel } from './label.ts';
import { otherSpellings } from './numbers.ts';
import { probe } from './probe.ts';
import { dhlReasons, dhlOutputs } from './rules.ts';
import { track } from './tracking.ts';
import { voidLabel } from './void.ts';
import { withRedaction } from '../redaction.ts';
import { addressPattern, originsOf } from '../endpoints.ts';

export const dhl: Carrier = withRedaction({
  name: 'dhl',
  title: 'DHL',
  settings: [
    {
      name: 'clientId',
      meaning: 'API key of your application at developer.dhl.com for "Parcel DE Shipping". Empty: no labels.',
      otherwise: '',
    },
    { name: 'clientSecret', meaning: 'API secret of that application.', secret: true, otherwise: '' },
    { name: 'username', meaning: 'User of the business customer portal (geschaeftskunden.dhl.de).', otherwise: '' },
    { name: 'password', meaning: 'Password of that user.', secret: true, otherwise: '' },
    {
      name: 'billingNumbers',
      meaning: textBlock`
          Your billing numbers, 14 characters each, parted by commas: one for each product, told apart by their digits
          11 and 12.
        `,
      otherwise: '',
      pattern: '(\\w{10}\\d{2}\\w{2}(, ?\\w{10}\\d{2}\\w{2})*)?',
    },
    { name: 'profile', meaning: 'Profile of the user group.', otherwise: 'STANDARD_GRUPPENPROFIL', pattern: '.{1,35}' },
    {
      name: 'cashAccount',
      meaning:
        'Account reference for cash on delivery, as the business customer portal names it. Empty: no cash on delivery.',
      otherwise: '',
      pattern: '.{0,35}',
    },
    ...customsSettings,
    {
      name: 'returnReceivers',
      meaning: textBlock`
          Receivers of returns, as the business customer portal names them, by the country of the consumer, parted by
          commas: DE=deu, AT=aut. Empty: no returns.
        `,
      otherwise: '',
      pattern: '([A-Z]{2}=[^,=\\s]{1,50}(, ?[A-Z]{2}=[^,=\\s]{1,50})*)?',
    },
    {
      name: 'trackingKey',
      meaning: 'API key for "Shipment Tracking – Unified". Empty: no tracking.',
      secret: true,
      otherwise: '',
    },
    {
      name: 'language',
      meaning: 'Language of the wordings, two letters, such as de.',
      otherwise: 'en',
      pattern: '[a-z]{2}',
    },
    {
      name: 'baseUrl',
      meaning: 'Address for labels: https://api-eu.dhl.com, for tests https://api-sandbox.dhl.com.',
      otherwise: 'https://api-eu.dhl.com',
      pattern: addressPattern,
    },
    {
      name: 'trackingUrl',
      meaning: 'Address for tracking.',
      otherwise: 'https://api-eu.dhl.com',
      pattern: addressPattern,
    },
  ],
  needs: {
    labels: [['clientId', 'clientSecret', 'username', 'password', 'billingNumbers']],
    tracking: [['trackingKey']],
  },
  outputs: dhlOutputs,
  origins: ({ settings }) => originsOf(settings.baseUrl, settings.trackingUrl),
  check: dhlReasons,
  customs: dhlCustoms,
  createLabel,
  fetchLabel,
  fetchesEachParcel: true,
  otherNumbers: otherSpellings,
  track,
  probe,
  desk: {
    voidLabel,
    findPoints: noPoints(
      'DHL',
      "Its finder gives the numbers of Packstationen and Filialen; the customer's Postnummer is needed too.",
    ),
    dryRun,
    handover,
  },
});
