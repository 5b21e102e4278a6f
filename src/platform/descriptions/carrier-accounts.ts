// The reference documentation of carrier accounts.
import type { RouteDescription } from '../../http/route.ts';
import { textBlock } from '../../model/text-block.ts';
import { accountParameters } from '../../shipping/path-parameters.ts';
import { accountTestExample, carrierAccountsExample } from '../carrier-account-schemas.ts';

/** Which activity ships with whom. */
export const carrierAccountDescriptions = {
  listCarrierAccounts: {
    summary: 'Accounts at carriers',
    parameters: [],
    description:
      'Accounts of the activities of this key, with the names of their settings and what they lack for labels and ' +
      'tracking. Values of settings are not told.',
    answers: { schema: 'CarrierAccountList', example: carrierAccountsExample },
  },
  testCarrierAccount: {
    summary: 'Test a carrier account',
    parameters: accountParameters,
    description: textBlock`
      Asks the carrier whether the account works; nothing is made, noted or paid, and neither settings nor secrets are
      told. An account that does not work is answered 200 with \`works\` false, and \`detail\` says why. 502 and 504:
      the carrier is away, or the secrets of the account cannot be read.
    `,
    answers: { schema: 'CarrierAccountTest', example: accountTestExample },
    refusals: { 404: ['resource-not-found'], 502: ['carrier-unavailable'], 504: ['carrier-timeout'] },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
