// Carrier accounts over HTTP, for administration: what a carrier wants to know of them, and accounts added, changed and
// removed. Secrets go in and never come out.
import type { Carrier } from '../../carriers/carrier.ts';
import { carrierNames } from '../../carriers/index.ts';
import type { Answer, Call } from '../../http/route.ts';
import { readText } from '../../model/filter-values.ts';
import { formatInstant } from '../../model/instant.ts';
import { OperatorError } from '../../model/operator-error.ts';
import { readChoice, singleParameters } from '../../model/parameters.ts';
import { Problem } from '../../model/problem.ts';
import {
  addCarrierAccount,
  type AccountChangeDependencies,
  changeCarrierAccount,
} from '../../shipping/account-changes.ts';
import { AccountFaults, senderFields } from '../../shipping/account-settings.ts';
import type { NewAuditEntry } from '../../store/audit-contract.ts';
import { type StoredCarrierAccount, textsOfJson } from '../../store/carrier-accounts.ts';
import { publishedAccount } from '../carrier-accounts.ts';
import { administrationEntry, asCommanded, type FieldKinds, fieldsOf, told } from './request.ts';

export interface AdministeredAccountDependencies extends AccountChangeDependencies {
  /** The carrier with this name, or null. */
  readonly loadCarrier: (name: string) => Promise<Carrier | null>;
}

type Dependencies = AdministeredAccountDependencies;

/** An account is in use while parcels of its labels may be on their way. */
const inUseDays = 30;

/** `GET /platform/shippings/carriers`: what each carrier wants to know of an account. */
export function listCarriers({ loadCarrier }: Dependencies): (call: Call) => Promise<Answer> {
  return async ({ query }) => {
    singleParameters(query, []);
    const carriers = await Promise.all(carrierNames.map(loadCarrier));
    return told({
      carriers: carriers
        .filter((carrier) => carrier !== null)
        .map(({ name, title, settings }) => ({
          carrier: name,
          title,
          settings: settings.map(({ name: setting, meaning, secret, rare, otherwise, choices }) => ({
            ...{ name: setting, meaning, secret: secret === true, required: otherwise === undefined },
            ...{ rare: rare === true, otherwise: otherwise ?? null, choices: choices ?? null },
          })),
        })),
      senderFields: senderFields.map(({ name, max }) => ({ name, maxLength: max })),
    });
  };
}

/** `GET /platform/shippings/accounts/{context}/{carrier}`. @throws Problem `resource-not-found` */
export function readAccount(dependencies: Dependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    return told(await published(await accountOfPath(dependencies, call), dependencies));
  };
}

const frameKinds = { settings: 'pairs', sender: 'pairs', dailyLimit: 'numberOrNull' } as const satisfies FieldKinds;

const namedBy = ['activityCode', 'context', 'carrier'] as const;

/**
 * `POST /platform/shippings/accounts`: adds one; never takes the place of another.
 * @throws Problem `validation-failed`, by field
 */
export function addAccount(dependencies: Dependencies): (call: Call) => Promise<Answer> {
  const { store } = dependencies;
  return async (call) => {
    const {
      activityCode: activity = '',
      context = '',
      carrier: name = '',
      settings = {},
      sender = {},
      dailyLimit = null,
    } = await fieldsOf(call, { activityCode: 'text', context: 'text', carrier: 'text', ...frameKinds }, namedBy);
    const carrier = await knownCarrier(dependencies, name);
    const wanted = { activity, context, settings, sender, dailyLimit };
    const audit = entryOf(call, 'add', { activity, context, carrier: name });
    await byField(addCarrierAccount(dependencies, carrier, wanted, { replaces: false, entryOf: () => audit }));
    const added = await store.carrierAccounts.find(null, context, name);
    if (added === null) throw notThere();
    return told(await published(added, dependencies));
  };
}

/**
 * `POST /platform/shippings/accounts/{context}/{carrier}/change`: what is left out stays, each setting and each field
 * of the sender for itself.
 * @throws Problem `resource-not-found`; `validation-failed`, by field
 */
export function changeAccount(dependencies: Dependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const wanted = await fieldsOf(call, frameKinds);
    const { carrier: name } = await accountOfPath(dependencies, call);
    const carrier = await knownCarrier(dependencies, name);
    const read = (): Promise<StoredCarrierAccount | null> => storedOfPath(dependencies, call);
    const { dailyLimit } = wanted;
    const changed = await byField(
      changeCarrierAccount(dependencies, carrier, wanted, read, ({ before, settings, sender }) => {
        // Names alone: values may be personal data, or secret.
        const details = {
          ...(settings.length > 0 && { settings }),
          ...(sender.length > 0 && { sender }),
          ...(dailyLimit !== undefined &&
            dailyLimit !== before.dailyLimit && { dailyLimit: { before: before.dailyLimit, after: dailyLimit } }),
        };
        return Object.keys(details).length === 0 ? null : entryOf(call, 'change', before, details);
      }),
    );
    const after = changed === null ? null : await read();
    if (after === null) throw notThere();
    return told(await published(after, dependencies));
  };
}

/**
 * `POST /platform/shippings/accounts/{context}/{carrier}/remove`: removes an account with its secrets; labels stay.
 * @throws Problem `resource-not-found`, `account-in-use`
 */
export function removeAccount(dependencies: Dependencies): (call: Call) => Promise<Answer> {
  const { store, now } = dependencies;
  return async (call) => {
    const given = singleParameters(call.query, ['evenInUse']);
    const evenInUse = readChoice('evenInUse', given.get('evenInUse'), ['true', 'false'], 'false') === 'true';
    const account = await accountOfPath(dependencies, call);
    const answer = await published(account, dependencies);
    const last = await store.carrierAccounts.lastLabelAt(account);
    if (!evenInUse && last !== null && isInUse(last, now())) throw inUse(account, last);
    const audit = entryOf(call, 'remove', account);
    if (!(await store.carrierAccounts.remove(account.context, account.carrier, () => audit))) throw notThere();
    return told(answer);
  };
}

function isInUse(lastLabelAt: number | null, now: number): boolean {
  return lastLabelAt !== null && now - lastLabelAt < inUseDays * 86_400_000;
}

function inUse({ context, carrier }: StoredCarrierAccount, lastLabelAt: number): Problem {
  const at = formatInstant(lastLabelAt);
  return new Problem(
    'account-in-use',
    `A label was made with the account of context ${context} at ${carrier} at ${at}: its parcel may be on its way. ` +
      'Send evenInUse=true to remove the account all the same.',
    { lastLabelAt: at },
  );
}

/** @throws Problem `validation-failed` */
async function knownCarrier({ loadCarrier }: Dependencies, name: string): Promise<Carrier> {
  const carrier = await loadCarrier(name);
  if (carrier !== null) return carrier;
  const detail = `There is no such carrier. Known are ${carrierNames.join(', ')}.`;
  throw new Problem('validation-failed', detail, { errors: { carrier: [detail] } });
}

/** @throws Problem `resource-not-found` */
async function accountOfPath(dependencies: Dependencies, call: Call): Promise<StoredCarrierAccount> {
  const account = await storedOfPath(dependencies, call);
  if (account === null) throw notThere();
  return account;
}

async function storedOfPath({ store }: Dependencies, { params }: Call): Promise<StoredCarrierAccount | null> {
  const { context = '', carrier = '' } = params;
  // No engine is queried for text that none of them can hold.
  const isText = readText(context) === context && readText(carrier) === carrier;
  return isText ? store.carrierAccounts.find(null, context, carrier) : null;
}

function notThere(): Problem {
  return new Problem('resource-not-found', 'There is no account of this context at this carrier.');
}

/** Says of each field what is wrong with it. @throws Problem `validation-failed` */
async function byField<T>(work: Promise<T>): Promise<T> {
  return asCommanded(
    work.catch((error: unknown) => {
      if (!(error instanceof AccountFaults)) throw error;
      const errors = Object.fromEntries([...error.fields].map(([field, sentence]) => [field, [sentence]]));
      throw new Problem('validation-failed', error.message, { errors });
    }),
  );
}

function entryOf(
  call: Call,
  action: 'add' | 'change' | 'remove',
  { activity, context, carrier }: Pick<StoredCarrierAccount, 'activity' | 'context' | 'carrier'>,
  details: unknown = null,
): NewAuditEntry {
  const target = `${context}/${carrier}`;
  return administrationEntry(call, {
    ...{ action: `carrier-account.${action}`, target, activityCodes: [activity], details },
  });
}

/** Values of settings that are no secrets, and the names of the secrets that it has. */
async function published(account: StoredCarrierAccount, dependencies: Dependencies): Promise<object> {
  const { settings, sender } = account;
  const last = await dependencies.store.carrierAccounts.lastLabelAt(account);
  return {
    ...(await publishedAccount(account, dependencies)),
    ...{ settings, secrets: await secretNames(account, dependencies), sender },
    ...{ lastLabelAt: last === null ? null : formatInstant(last), inUse: isInUse(last, dependencies.now()) },
  };
}

/** None where they cannot be read: then `fault` says so. */
async function secretNames({ secrets }: StoredCarrierAccount, { cipher }: Dependencies): Promise<readonly string[]> {
  if (secrets === null) return [];
  try {
    return Object.keys(textsOfJson(await cipher.decrypt(secrets))).toSorted();
  } catch (error) {
    if (error instanceof OperatorError) return [];
    throw error;
  }
}
