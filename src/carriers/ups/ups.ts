// UPS: labels through its Shipping interface, tracking through its Tracking interface (REST with OAuth 2.0).
import { noPoints } from '../desk.ts';
import { accessToken } from '../access-token.ts';
import type { Carrier, CarrierAccount, CarrierAnswer, CarrierRequest } from '../carrier.ts';
import { customsSettings } from '../customs/settings.ts';
import { upsCustoms } from './customs.ts';
import { dryRun } from './dry-run.ts';
import { upsToken } from './errors.ts';
import { createLabel, fetchLabel } from './label.ts';
import { upsReasons, upsOutputs } from './rules.ts';
import { track } from './tracking.ts';
import { ownList } from '../desk.ts';
import { voidLabel } from './void.ts';
import { withRedaction } from '../redaction.ts';
import { addressPattern, originsOf } from '../endpoints.ts';

export const ups: Carrier = withRedaction({
  name: 'ups',
  title: 'UPS',
  settings: [
    { name: 'clientId', meaning: 'Client ID of your application at developer.ups.com.' },
    { name: 'clientSecret', meaning: 'Client secret of your application.', secret: true },
    {
      name: 'accountNumber',
      meaning: 'Number of your UPS account (shipper number), six letters and digits, which pays for the shipments.',
      pattern: '[A-Za-z0-9]{6}',
    },
    ...customsSettings,
    {
      name: 'locale',
      meaning: 'Language and country of the wordings of tracking, such as fr_FR.',
      otherwise: 'en_US',
      pattern: '[a-z]{2}_[A-Z]{2}',
    },
    {
      name: 'baseUrl',
      meaning: 'Address of the interface: https://onlinetools.ups.com, for tests https://wwwcie.ups.com.',
      otherwise: 'https://onlinetools.ups.com',
      pattern: addressPattern,
    },
  ],
  outputs: upsOutputs,
  origins: ({ settings }) => originsOf(settings.baseUrl),
  check: upsReasons,
  customs: upsCustoms,
  createLabel,
  fetchLabel,
  track,
  probe,
  desk: {
    voidLabel,
    findPoints: noPoints('UPS', 'Labels to its Access Points cannot be made here either.'),
    dryRun,
    handover: ownList,
  },
});

function* probe(account: CarrierAccount): Generator<CarrierRequest, string, CarrierAnswer> {
  yield* accessToken(upsToken(account), 'new');
  return 'UPS accepts the client ID and secret. Whether it accepts the account number shows with a dry run or a label.';
}
