// Adds and changes carrier accounts: the one way for the command line and the platform interface.
import type { Cipher } from '../auth/cipher.ts';
import { type AccountLack, isUseless, lackOf, lackText } from '../carriers/account-needs.ts';
import type { Carrier } from '../carriers/carrier.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { EntryOf } from '../store/audit-contract.ts';
import { type StoredCarrierAccount, textsOfJson } from '../store/carrier-accounts.ts';
import type { Store } from '../store/store.ts';
import {
  AccountFaults,
  type AccountFrame,
  frameFaults,
  refuseFields,
  settingsFaults,
  splitSettings,
  type Texts,
} from './account-settings.ts';
import { completeAccount } from './accounts.ts';

export interface AccountChangeDependencies {
  readonly store: Pick<Store, 'activities' | 'carrierAccounts'>;
  /** Encrypts and decrypts the secrets of accounts. */
  readonly cipher: Cipher;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A new account. */
interface WantedAccount extends Required<AccountFrame> {
  readonly activity: string;
  /** With the secrets. '' stands for the default. */
  readonly settings: Texts;
}

/**
 * Adds an account.
 * @param replaces whether it takes the place of the one with this context and carrier
 * @throws AccountFaults that has all faults; OperatorError when it cannot be stored
 */
export async function addCarrierAccount(
  { store, cipher, now }: AccountChangeDependencies,
  carrier: Carrier,
  wanted: WantedAccount,
  { replaces, entryOf }: { readonly replaces: boolean; readonly entryOf?: EntryOf<'added' | 'changed'> },
): Promise<{ readonly outcome: 'added' | 'changed'; readonly lack: AccountLack }> {
  const { activity, context, sender, dailyLimit } = wanted;
  const isKnown = /^[A-Z0-9]{1,3}$/.test(activity) && (await store.activities.named([activity])).length > 0;
  refuseFields(
    new Map(
      isKnown ? [] : [['activityCode', activity === '' ? 'Which activity?' : `There is no activity ${activity}.`]],
    ),
    frameFaults(wanted),
    settingsFaults(carrier, wanted.settings),
  );
  const { settings, secrets } = splitSettings(carrier, wanted.settings);
  const lack = usableLack(carrier, { ...settings, ...secrets });
  const stored = await encrypted(secrets, cipher);
  const account = { activity, context, carrier: carrier.name, settings, secrets: stored, sender, dailyLimit };
  if (replaces) return { outcome: await store.carrierAccounts.put(account, now(), entryOf), lack };
  if (await store.carrierAccounts.add(account, now(), entryOf)) return { outcome: 'added', lack };
  const taken = `The context ${context} has an account at ${carrier.title} already`;
  throw new AccountFaults(new Map([['context', `${taken}: change that one, or choose another name.`]]));
}

/** What is to change in an account; what is left out stays. */
interface WantedChange extends Omit<AccountFrame, 'context'> {
  /** By name, with the secrets: the settings that are not named stay. '' stands for the default. */
  readonly settings?: Texts;
  /** By name: the fields that are not named stay. '' removes one. */
  readonly sender?: Texts;
}

/** An account before a change, and the names of the settings that differ, secrets among them, and of the sender's. */
interface ChangedAccount {
  readonly before: StoredCarrierAccount;
  readonly settings: readonly string[];
  readonly sender: readonly string[];
}

/** How often a change is tried again that another one has overtaken. */
const maxTries = 10;

/**
 * Changes an account. Two changes at once both count where they name different settings, or different fields of the
 * sender.
 * @param read the account as it is stored now; null: there is none any more
 * @returns null: there is none
 * @throws AccountFaults that has all faults; OperatorError when its secrets can be neither read nor stored
 */
export async function changeCarrierAccount(
  { store, cipher }: Omit<AccountChangeDependencies, 'now'>,
  carrier: Carrier,
  wanted: WantedChange,
  read: () => Promise<StoredCarrierAccount | null>,
  entryOf?: EntryOf<ChangedAccount>,
): Promise<ChangedAccount | null> {
  const { settings: given, ...frame } = wanted;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const before = await read();
    if (before === null) return null;
    refuseFields(frameFaults(frame));
    const next = given === undefined ? null : await mergedSettings(before, carrier, given, cipher);
    const { sender = {}, dailyLimit } = frame;
    const differing = Object.keys(sender).filter((name) => sender[name] !== (before.sender[name] ?? ''));
    const change = {
      ...next?.stored,
      ...(differing.length > 0 && { sender: withoutEmpty({ ...before.sender, ...sender }) }),
      ...(dailyLimit !== undefined && { dailyLimit }),
    };
    const changed = { before, settings: next?.changed ?? [], sender: differing };
    const entry = entryOf && (() => entryOf(changed));
    if (Object.keys(change).length === 0 || (await store.carrierAccounts.change(before, change, entry))) return changed;
  }
  throw new OperatorError('The account is being changed by others all the time.', 'Try again.');
}

/** The settings of an account with those of a change in their place. */
async function mergedSettings(
  before: StoredCarrierAccount,
  carrier: Carrier,
  given: Texts,
  cipher: Cipher,
): Promise<{
  readonly stored: Pick<StoredCarrierAccount, 'settings' | 'secrets'>;
  readonly changed: readonly string[];
}> {
  const secretsBefore = await secretsOf(before, carrier, given, cipher);
  const all: Texts = { ...before.settings, ...secretsBefore };
  const merged = { ...all, ...given };
  refuseFields(settingsFaults(carrier, merged), elsewhereFaults(carrier, { all, merged, given, secretsBefore }));
  const { settings, secrets } = splitSettings(carrier, merged);
  usableLack(carrier, { ...settings, ...secrets });
  const isSame = JSON.stringify(sorted(secrets)) === JSON.stringify(sorted(secretsBefore));
  return {
    stored: { settings, secrets: isSame ? before.secrets : await encrypted(secrets, cipher) },
    changed: Object.keys(given).filter((name) => (merged[name] ?? '') !== (all[name] ?? '')),
  };
}

/**
 * The secrets of an account. Where the key to them is lost, entering secrets anew is the way out: then there are none.
 * @throws OperatorError when they cannot be read, and none is entered
 */
async function secretsOf(
  { secrets }: StoredCarrierAccount,
  carrier: Carrier,
  given: Texts,
  cipher: Cipher,
): Promise<Texts> {
  if (secrets === null) return {};
  try {
    return textsOfJson(await cipher.decrypt(secrets));
  } catch (error) {
    if (error instanceof OperatorError && Object.keys(splitSettings(carrier, given).secrets).length > 0) return {};
    throw error;
  }
}

/**
 * A secret that is kept is sent to no other server than before: else whoever may change an account could have its
 * secrets sent to a server of their own.
 */
function elsewhereFaults(
  carrier: Carrier,
  of: { readonly all: Texts; readonly merged: Texts; readonly given: Texts; readonly secretsBefore: Texts },
): ReadonlyMap<string, string> {
  const told = (settings: Texts) => splitSettings(carrier, settings);
  const originsOf = (settings: Texts): readonly string[] => {
    const { settings: open, secrets } = told(settings);
    return carrier.origins(completeAccount(carrier, { ...open, ...secrets }));
  };
  const known = originsOf(of.all);
  if (originsOf(of.merged).every((origin) => known.includes(origin))) return new Map();
  const kept = Object.keys(of.secretsBefore).filter((name) => of.given[name] === undefined);
  return new Map(
    kept.map((name) => [
      `settings.${name}`,
      `The account would be used at another address: enter ${name} again, since a stored secret is sent to no other.`,
    ]),
  );
}

/** @throws AccountFaults when an account with these settings could do nothing at all */
function usableLack(carrier: Carrier, settings: Texts): AccountLack {
  const lack = lackOf(carrier, completeAccount(carrier, settings));
  if (isUseless(carrier, lack))
    throw new AccountFaults(
      new Map([['settings', `The account could do nothing at ${carrier.title}. ${lackText(lack)}`]]),
    );
  return lack;
}

async function encrypted(secrets: Texts, cipher: Cipher): Promise<string | null> {
  return Object.keys(secrets).length === 0 ? null : cipher.encrypt(JSON.stringify(secrets));
}

function withoutEmpty(texts: Texts): Texts {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

function sorted(texts: Texts): readonly (readonly [string, string])[] {
  return Object.entries(texts).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
