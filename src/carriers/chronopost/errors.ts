// Chronopost's error codes, by who must act. They come with status 200; what is wrong in the request itself comes as a
// fault.
import { CarrierError, type CarrierErrorKind } from '../carrier.ts';
import { quoted, type Said, saying } from '../carrier-words.ts';
import type { SoapFault } from '../soap.ts';
import { type XmlElement, xmlValue } from '../xml.ts';

export const title = 'Chronopost';

/** Codes that no row has are refusals. */
const kinds: Readonly<Record<string, CarrierErrorKind>> = {
  1: 'unavailable',
  29: 'unavailable',
  3: 'configuration',
  31: 'invalid',
  32: 'invalid',
  33: 'invalid',
  34: 'invalid',
};

const sentences: Readonly<Partial<Record<CarrierErrorKind, string>>> = {
  unavailable: 'Chronopost failed over the request',
  configuration: 'Chronopost does not accept the account',
  invalid: 'Chronopost finds the shipment wrong',
  refused: 'Chronopost refuses the shipment',
};

/** One code stands for every invalid value; only the wording tells that it is the account. */
const ofAccount = /\b(account|password|mot de passe|contrat|num[eé]ro de compte)\b/i;

/**
 * The error that a result tells of.
 * @param result the element `return`
 * @returns null where it tells of none
 */
export function resultError(result: XmlElement): CarrierError | null {
  const said: Said = { code: xmlValue(result, 'errorCode'), message: xmlValue(result, 'errorMessage') };
  if (said.code === '0') return null;
  if (!/^-?\d+$/.test(said.code))
    return new CarrierError('unavailable', `The answer of ${title} makes no sense: it holds no error code.`);
  const kind =
    kinds[said.code] === 'invalid' && ofAccount.test(said.message) ? 'configuration' : (kinds[said.code] ?? 'refused');
  return new CarrierError(kind, saying(sentences[kind] ?? 'Chronopost says no', said), quoted(said));
}

/** A request that the service could not read has made nothing. */
export function faultError({ code, message }: SoapFault): CarrierError {
  const said: Said = { code, message };
  return new CarrierError('unavailable', saying(`${title} could not process the request`, said), {
    ...quoted(said),
    ...(code === 'Client' ? { acted: 'no' } : {}),
  });
}
