// Chronopost: labels through ShippingServiceWS (SOAP), tracking through La Poste's Suivi v2 or Chronopost's own
// service.
import { noDryRun } from '../desk.ts';
import { textBlock } from '../../model/text-block.ts';
import type { Carrier, CarrierAccount, ParcelTask, CarrierAnswer, CarrierRequest } from '../carrier.ts';
import { languages, probeTracking, suiviAddress, trackSuivi } from '../laposte/suivi.ts';
import { elementsOf, soapRequest, soapResponse } from '../soap.ts';
import { isAwaited } from '../tracking-steps.ts';
import { xmlChild } from '../xml/element.ts';
import { xml } from '../xml/write.ts';
import type { Tracking } from '../../model/shipping.ts';
import { faultError, resultError, title } from './errors.ts';
import { customsSettings } from '../customs/settings.ts';
import { chronopostCustoms } from './customs.ts';
import { createLabel } from './label.ts';
import { findPoints } from './point-search.ts';
import { traceSkybill } from './trace.ts';
import { ownList } from '../desk.ts';
import { voidLabel } from './void.ts';
import { chronopostReasons, chronopostOutputs } from './rules.ts';
import { unreadable } from '../carrier-messages.ts';
import { withRedaction } from '../redaction.ts';
import { addressPattern, originsOf } from '../endpoints.ts';

export const chronopost: Carrier = withRedaction({
  name: 'chronopost',
  title,
  settings: [
    { name: 'accountNumber', meaning: 'Number of your contract with Chronopost, digits.', pattern: '\\d{1,9}' },
    {
      name: 'password',
      meaning: 'Password of the contract for the web services (Chronotrace code).',
      secret: true,
      pattern: '\\P{C}+',
    },
    {
      name: 'subAccount',
      meaning: 'Number of the sub-account, where you ship for one.',
      otherwise: '',
      pattern: '\\d{0,3}',
    },
    {
      name: 'idEmit',
      meaning: 'Code of the emitter, which Chronopost may give you.',
      otherwise: 'CHRFR',
      pattern: '[0-9A-Z]{1,10}',
    },
    {
      name: 'baseUrl',
      meaning: 'Address of the web services. There is no separate address for tests.',
      otherwise: 'https://ws.chronopost.fr',
      pattern: addressPattern,
    },
    ...customsSettings,
    {
      name: 'suiviKey',
      meaning: textBlock`
        Key of your application for "Suivi v2" at developer.laposte.fr, for tracking there. Empty: tracking at
        Chronopost, which needs no key.
      `,
      secret: true,
      otherwise: '',
    },
    { name: 'suiviUrl', meaning: 'Address of "Suivi v2".', otherwise: suiviAddress, pattern: addressPattern },
    { name: 'language', meaning: 'Language of the wordings of tracking.', otherwise: 'fr_FR', choices: languages },
  ],
  outputs: chronopostOutputs,
  origins: ({ settings }) => originsOf(settings.baseUrl, settings.suiviUrl),
  check: chronopostReasons,
  customs: chronopostCustoms,
  createLabel,
  // Chronopost reprints by the number of a reservation, not by that of the parcel.
  fetchLabel: null,
  track,
  probe,
  desk: { voidLabel, findPoints, dryRun: noDryRun(title), handover: ownList },
});

/** A parcel made here that the carrier does not know yet counts as registered. */
function* track(task: ParcelTask): Generator<CarrierRequest, Tracking, CarrierAnswer> {
  const { suiviKey = '', suiviUrl = '', language = '' } = task.account.settings;
  if (suiviKey === '') return yield* traceSkybill(task);
  return yield* trackSuivi({
    access: { baseUrl: suiviUrl, key: suiviKey, language },
    number: task.expeditionNumber,
    isAwaited: isAwaited(task),
  });
}

/**
 * Asks for prices, the only question that checks the password without creating anything, and tries the key for
 * tracking.
 */
function* probe({ settings }: CarrierAccount): Generator<CarrierRequest, string, CarrierAnswer> {
  const { baseUrl = '', accountNumber = '', password = '' } = settings;
  const asked = {
    accountNumber,
    password,
    depCountryCode: 'FR',
    depZipCode: '75001',
    arrCountryCode: 'FR',
    arrZipCode: '91210',
    arrCity: 'Draveil',
    type: 'M',
    weight: '1',
  };
  const operation = xml('cxf:calculateProducts', elementsOf(asked), {
    'xmlns:cxf': 'http://cxf.quickcost.soap.chronopost.fr/',
  });
  const answer = yield soapRequest({
    url: `${baseUrl}/quickcost-cxf/QuickcostServiceWS`,
    action: '',
    repeat: 'safe',
    operation,
  });
  const result = xmlChild(soapResponse(title, answer, 'calculateProductsResponse', faultError), 'return');
  if (result === null) throw unreadable(title, 'no result');
  const refused = resultError(result);
  if (refused !== null) throw refused;
  return textBlock`
    Chronopost accepts the account number and the password. Which products the contract covers shows only with a label.
    ${yield* probeTracking(settings)}
  `.trimEnd();
}
