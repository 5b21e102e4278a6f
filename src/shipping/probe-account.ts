// Asks a carrier whether an account works, without creating anything.
import { isUseless, lackOf, lackText } from '../carriers/account-needs.ts';
import { CarrierError } from '../carriers/carrier.ts';
import type { CallCarrier } from '../carriers/host.ts';
import type { OpenAccount } from './accounts.ts';

export interface ProbeDependencies {
  readonly callCarrier: CallCarrier;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The result of testing an account. */
interface AccountProbe {
  /** Null: the carrier offers no request that creates no parcel. */
  readonly works: boolean | null;
  /** Sentences for the operator, without secrets. */
  readonly detail: string;
}

/**
 * Asks an account's carrier whether it works, without creating anything.
 * @throws CarrierError `unavailable` or `timeout`: it is unknown whether the account works
 */
export async function probeAccount(
  { callCarrier, now }: ProbeDependencies,
  { carrier, account }: Pick<OpenAccount, 'carrier' | 'account'>,
): Promise<AccountProbe> {
  const lack = lackOf(carrier, account);
  if (isUseless(carrier, lack)) return { works: false, detail: lackText(lack) };
  if (carrier.probe === null) {
    const nothing = `${carrier.title} has nothing that could be asked without creating a parcel.`;
    return { works: null, detail: `${nothing} ${lackText(lack)}`.trimEnd() };
  }
  try {
    const found = await callCarrier(carrier.probe(account, now()), carrier.origins(account));
    return { works: true, detail: `${found} ${lackText(lack)}`.trimEnd() };
  } catch (error) {
    if (!(error instanceof CarrierError) || error.kind === 'unavailable' || error.kind === 'timeout') throw error;
    return { works: false, detail: faultText(error, carrier.title) };
  }
}

/** A carrier's refusal, with its own words and code. @param title name of the carrier */
export function faultText({ message, carrierCode, carrierMessage }: CarrierError, title: string): string {
  const said =
    carrierMessage === null || message.includes(carrierMessage) ? '' : ` ${title} says: "${carrierMessage}".`;
  return `${message}${said}${carrierCode === null ? '' : ` Its code: ${carrierCode}.`}`;
}
