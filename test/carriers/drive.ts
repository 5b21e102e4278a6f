// Drives exchanges with carriers in tests: against recorded answers, or over a socket against a simulator.
import type { Reason } from '../../src/model/record.ts';
import type {
  CarrierAccount,
  Carrier,
  CarrierExchange,
  CarrierAnswer,
  CarrierRequest,
} from '../../src/carriers/carrier.ts';
import { CarrierError } from '../../src/carriers/carrier.ts';
import { ownList, type ShippingDesk } from '../../src/carriers/desk.ts';
import { type LabelRequest, labelRequestFields } from '../../src/model/shipping.ts';

/** How an exchange went: what was asked, and what came of it. */
export interface Driven<T> {
  readonly requests: readonly CarrierRequest[];
  readonly result: T | null;
  /** What was thrown; anything but a CarrierError is a bug of the carrier. */
  readonly error: unknown;
}

/** What a made-up carrier offers to the shipping desk. */
export const noDesk: ShippingDesk = {
  voidLabel: { instead: 'There is no way.' },
  findPoints: { instead: 'There is no way.' },
  dryRun: { instead: 'There is no way.' },
  handover: ownList,
};

/** A label request in canonical form: '' where nothing is said. */
export function labelRequest(values: Partial<LabelRequest>): LabelRequest {
  const empty = Object.fromEntries(Object.keys(labelRequestFields).map((name) => [name, '']));
  return { ...empty, ...values } as LabelRequest;
}

/** An account with the defaults of the carrier's settings filled in, as the host fills them in. */
export function carrierAccount(carrier: Carrier, settings: Readonly<Record<string, string>>): CarrierAccount {
  const defaults = carrier.settings.map(({ name, otherwise }) => [name, otherwise ?? ''] as const);
  return { settings: { ...Object.fromEntries(defaults), ...settings } };
}

/** An answer as it would come from the wire. */
export function answer(
  body: string | Buffer,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): CarrierAnswer {
  return { status, headers, body: Buffer.from(body) };
}

/**
 * Gives recorded answers, in their order; an Error among them is thrown into the exchange, as the host does when a
 * call fails. Asking more often than was recorded is an error.
 */
export async function replay<T>(
  exchange: CarrierExchange<T>,
  answers: readonly (CarrierAnswer | Error)[],
): Promise<Driven<T>> {
  let count = 0;
  return drive(exchange, async () => {
    const next = answers[count];
    count += 1;
    if (next === undefined)
      throw new Error(`the exchange asked for answer ${count}, and ${answers.length} were recorded`);
    return next;
  });
}

/** Asks a simulator over its socket. Requests go nowhere but to the origins, as with the host. */
export async function callCarrier<T>(
  exchange: CarrierExchange<T>,
  origins: readonly string[],
  timeout = timeLimitFor(),
): Promise<Driven<T>> {
  return drive(exchange, async ({ method, url, headers, body }) => {
    if (!origins.includes(new URL(url).origin))
      return new CarrierError('configuration', `not an origin of the account: ${new URL(url).origin}`);
    try {
      const response = await fetch(url, {
        method,
        headers,
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeout),
      });
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: Buffer.from(await response.arrayBuffer()),
      };
    } catch (error) {
      const isLate = error instanceof Error && error.name === 'TimeoutError';
      return new CarrierError(
        isLate ? 'timeout' : 'unavailable',
        isLate ? 'The carrier did not answer in time.' : 'The carrier cannot be reached.',
      );
    }
  });
}

/**
 * How long `callCarrier` waits for the answer to a request with this reference: long, however busy the machine is, but
 * where the simulator gives none.
 * @returns milliseconds
 */
export function timeLimitFor(reference = ''): number {
  return reference.startsWith('FAULTMUTE') ? 300 : 30_000;
}

/** The result of an exchange that must have gone well. */
export function resultOf<T>({ result, error }: Driven<T>): T {
  if (error !== null || result === null) throw error ?? new Error('the exchange gave no result');
  return result;
}

/** The CarrierError of an exchange that must have failed. */
export function failureOf<T>({ result, error }: Driven<T>): CarrierError {
  if (error instanceof CarrierError) return error;
  throw error ?? new Error(`the exchange should have failed, but gave ${JSON.stringify(result)}`);
}

async function drive<T>(
  exchange: CarrierExchange<T>,
  ask: (request: CarrierRequest) => Promise<CarrierAnswer | Error>,
): Promise<Driven<T>> {
  const requests: CarrierRequest[] = [];
  try {
    let step = await exchange.next();
    while (step.done !== true) {
      requests.push(step.value);
      const given = await ask(step.value);
      step = given instanceof Error ? await exchange.throw(given) : await exchange.next(given);
    }
    return { requests, result: step.value, error: null };
  } catch (error) {
    return { requests, result: null, error };
  }
}

/** The field of a request that a reason is about. */
export function fieldOf({ pointer }: Reason): string {
  return pointer.slice(1);
}

/** A reason as `destZip required`. */
export function inBrief(reason: Reason): string {
  return `${fieldOf(reason)} ${reason.code}`;
}
