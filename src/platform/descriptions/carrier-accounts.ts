// What the reference says of accounts at carriers.
import type { RouteDescription } from '../../http/route.ts';
import { carrierAccountsExample } from '../carrier-account-schemas.ts';

/** Which activity ships with whom. */
export const carrierAccountDescriptions = {
  listCarrierAccounts: {
    summary: 'Accounts at carriers',
    parameters: [],
    description:
      'Accounts of the activities of this key, with the names of their settings and what they lack for labels and ' +
      'tracking. Values of settings are not told. A dry run tries one at its carrier.',
    answers: { schema: 'CarrierAccountList', example: carrierAccountsExample },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
