// What the address of a carrier may be in the settings of an account, and which origins it stands for.

const thisMachine = '(localhost|127\\.0\\.0\\.1|\\[::1\\])';
/** What stands behind the machine: no query, no slash at its end. */
const pathPattern = '(/[^\\s?#@]*[^\\s/?#@])?';

/** What an address in the settings must look like: secrets go there, so that it is protected, or on this machine. */
export const addressPattern = `(https://[^\\s/?#@]+|http://${thisMachine}(:\\d+)?)${pathPattern}`;

/** The same for a server of the operator's own, which may stand in a network that is protected as a whole. */
export const ownAddressPattern = `https?://[^\\s/?#@]+${pathPattern}`;

/** Origins of addresses; what is no address has none, and nothing can be asked of it. */
export function originsOf(...addresses: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(addresses.flatMap((address) => URL.parse(address ?? '')?.origin ?? []))];
}
