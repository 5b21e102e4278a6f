// Carrier accounts over HTTP: which activity ships with which carrier, whether each account is complete, and whether
// its carrier accepts it.
import { lackOf } from '../carriers/account-needs.ts';
import type { Answer, Call } from '../http/route.ts';
import { formatInstant } from '../model/instant.ts';
import { OperatorError } from '../model/operator-error.ts';
import { singleParameters } from '../model/parameters.ts';
import {
  type AccountDependencies,
  accountFinder,
  accountOf,
  createOpenSecrets,
  type OpenSecrets,
} from '../shipping/accounts.ts';
import { carrierProblem } from '../shipping/carrier-problems.ts';
import { probeAccount, type ProbeDependencies } from '../shipping/probe-account.ts';
import type { StoredCarrierAccount } from '../store/carrier-accounts.ts';
import { json } from './feed-lines.ts';

/** The most accounts of one answer. */
const maxAccounts = 1000;

/**
 * `GET /platform/shippings/accounts`: the accounts of the caller's activities, by activity, context and carrier. Only
 * the names of settings are shown, so that secret ones stay secret.
 */
export function listCarrierAccounts(dependencies: AccountDependencies): (call: Call) => Promise<Answer> {
  const { store } = dependencies;
  const opened = createOpenSecrets();
  return async (call) => {
    singleParameters(call.query, []);
    const open = new Set(call.principal.activityCodes);
    const accounts = (await store.carrierAccounts.list()).filter(({ activity }) => open.has(activity));
    const told: object[] = [];
    for (const account of accounts.slice(0, maxAccounts))
      told.push(await publishedAccount(account, dependencies, opened));
    return json({ accounts: told, more: accounts.length > maxAccounts });
  };
}

/**
 * `POST /platform/shippings/accounts/{context}/{carrier}/test`: asks the carrier whether the account works, without
 * creating anything. Neither settings nor secrets are shown.
 * @throws Problem `resource-not-found`; `carrier-unavailable`, `carrier-timeout` when it cannot be determined
 */
export function testCarrierAccount(
  dependencies: AccountDependencies & ProbeDependencies,
): (call: Call) => Promise<Answer> {
  const findAccount = accountFinder(dependencies);
  return async (call) => {
    singleParameters(call.query, []);
    const opened = await findAccount(call);
    const { activity, context, carrier } = opened.stored;
    try {
      const { works, detail } = await probeAccount(dependencies, opened);
      return json({ activityCode: activity, context, carrier, works, detail });
    } catch (error) {
      throw carrierProblem(error, opened, dependencies);
    }
  };
}

/**
 * What anybody may know of an account: names of settings, and no value.
 * @param opened secrets that are decrypted already; those of the account are added
 */
export async function publishedAccount(
  stored: StoredCarrierAccount,
  { loadCarrier, cipher }: Pick<AccountDependencies, 'loadCarrier' | 'cipher'>,
  opened?: OpenSecrets,
): Promise<object> {
  const { activity, context, carrier, settings, dailyLimit, createdAt } = stored;
  const known = await loadCarrier(carrier);
  const facts = { activityCode: activity, context, carrier, title: known?.title ?? carrier };
  const rest = { settings: Object.keys(settings).toSorted(), dailyLimit, createdAt: formatInstant(createdAt) };
  const fault = (text: string): object => ({ ...facts, ...rest, labels: null, tracking: null, fault: text });
  if (known === null) return fault('This version has no such carrier.');
  try {
    const lack = lackOf(known, await accountOf(stored, known, cipher, opened));
    const useOf = (use: 'labels' | 'tracking', isThere: boolean): object => ({
      [use]: isThere ? { lacks: lack[use] } : null,
    });
    const uses = { ...useOf('labels', known.createLabel !== null), ...useOf('tracking', known.track !== null) };
    return { ...facts, ...rest, ...uses, fault: null };
  } catch (error) {
    if (error instanceof OperatorError) return fault(`${error.message} ${error.remedy}`);
    throw error;
  }
}
