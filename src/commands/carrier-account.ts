// The command `carrier-account`: with whom an activity ships, and under which name its clients ask for labels.
import { textBlock } from '../model/text-block.ts';
import { createAccountCipher } from '../auth/account-cipher.ts';
import { accountOf } from '../api/shipping/accounts.ts';
import { type Carrier, CarrierError } from '../carriers/carrier.ts';
import { createHost, defaultHostLimits } from '../carriers/host.ts';
import { carrierNames, loadCarrier } from '../carriers/index.ts';
import { carrierTimes, type Config } from '../config.ts';
import { OperatorError } from '../model/operator-error.ts';
import { labelRequestFields } from '../model/shipping.ts';
import {
  findCarrierAccount,
  listCarrierAccounts,
  putCarrierAccount,
  removeCarrierAccount,
  type StoredCarrierAccount,
} from '../store/carrier-accounts.ts';
import type { Store } from '../store/store.ts';
import { recordCommand } from './audited.ts';
import { completeSettings, type Pairs, toldFaults } from './carrier-settings.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { withStore } from './storage.ts';
import { writeTable } from './table.ts';

/** Labels a day. */
const mostLabels = 1_000_000;

export interface WantedAccount {
  readonly context: string;
  readonly carrier: string;
  readonly activity: string;
  readonly settings: readonly string[];
  readonly sender: readonly string[];
  readonly dailyLimit: string | null;
  readonly json: boolean;
}

/**
 * Adds an account, or puts it in the place of the one that is there. What is missing is asked for on a terminal;
 * elsewhere it is read from standard input as one JSON object of texts.
 * @throws OperatorError with everything that is wrong
 */
export async function addAccount(environment: Environment, wanted: WantedAccount): Promise<ExitCode> {
  const { context, activity } = wanted;
  const carrier = await carrierNamed(wanted.carrier);
  const faults: string[] = [];
  const sender = pairsOf(wanted.sender, '--sender', faults);
  const told = pairsOf(wanted.settings, '--set', faults);
  faults.push(...wantedFaults(wanted), ...senderFaults(sender), ...toldFaults(carrier, told));
  if (faults.length > 0) throw new OperatorError(faults.join(' '), 'Nothing was changed.');
  await requireActivity(environment, activity);
  const { settings, secrets } = await completeSettings(environment, carrier, told);
  const outcome = await withStore(environment, async (store, config) => {
    const stored =
      Object.keys(secrets).length === 0 ? null : await createAccountCipher(config).encrypt(JSON.stringify(secrets));
    const dailyLimit = wanted.dailyLimit === null ? null : Number(wanted.dailyLimit);
    const done = await putCarrierAccount(
      store.db,
      { owner: activity, context, carrier: carrier.name, settings, secrets: stored, sender, dailyLimit },
      environment.now(),
    );
    await recordCommand(environment, store, {
      action: `carrier-account.${done === 'added' ? 'add' : 'change'}`,
      target: `${context}/${carrier.name}`,
      activityCodes: [activity],
    });
    return done;
  });
  if (wanted.json) writeJson(environment.stdout, { context, carrier: carrier.name, activity, outcome });
  else
    environment.stdout.write(
      `Context ${context} of ${activity} ${outcome === 'added' ? 'ships' : 'now ships'} with ${carrier.title}.\nTo ` +
        `check it: ./logistics-connect carrier-account test --context ${context} --carrier ${carrier.name}\n`,
    );
  return exitCodes.done;
}

/** Lists the accounts; never their secrets. */
export async function listAccounts(environment: Environment, { json }: { readonly json: boolean }): Promise<ExitCode> {
  const accounts = await withStore(environment, (store) => listCarrierAccounts(store.db));
  if (json) writeJson(environment.stdout, accounts.map(described));
  else {
    writeTable(
      environment.stdout,
      ['ACTIVITY', 'CONTEXT', 'CARRIER', 'SETTINGS', 'SENDER', 'LABELS A DAY'],
      accounts.map((account) => [
        account.owner,
        account.context,
        account.carrier,
        pairsText(account.settings),
        pairsText(account.sender),
        account.dailyLimit === null ? 'any' : String(account.dailyLimit),
      ]),
    );
  }
  return exitCodes.done;
}

export interface NamedAccount {
  readonly context: string;
  readonly carrier: string;
  readonly json: boolean;
}

/**
 * Asks the carrier whether the account works; creates nothing.
 * @throws OperatorError when there is no such account, or it does not work
 */
export async function testAccount(
  environment: Environment,
  { context, carrier: name, json }: NamedAccount,
): Promise<ExitCode> {
  const carrier = await carrierNamed(name);
  const sentence = await withStore(environment, async (store, config) => {
    const stored = await storedAccount(store, context, name);
    return probe(carrier, stored, config);
  });
  if (json) writeJson(environment.stdout, { context, carrier: name, works: true, detail: sentence });
  else environment.stdout.write(`${sentence}\n`);
  return exitCodes.done;
}

/** @throws OperatorError when there is no such account */
export async function removeAccount(
  environment: Environment,
  { context, carrier, json }: NamedAccount,
): Promise<ExitCode> {
  await withStore(environment, async (store) => {
    const account = await storedAccount(store, context, carrier);
    await removeCarrierAccount(store.db, context, carrier);
    await recordCommand(environment, store, {
      action: 'carrier-account.remove',
      target: `${context}/${carrier}`,
      activityCodes: [account.owner],
    });
  });
  if (json) writeJson(environment.stdout, { context, carrier, removed: true });
  else
    environment.stdout.write(
      `The account of context ${context} at ${carrier} is removed. Labels that were made with it are kept: an ` +
        'account of the same context, carrier and activity finds them again.\n',
    );
  return exitCodes.done;
}

async function probe(carrier: Carrier, stored: StoredCarrierAccount, config: Config): Promise<string> {
  if (carrier.probe === null)
    return `${carrier.title} has nothing that could be asked without creating a parcel; the settings are complete.`;
  const account = await accountOf(stored, carrier, createAccountCipher(config));
  try {
    return await createHost({ limits: { ...defaultHostLimits, ...carrierTimes(config) }, onCall: () => undefined })(
      carrier.probe(account),
      carrier.origins(account),
    );
  } catch (error) {
    if (!(error instanceof CarrierError)) throw error;
    const { message, carrierCode, carrierMessage } = error;
    const said =
      carrierMessage === null || message.includes(carrierMessage) ? '' : ` ${carrier.title} says: "${carrierMessage}".`;
    throw new OperatorError(
      `The account does not work: ${message}${said}${carrierCode === null ? '' : ` Its code: ${carrierCode}.`}`,
      'Put its settings right with: ./logistics-connect carrier-account add',
    );
  }
}

async function storedAccount(
  store: Pick<Store, 'db' | 'activities'>,
  context: string,
  carrier: string,
): Promise<StoredCarrierAccount> {
  const owners = (await store.activities()).map(({ code }) => code);
  const account = await findCarrierAccount(store.db, owners, context, carrier);
  if (account === null)
    throw new OperatorError(
      `There is no account of context ${context} at ${carrier}.`,
      'See: ./logistics-connect carrier-account list',
    );
  return account;
}

async function carrierNamed(name: string): Promise<Carrier> {
  const carrier = await loadCarrier(name);
  if (carrier === null)
    throw new OperatorError(`There is no carrier ${name}.`, `Known are ${carrierNames.join(', ')}.`);
  return carrier;
}

/** Nobody should type secrets for an activity that is not there. */
async function requireActivity(environment: Environment, code: string): Promise<void> {
  const activities = await withStore(environment, (store) => store.activities());
  if (!activities.some((activity) => activity.code === code))
    throw new OperatorError(
      `There is no activity ${code}.`,
      `Add it: ./logistics-connect activity add ${code} "Its name"`,
    );
}

function wantedFaults({ context, dailyLimit }: WantedAccount): readonly string[] {
  const isNamed = /^[a-z0-9][a-z0-9._-]{0,39}$/.test(context);
  const isLimit = dailyLimit === null || (/^\d{1,7}$/.test(dailyLimit) && Number(dailyLimit) <= mostLabels);
  return [
    ...(isNamed
      ? []
      : [
          textBlock`
            A context is named with 1 to 40 lower-case letters, digits, dots, dashes and underscores, a letter or digit
            first.
          `,
        ]),
    ...(isLimit ? [] : [`--daily-limit must be a whole number from 0 to ${mostLabels}.`]),
  ];
}

function senderFaults(sender: Pairs): readonly string[] {
  const known = Object.entries(labelRequestFields).filter(([name]) => name.startsWith('exp'));
  return Object.entries(sender).flatMap(([name, value]) => {
    const field = known.find(([each]) => each === name)?.[1];
    if (field === undefined) return [`--sender takes ${known.map(([each]) => each).join(', ')}, not ${name}.`];
    return value.length > field.max ? [`--sender ${name} may have ${field.max} characters.`] : [];
  });
}

function pairsOf(texts: readonly string[], option: string, faults: string[]): Pairs {
  return Object.fromEntries(
    texts.flatMap((text) => {
      const equals = text.indexOf('=');
      if (equals > 0) return [[text.slice(0, equals), text.slice(equals + 1)] as const];
      // It may be a secret that stands where it should not.
      faults.push(`${option} takes NAME=VALUE.`);
      return [];
    }),
  );
}

function pairsText(pairs: Pairs): string {
  return Object.entries(pairs)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');
}

function described({
  owner,
  secrets,
  createdAt,
  id: _id,
  ...account
}: StoredCarrierAccount): Readonly<Record<string, unknown>> {
  return { activity: owner, ...account, hasSecrets: secrets !== null, createdAt: instantText(createdAt) };
}
