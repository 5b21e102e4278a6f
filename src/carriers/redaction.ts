// Keeps the secrets of an account out of its carrier's errors, and the errors short.
import {
  type Carrier,
  type CarrierAccount,
  CarrierError,
  type CarrierExchange,
  type CarrierAnswer,
  type CarrierRequest,
} from './carrier.ts';
import { shortened } from './carrier-messages.ts';
import { isSupported } from './desk.ts';

/**
 * The same carrier, but its errors never repeat a secret of the account or an access token, even if the carrier echoes
 * it, and texts of the carrier in them are short.
 */
export function withRedaction(carrier: Carrier): Carrier {
  const { createLabel, fetchLabel, track, probe } = carrier;
  const { voidLabel, findPoints, dryRun, handover } = carrier.desk;
  const { close } = handover;
  const secretsOf = ({ settings }: CarrierAccount): readonly string[] =>
    carrier.settings.flatMap(({ name, secret }) => (secret === true ? [settings[name] ?? ''] : []));
  return {
    ...carrier,
    createLabel: createLabel && ((task) => concealing(createLabel(task), secretsOf(task.account))),
    fetchLabel: fetchLabel && ((task) => concealing(fetchLabel(task), secretsOf(task.account))),
    track: track && ((task) => concealing(track(task), secretsOf(task.account))),
    probe: probe && ((account, now) => concealing(probe(account, now), secretsOf(account))),
    desk: {
      voidLabel: isSupported(voidLabel) ? (task) => concealing(voidLabel(task), secretsOf(task.account)) : voidLabel,
      findPoints: isSupported(findPoints)
        ? (task) => concealing(findPoints(task), secretsOf(task.account))
        : findPoints,
      dryRun: isSupported(dryRun) ? (task) => concealing(dryRun(task), secretsOf(task.account)) : dryRun,
      handover: {
        ...handover,
        close: isSupported(close) ? (task) => concealing(close(task), secretsOf(task.account)) : close,
      },
    },
  };
}

async function* concealing<T>(
  exchange: CarrierExchange<T>,
  secrets: readonly string[],
): AsyncGenerator<CarrierRequest, T, CarrierAnswer> {
  const hidden = new Set(secrets);
  try {
    let step = await exchange.next();
    while (step.done !== true) {
      hidden.add(credentialsIn(step.value));
      let answer: CarrierAnswer;
      try {
        answer = yield step.value;
      } catch (error) {
        step = await exchange.throw(error);
        continue;
      }
      step = await exchange.next(answer);
    }
    return step.value;
  } catch (error) {
    throw error instanceof CarrierError ? concealed(error, [...hidden]) : error;
  }
}

/** The part of the header Authorization after the scheme; '' if there is none. */
function credentialsIn({ headers }: CarrierRequest): string {
  return headers.Authorization?.replace(/^\w+ /, '') ?? '';
}

/** Far more than a sentence with a carrier's message and the numbers of all parcels has. */
const maxSentenceLength = 4000;
/** More than a label request has fields. */
const maxReasons = 100;
/** Shorter texts may occur in any sentence. */
const minSecretLength = 4;

function concealed(error: CarrierError, secrets: readonly string[]): CarrierError {
  // The longest first: one may be part of another.
  const longestFirst = secrets
    .filter(({ length }) => length >= minSecretLength)
    .toSorted((left, right) => right.length - left.length);
  const hide = (text: string): string => longestFirst.reduce(hiding, text);
  const { kind, message, carrierCode, carrierMessage, reasons, acted, parcels, given, voided } = error;
  return new CarrierError(kind, hide(shortened(message, maxSentenceLength)), {
    carrierCode: carrierCode && hide(shortened(carrierCode)),
    carrierMessage: carrierMessage && hide(shortened(carrierMessage)),
    reasons: reasons.slice(0, maxReasons).map((reason) => ({ ...reason, detail: hide(shortened(reason.detail)) })),
    acted,
    parcels,
    given,
    voided,
  });
}

/** A text without a secret, even if `shortened` has joined its blanks or truncated it. */
function hiding(text: string, secret: string): string {
  const joined = shortened(secret);
  const shown = text.replaceAll(secret, '…').replaceAll(joined, '…');
  const begun = Array.from(
    { length: Math.max(0, joined.length - minSecretLength) },
    (_, index) => `${joined.slice(0, joined.length - 1 - index)}…`,
  );
  return begun.reduce((left, start) => left.replaceAll(start, '…'), shown);
}
