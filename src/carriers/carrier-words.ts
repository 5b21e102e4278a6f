// What a carrier says in an error, made fit to be handed on: short, on one line, without the account's secrets.
import {
  type Carrier,
  type CarrierAccount,
  CarrierError,
  type Conversation,
  type WireAnswer,
  type WireRequest,
} from './carrier.ts';

/** A carrier's own code and wording, '' where it gave none. */
export interface Said {
  readonly code: string;
  readonly message: string;
}

const longestMessage = 500;

/** The carrier's code and wording as an error has them. */
export function quoted({ code, message }: Said): {
  readonly carrierCode: string | null;
  readonly carrierMessage: string | null;
} {
  return {
    carrierCode: code === '' ? null : shortened(code),
    carrierMessage: message === '' ? null : shortened(message),
  };
}

/**
 * One sentence with the carrier's wording in it, where there is one.
 * @param sentence without a full stop
 */
export function saying(sentence: string, { message }: Said): string {
  return message === '' ? `${sentence}.` : `${sentence}: "${shortened(message)}".`;
}

/**
 * The error of a status that says nothing of what was asked: access denied, too many requests, the carrier failed.
 * @param title of the carrier
 * @returns null for every other status
 */
export function accessError(title: string, { status }: WireAnswer, said: Said): CarrierError | null {
  if (status === 401 || status === 403)
    return new CarrierError(
      'configuration',
      saying(`${title} does not let this account in (status ${status}); its settings must be put right`, said),
      quoted(said),
    );
  if (status === 429)
    return new CarrierError('unavailable', saying(`${title} takes no more requests of this account for now`, said), {
      ...quoted(said),
      acted: 'no',
    });
  if (status >= 500)
    return new CarrierError('unavailable', saying(`${title} failed with status ${status}`, said), quoted(said));
  return null;
}

/**
 * An answer that makes no sense.
 * @param lack what was to be there and is not, as in `the answer holds …`
 */
export function senseless(title: string, lack: string): CarrierError {
  return new CarrierError('unavailable', `The answer of ${title} makes no sense: it holds ${lack}.`);
}

/**
 * The label of a parcel that may have been made: the caller must know of it before it asks again.
 * @param numbers of the parcels that are known to exist
 */
export function afterCreation(error: unknown, title: string, numbers: readonly string[]): unknown {
  if (!(error instanceof CarrierError) || numbers.length === 0) return error;
  const made = numbers.length === 1 ? `The parcel ${numbers[0]} exists` : `The parcels ${numbers.join(', ')} exist`;
  const { kind, message, carrierCode, carrierMessage, faults } = error;
  return new CarrierError(kind, `${made} at ${title} all the same. ${message}`, {
    carrierCode,
    carrierMessage,
    faults,
    acted: 'unknown',
    parcels: numbers,
  });
}

/** What stands behind the machine: no query, no slash at its end. */
const pathPattern = '(/[^\\s?#@]*[^\\s/?#@])?';

/** What an address in the settings must look like: secrets go there, so that it is protected, or on this machine. */
export const addressPattern = `(https://[^\\s/?#@]+|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])(:\\d+)?)${pathPattern}`;

/** The same for a server of the operator's own, which may stand in a network that is protected as a whole. */
export const ownAddressPattern = `https?://[^\\s/?#@]+${pathPattern}`;

/** Origins of addresses; what is no address has none, and nothing can be asked of it. */
export function originsOf(...addresses: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(addresses.flatMap((address) => URL.parse(address ?? '')?.origin ?? []))];
}

/**
 * The same carrier, whose errors never repeat a secret of the account or an access token, even where the carrier echoes
 * it.
 */
export function keepingSecrets(carrier: Carrier): Carrier {
  const { createLabel, fetchLabel, track, probe } = carrier;
  const secretsOf = ({ settings }: CarrierAccount): readonly string[] =>
    carrier.settings.flatMap(({ name, secret }) => (secret === true ? [settings[name] ?? ''] : []));
  return {
    ...carrier,
    createLabel: createLabel && ((task) => concealing(createLabel(task), secretsOf(task.account))),
    fetchLabel: fetchLabel && ((task) => concealing(fetchLabel(task), secretsOf(task.account))),
    track: track && ((task) => concealing(track(task), secretsOf(task.account))),
    probe: probe && ((account) => concealing(probe(account), secretsOf(account))),
  };
}

async function* concealing<T>(
  conversation: Conversation<T>,
  secrets: readonly string[],
): AsyncGenerator<WireRequest, T, WireAnswer> {
  const hidden = new Set(secrets);
  try {
    let step = await conversation.next();
    while (step.done !== true) {
      hidden.add(credentialsIn(step.value));
      let answer: WireAnswer;
      try {
        answer = yield step.value;
      } catch (error) {
        step = await conversation.throw(error);
        continue;
      }
      step = await conversation.next(answer);
    }
    return step.value;
  } catch (error) {
    throw error instanceof CarrierError ? concealed(error, [...hidden]) : error;
  }
}

/** What stands behind the scheme in the header Authorization; '' where there is none. */
function credentialsIn({ headers }: WireRequest): string {
  return headers.Authorization?.replace(/^\w+ /, '') ?? '';
}

/** Shorter texts may stand in any sentence. */
const shortestSecret = 4;

function concealed(error: CarrierError, secrets: readonly string[]): CarrierError {
  // The longest first: one may be part of another.
  const longestFirst = secrets
    .filter(({ length }) => length >= shortestSecret)
    .toSorted((left, right) => right.length - left.length);
  const hide = (text: string): string => longestFirst.reduce(hiding, text);
  const { kind, message, carrierCode, carrierMessage, faults, acted, parcels } = error;
  return new CarrierError(kind, hide(message), {
    carrierCode: carrierCode && hide(carrierCode),
    carrierMessage: carrierMessage && hide(carrierMessage),
    faults: faults.map((fault) => ({ ...fault, detail: hide(fault.detail) })),
    acted,
    parcels,
  });
}

/** A text without a secret, also where `shortened` has joined its blanks or cut it off. */
function hiding(text: string, secret: string): string {
  const joined = shortened(secret);
  const shown = text.replaceAll(secret, '…').replaceAll(joined, '…');
  const begun = Array.from(
    { length: Math.max(0, joined.length - shortestSecret) },
    (_, index) => `${joined.slice(0, joined.length - 1 - index)}…`,
  );
  return begun.reduce((left, start) => left.replaceAll(start, '…'), shown);
}

/** Control characters would break lines of a log; the rest stays as the carrier wrote it. */
function shortened(text: string): string {
  const line = text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  return line.length > longestMessage ? `${line.slice(0, longestMessage - 1)}…` : line;
}
