// Finds the account that a command line names by context and carrier.
import type { Command } from 'commander';
import { createAccountCipher } from '../../auth/account-cipher.ts';
import { createHost, defaultHostLimits } from '../../carriers/host.ts';
import { carrierTimes, type Config } from '../../config.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { accountOf, type OpenAccount } from '../../shipping/accounts.ts';
import type { PointDependencies } from '../../shipping/find-points.ts';
import type { StoredCarrierAccount } from '../../store/carrier-accounts.ts';
import type { Store } from '../../store/store.ts';
import { type JsonOption, jsonOption } from '../command-line.ts';
import { storageSettings } from '../help.ts';
import { carrierNamed } from './settings.ts';

export interface NamedOptions extends JsonOption {
  context: string;
  carrier: string;
}

/** Adds the options that name an account. */
export function named(command: Command): Command {
  return command
    .requiredOption('--context <name>', 'name of the account in the paths of the interface')
    .requiredOption('--carrier <name>', 'see carrier-account list')
    .option(...jsonOption);
}

/** @throws OperatorError when there is no such account */
export async function storedAccount(
  store: Pick<Store, 'carrierAccounts' | 'activities'>,
  context: string,
  carrier: string,
): Promise<StoredCarrierAccount> {
  const activities = (await store.activities.list()).map(({ code }) => code);
  const account = await store.carrierAccounts.find(activities, context, carrier);
  if (account === null)
    throw new OperatorError(
      `There is no account of context ${context} at ${carrier}.`,
      'See: ./logistics-connect carrier-account list',
    );
  return account;
}

/** The program settings that are read by commands which contact a carrier. */
export const carrierCallSettings = [
  ...storageSettings,
  'secretKey',
  'secretKeyPrevious',
  'carrierAnswerSeconds',
  'carrierTotalSeconds',
] as const;

/** An account and what is needed to contact its carrier. @throws OperatorError when there is no such account */
export async function openNamed(
  store: Pick<Store, 'carrierAccounts' | 'activities'>,
  config: Config,
  { context, carrier: name }: NamedOptions,
): Promise<{ readonly opened: OpenAccount; readonly asking: PointDependencies }> {
  const carrier = await carrierNamed(name);
  const stored = await storedAccount(store, context, name);
  const account = await accountOf(stored, carrier, createAccountCipher(config));
  return {
    opened: { stored, carrier, account },
    asking: {
      callCarrier: createHost({ limits: { ...defaultHostLimits, ...carrierTimes(config) }, onCall: () => undefined }),
      onFault: () => undefined,
      now: Date.now,
    },
  };
}
