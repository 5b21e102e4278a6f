// Finds the carrier account that a path names by context and carrier, with its settings as the carrier wants them.
import type { Cipher } from '../auth/cipher.ts';
import { type AccountUse, lackOf } from '../carriers/account-needs.ts';
import type { Carrier, CarrierAccount } from '../carriers/carrier.ts';
import type { Call } from '../http/route.ts';
import { readText } from '../model/filter-values.ts';
import { OperatorError } from '../model/operator-error.ts';
import { Problem } from '../model/problem.ts';
import { type StoredCarrierAccount, textsOfJson } from '../store/carrier-accounts.ts';
import type { StoredLabel } from '../store/labels.ts';
import type { Store } from '../store/store.ts';

export interface AccountDependencies {
  readonly store: Pick<Store, 'carrierAccounts'>;
  /** The carrier of a name, or null. */
  readonly loadCarrier: (name: string) => Promise<Carrier | null>;
  /** Decrypts the secrets of accounts. */
  readonly cipher: Cipher;
  /** Is told of an account that does not work: the client cannot mend it. */
  readonly onFault: (fault: AccountFault) => void;
}

/** What is wrong with an account, without secrets. */
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
 * Makes the function that finds the account of a request (decision D23). Secrets are opened once per account and
 * process.
 * @returns function that throws Problem `resource-not-found`, the same for an account that does not exist and for
 * somebody else's, and `carrier-unavailable` where its secrets cannot be opened
 */
export function accountFinder({
  store,
  loadCarrier,
  cipher,
  onFault,
}: AccountDependencies): (call: Call) => Promise<OpenAccount> {
  const opened: OpenSecrets = new Map();
  return async (call) => {
    const { context = '', carrier: name = '' } = call.params;
    // No engine is asked for what none of them holds.
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
 * Makes the function that chooses who asks a carrier about a label: the account that made it, where that is another one
 * of the activity at the same carrier, still there, and able to; else the one of the request. A carrier may know a
 * parcel by the account that made it alone, and an account may be there for labels or for tracking alone.
 */
export function askerFinder({
  store,
  cipher,
}: Pick<AccountDependencies, 'store' | 'cipher'>): (
  opened: OpenAccount,
  label: StoredLabel | null,
  use: AccountUse,
) => Promise<OpenAccount> {
  const secrets: OpenSecrets = new Map();
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
 * Says whether it is the context or the carrier that is not known, and names the client's own. What is said of a
 * context of somebody else is what is said of one that does not exist.
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
 * Secrets by their encrypted text; those that are being opened too, because opening takes a tenth of a second and much
 * memory.
 */
type OpenSecrets = Map<string, Promise<Readonly<Record<string, string>>>>;

const maxOpen = 1000;

/** The settings of an account with its secrets and the carrier's defaults. */
export async function accountOf(
  { settings, secrets: encrypted }: StoredCarrierAccount,
  carrier: Carrier,
  cipher: Cipher,
  opened: OpenSecrets = new Map(),
): Promise<CarrierAccount> {
  const secrets = encrypted === null ? {} : await (opened.get(encrypted) ?? openSecrets(encrypted, cipher, opened));
  return completeAccount(carrier, { ...settings, ...secrets });
}

/** An account with these settings, and the carrier's defaults for the rest. */
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
  if (opened.size >= maxOpen) opened.clear();
  opened.set(encrypted, opening);
  // What cannot be opened now may be once the operator has put the key back.
  opening.catch(() => opened.delete(encrypted));
  return opening;
}
