// La Poste: tracking of letters, Colissimo and Chronopost parcels through its interface "Suivi v2".
import type { Carrier } from '../carrier.ts';
import { languages, probeSuivi, suiviAddress, trackSuivi } from './suivi.ts';
import { ownList } from '../desk.ts';
import { withRedaction } from '../redaction.ts';
import { addressPattern, originsOf } from '../endpoints.ts';

export const laposte: Carrier = withRedaction({
  name: 'laposte',
  title: 'La Poste',
  settings: [
    {
      name: 'apiKey',
      meaning: 'Key of your application for "Suivi v2" at developer.laposte.fr (X-Okapi-Key).',
      secret: true,
    },
    { name: 'language', meaning: 'Language of the wordings.', otherwise: 'fr_FR', choices: languages },
    {
      name: 'baseUrl',
      meaning: 'Address of the interface. There is one for everything: La Poste has no separate test address.',
      otherwise: suiviAddress,
      pattern: addressPattern,
    },
  ],
  outputs: {},
  origins: ({ settings }) => originsOf(settings.baseUrl),
  check: () => [],
  createLabel: null,
  fetchLabel: null,
  track: ({ account, expeditionNumber }) =>
    trackSuivi({ access: accessOf(account.settings), number: expeditionNumber, isAwaited: false }),
  probe: ({ settings }) => probeSuivi(accessOf(settings)),
  desk: {
    voidLabel: { instead: 'La Poste makes no labels here: there is none to void.' },
    findPoints: { instead: 'La Poste makes no labels here: its points are those of Colissimo and Chronopost.' },
    dryRun: { instead: 'La Poste makes no labels here: there is none to try.' },
    handover: ownList,
  },
});

function accessOf({ baseUrl = '', apiKey = '', language = '' }: Readonly<Record<string, string>>) {
  return { baseUrl, key: apiKey, language };
}
