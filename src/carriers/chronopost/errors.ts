// Classifies Chronopost's error codes by who must act. They come with status 200; errors in the request itself come as
// faults.
import { CarrierError, type CarrierErrorFacts, type CarrierErrorKind } from '../carrier.ts';
import type { SoapFault } from '../soap.ts';
import { type XmlElement, xmlValue } from '../xml/element.ts';
import { type CarrierMessage, carrierError } from '../carrier-messages.ts';

export const title = 'Chronopost';

/** Codes without a row are refusals. */
const kinds: Readonly<Record<string, CarrierErrorKind>> = {
  1: 'unavailable',
  29: 'unavailable',
  3: 'configuration',
  // The contract number.
  30: 'configuration',
  31: 'invalid',
  32: 'invalid',
  33: 'invalid',
  34: 'invalid',
};

const sentences: Readonly<Partial<Record<CarrierErrorKind, string>>> = {
  unavailable: 'Chronopost failed over the request',
  configuration: 'Chronopost does not accept the account',
  invalid: 'Chronopost finds the shipment wrong',
};

/** One code stands for every invalid value; only the wording shows that it is about the account. */
const accountWords = /\b(account|password|mot de passe|contrat|num[eé]ro de compte)\b/i;

/** The same where wordings speak of the contract of a parcel. */
const credentialWords = /\b(account|password|mot de passe|num[eé]ro de compte)\b/i;

/** What is particular to an operation. */
interface Operation {
  /** The sentence for a refusal. */
  readonly refusal: string;
  /** Codes with another meaning there, unless the wording is about the credentials. */
  readonly ownKinds: Readonly<Record<string, CarrierErrorKind>>;
}

const shipping: Operation = { refusal: 'Chronopost refuses the shipment', ownKinds: {} };

/**
 * The error that a result reports.
 * @param result the element `return`
 * @param operation that it is the result of, if codes have another meaning there
 * @returns null if it reports none
 */
export function resultError(result: XmlElement, operation = shipping): CarrierError | null {
  const message: CarrierMessage = { code: xmlValue(result, 'errorCode'), text: xmlValue(result, 'errorMessage') };
  if (message.code === '0') return null;
  if (!/^-?\d+$/.test(message.code))
    return new CarrierError('unavailable', `The answer of ${title} makes no sense: it holds no error code.`);
  const kind = kindOf(message, operation);
  return carrierError(kind, sentences[kind] ?? operation.refusal, message);
}

function kindOf(message: CarrierMessage, { ownKinds }: Operation): CarrierErrorKind {
  const own = ownKinds[message.code];
  if (own !== undefined) return credentialWords.test(message.text) ? 'configuration' : own;
  const kind = kinds[message.code] ?? 'refused';
  return kind === 'invalid' && isOfAccount(message) ? 'configuration' : kind;
}

/** Whether a message is about the account, by its code or its wording. */
export function isOfAccount({ code, text }: CarrierMessage): boolean {
  return kinds[code] === 'configuration' || accountWords.test(text);
}

/** The error for a fault: a request that the service could not read has created nothing. */
export function faultError({ code, message }: SoapFault): CarrierError {
  const facts: CarrierErrorFacts = code === 'Client' ? { acted: 'no' } : {};
  return carrierError('unavailable', `${title} could not process the request`, { code, text: message }, facts);
}
