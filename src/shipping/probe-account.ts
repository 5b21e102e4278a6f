// In charge of asking a carrier whether an account works, without making anything.
import { isUseless, lackOf, lackText } from '../carriers/account-needs.ts';
import { CarrierError } from '../carriers/carrier.ts';
import type { Converse } from '../carriers/host.ts';
import type { OpenAccount } from './accounts.ts';

export interface ProbeDependencies {
  readonly converse: Converse;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** What is known of an account after it was tested. */
interface AccountProbe {
  /** Null: the carrier has nothing that could be asked without making a parcel. */
  readonly works: boolean | null;
  /** Sentences for the operator, without secrets. */
  readonly detail: string;
}

/**
 * Asks the carrier of an account whether it works; makes nothing.
 * @throws CarrierError `unavailable` or `timeout`: whether the account works is not known
 */
export async function probeAccount(
  { converse, now }: ProbeDependencies,
  { carrier, account }: Pick<OpenAccount, 'carrier' | 'account'>,
): Promise<AccountProbe> {
  const lack = lackOf(carrier, account);
  if (isUseless(carrier, lack)) return { works: false, detail: lackText(lack) };
  if (carrier.probe === null) {
    const nothing = `${carrier.title} has nothing that could be asked without creating a parcel.`;
    return { works: null, detail: `${nothing} ${lackText(lack)}`.trimEnd() };
  }
  try {
    const found = await converse(carrier.probe(account, now()), carrier.origins(account));
    return { works: true, detail: `${found} ${lackText(lack)}`.trimEnd() };
  } catch (error) {
    if (!(error instanceof CarrierError) || error.kind === 'unavailable' || error.kind === 'timeout') throw error;
    return { works: false, detail: faultText(error, carrier.title) };
  }
}

/** What a carrier said of what it refused, with its own words and code. @param title what the carrier is called */
export function faultText({ message, carrierCode, carrierMessage }: CarrierError, title: string): string {
  const said =
    carrierMessage === null || message.includes(carrierMessage) ? '' : ` ${title} says: "${carrierMessage}".`;
  return `${message}${said}${carrierCode === null ? '' : ` Its code: ${carrierCode}.`}`;
}
