// Which addresses of a carrier an account's settings may give, and the origins of those addresses.

const thisMachine = '(localhost|127\\.0\\.0\\.1|\\[::1\\])';
/** The path: no query, no slash at its end. */
const pathPattern = '(/[^\\s?#@]*[^\\s/?#@])?';

/** The pattern of an address in the settings: it receives secrets, so it must use HTTPS or be on this machine. */
export const addressPattern = `(https://[^\\s/?#@]+|http://${thisMachine}(:\\d+)?)${pathPattern}`;

/** The same for a server of the operator's own, which may be in a network that is protected as a whole. */
export const ownAddressPattern = `https?://[^\\s/?#@]+${pathPattern}`;

/** The origins of addresses; an invalid address has none, so nothing can be requested from it. */
export function originsOf(...addresses: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(addresses.flatMap((address) => URL.parse(address ?? '')?.origin ?? []))];
}
