// Colissimo: labels through La Poste's label service SLS (REST), tracking through Suivi v2 or Colissimo's own timeline.
import type { Carrier, CarrierAccount, ParcelTask, CarrierAnswer, CarrierRequest } from '../carrier.ts';
import { languages, probeTracking, suiviAddress, trackSuivi } from '../laposte/suivi.ts';
import { isAwaited } from '../tracking-steps.ts';
import type { Tracking } from '../../model/shipping.ts';
import { handover } from './handover.ts';
import { customsSettings } from '../customs/settings.ts';
import { colissimoCustoms } from './customs.ts';
import { createLabel, dryRun, fetchLabel, hasAccess, probeLabels } from './label.ts';
import { findPoints } from './point-search.ts';
import { textBlock } from '../../model/text-block.ts';
import { trackTimeline } from './timeline.ts';
import { colissimoReasons, colissimoOutputs, versions } from './rules.ts';
import { withRedaction } from '../redaction.ts';
import { addressPattern, originsOf } from '../endpoints.ts';

export const colissimo: Carrier = withRedaction({
  name: 'colissimo',
  title: 'Colissimo',
  settings: [
    {
      name: 'apiKey',
      meaning: 'API key from the Colissimo Box. Empty where you still have a contract number and a password.',
      secret: true,
      otherwise: '',
    },
    { name: 'contractNumber', meaning: 'Contract number, without an API key.', otherwise: '' },
    { name: 'password', meaning: 'Password of the contract, without an API key.', secret: true, otherwise: '' },
    {
      name: 'accountNumber',
      meaning: 'Number of the account that you ship for, where it is not the one of the key.',
      otherwise: '',
      pattern: '\\d*',
    },
    {
      name: 'commercialName',
      meaning: 'Your name in the messages to recipients. Empty: the name of the sender.',
      otherwise: '',
    },
    {
      name: 'returnTypeChoice',
      meaning: textBlock`
        What becomes of a parcel that cannot be delivered abroad: 2 comes back at your cost, 3 does not come back.
      `,
      otherwise: '3',
      choices: ['2', '3'],
    },
    ...customsSettings,
    {
      name: 'eoriGb',
      meaning: 'EORI number of the sender in Great Britain, for customs there.',
      otherwise: '',
      pattern: 'GB\\d{12,15}',
    },
    {
      name: 'environment',
      meaning: 'Whether labels are real, or samples for tests.',
      otherwise: 'production',
      choices: ['production', 'test'],
    },
    {
      name: 'version',
      meaning: 'Version of the label service, where a request names none.',
      otherwise: '2.0',
      choices: versions,
    },
    {
      name: 'baseUrl',
      meaning: 'Address of the label service.',
      otherwise: 'https://ws.colissimo.fr',
      pattern: addressPattern,
    },
    {
      name: 'suiviKey',
      meaning: textBlock`
        Key of your application for "Suivi v2" at developer.laposte.fr, for tracking there. Empty: tracking at
        Colissimo, by the credentials of labels.
      `,
      secret: true,
      otherwise: '',
    },
    { name: 'suiviUrl', meaning: 'Address of "Suivi v2".', otherwise: suiviAddress, pattern: addressPattern },
    { name: 'language', meaning: 'Language of the wordings of tracking.', otherwise: 'fr_FR', choices: languages },
  ],
  needs: {
    labels: [['apiKey'], ['contractNumber', 'password']],
    tracking: [['apiKey'], ['contractNumber', 'password'], ['suiviKey']],
  },
  outputs: colissimoOutputs,
  origins: ({ settings }) => originsOf(settings.baseUrl, settings.suiviUrl),
  check: colissimoReasons,
  customs: colissimoCustoms,
  createLabel,
  fetchLabel,
  fetchesEachParcel: true,
  track,
  probe,
  desk: {
    findPoints,
    dryRun,
    voidLabel: {
      instead: textBlock`
        Colissimo has no request that takes a label back. Destroy the label, and let the parcel stay off the delivery
        slip (bordereau) of the day.
      `,
    },
    handover,
  },
});

/** Labels and tracking use different keys; an account for tracking alone has one of them. */
async function* probe(account: CarrierAccount, now: number): AsyncGenerator<CarrierRequest, string, CarrierAnswer> {
  if (account.settings.suiviKey && !hasAccess(account)) return yield* probeTracking(account.settings);
  const labels = yield* probeLabels(account, now);
  return `${labels} ${yield* probeTracking(account.settings)}`.trimEnd();
}

/** A parcel made here that the carrier does not know yet counts as registered. */
function* track(task: ParcelTask): Generator<CarrierRequest, Tracking, CarrierAnswer> {
  const { suiviKey = '', suiviUrl = '', language = '' } = task.account.settings;
  if (suiviKey === '') return yield* trackTimeline(task);
  return yield* trackSuivi({
    access: { baseUrl: suiviUrl, key: suiviKey, language },
    number: task.expeditionNumber,
    isAwaited: isAwaited(task),
  });
}
