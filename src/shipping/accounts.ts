// Finds the carrier account that a path names by context and carrier, with its settings in the form that the carrier
// expects.
import type { LRUCache } from 'lru-cache';
import type { Cipher } from '../auth/cipher.ts';
import { type AccountUse, lackOf } from '../carriers/account-needs.ts';
import type { Carrier, CarrierAccount } from '../carriers/carrier.ts';
import { createGrowingCache } from '../model/growing-cache.ts';
import type { Call } from '../http/route.ts';
import { readText } from '../model/filter-values.ts';
import { OperatorError } from '../model/operator-error.ts';
import { Problem } from '../model/problem.ts';
import { type StoredCarrierAccount, textsOfJson } from '../store/carrier-accounts.ts';
import type { StoredLabel } from '../store/labels.ts';
import type { Store } from '../store/store.ts';

export interface AccountDependencies {
  readonly store: Pick<Store, 'carrierAccounts'>;
  /** The carrier with this name, or null. */
  readonly loadCarrier: (name: string) => Promise<Carrier | null>;
  /** Decrypts the secrets of accounts. */
  readonly cipher: Cipher;
  /** Called for an account that does not work, which the client cannot fix. */
  readonly onFault: (fault: AccountFault) => void;
}

/** The fault of an account, without secrets. */
interface AccountFault {
  readonly activity: string;
  readonly context: string;
  readonly carrier: string;
  readonly detail: string;
}

/** An account, ready to be used. */
export interface OpenAccount {
  readonly stored: StoredCarrierAccount;
  readonly carrier: Carrier;
  readonly account: CarrierAccount;
}

/**
 * Makes the function that finds the account of a request (decision D23). Secrets are decrypted once per account and
 * process.
 * @returns function that throws Problem `resource-not-found`, the same for an account that does not exist and for
 *   somebody else's, and `carrier-unavailable` when its secrets cannot be decrypted
 */
export function accountFinder({
  store,
  loadCarrier,
  cipher,
  onFault,
}: AccountDependencies): (call: Call) => Promise<OpenAccount> {
  const opened = createOpenSecrets();
  return async (call) => {
    const { context = '', carrier: name = '' } = call.params;
    // No engine is queried for text that none of them can hold.
    const stored =
      readText(context) === context && readText(name) === name
        ? await store.carrierAccounts.find(call.principal.activityCodes, context, name)
        : null;
    const carrier = stored === null ? null : await loadCarrier(name);
    if (carrier === null || stored === null) throw await unknownAccount(store, call.principal.activityCodes, context);
    try {
      return { stored, carrier, account: await accountOf(stored, carrier, cipher, opened) };
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      onFault({ activity: stored.activity, context, carrier: name, detail: `${error.message} ${error.remedy}` });
      throw new Problem(
        'carrier-unavailable',
        'The account at the carrier does not work: its secrets cannot be read. Tell whoever runs the service.',
      );
    }
  };
}

/**
 * Makes the function that chooses the account with which to ask a carrier about a label: the account that made it, if
 * that is another account of the activity at the same carrier, still exists, and is able to; otherwise the one of the
 * request. Some carriers know a parcel only under the account that made it, and an account may be for labels or for
 * tracking only.
 */
export function createAccountChooser({
  store,
  cipher,
}: Pick<AccountDependencies, 'store' | 'cipher'>): (
  opened: OpenAccount,
  label: StoredLabel | null,
  use: AccountUse,
) => Promise<OpenAccount> {
  const secrets = createOpenSecrets();
  return async (opened, label, use) => {
    const { carrier, stored } = opened;
    if (label === null || label.context === stored.context) return opened;
    const maker = await store.carrierAccounts.find([stored.activity], label.context, carrier.name);
    if (maker === null) return opened;
    try {
      const account = await accountOf(maker, carrier, cipher, secrets);
      return lackOf(carrier, account)[use] === null ? { stored: maker, carrier, account } : opened;
    } catch (error) {
      if (error instanceof OperatorError) return opened;
      throw error;
    }
  };
}

/**
 * Says whether the context or the carrier is unknown, and lists the client's own. Somebody else's context is reported
 * like one that does not exist.
 */
async function unknownAccount(
  store: AccountDependencies['store'],
  activities: readonly string[],
  context: string,
): Promise<Problem> {
  const own = await store.carrierAccounts.ofActivities(activities);
  const carriers = own.filter((account) => account.context === context).map(({ carrier }) => carrier);
  const contexts = [...new Set(own.map((account) => account.context))];
  const detail =
    carriers.length > 0
      ? `The context is known, but not this carrier in it. Its carriers are: ${shown(carriers)}.`
      : contexts.length > 0
        ? `No activity of this token has this context. Their contexts are: ${shown(contexts)}.`
        : 'No activity of this token has an account at a carrier.';
  return new Problem('resource-not-found', detail);
}

/** The first twenty names. */
function shown(names: readonly string[]): string {
  return names.slice(0, 20).join(', ');
}

/**
 * Secrets by their encrypted text; including those being decrypted, because decryption takes a tenth of a second and
 * much memory.
 */
export type OpenSecrets = ReturnType<typeof createOpenSecrets>;

const maxOpen = 1000;

export function createOpenSecrets(): LRUCache<string, Promise<Readonly<Record<string, string>>>> {
  return createGrowingCache(maxOpen);
}

/** The settings of an account, including its secrets and the carrier's defaults. */
export async function accountOf(
  { settings, secrets: encrypted }: StoredCarrierAccount,
  carrier: Carrier,
  cipher: Cipher,
  opened: OpenSecrets = createOpenSecrets(),
): Promise<CarrierAccount> {
  const secrets = encrypted === null ? {} : await (opened.get(encrypted) ?? openSecrets(encrypted, cipher, opened));
  return completeAccount(carrier, { ...settings, ...secrets });
}

/** An account with these settings, completed by the carrier's defaults. */
export function completeAccount(carrier: Carrier, settings: Readonly<Record<string, string>>): CarrierAccount {
  const defaults = Object.fromEntries(carrier.settings.map(({ name, otherwise = '' }) => [name, otherwise]));
  return { settings: { ...defaults, ...settings } };
}

function openSecrets(
  encrypted: string,
  cipher: Cipher,
  opened: OpenSecrets,
): Promise<Readonly<Record<string, string>>> {
  const opening = cipher.decrypt(encrypted).then(textsOfJson);
  opened.set(encrypted, opening);
  // Decryption may succeed later, once the operator has restored the key.
  opening.catch(() => opened.delete(encrypted));
  return opening;
}
