// The public addresses from the settings; by default, those of a server on this machine.
import { addressesAt, type Config, type PublicAddresses } from '../config.ts';
import { OperatorError } from '../model/operator-error.ts';

/** @throws OperatorError when they depend on a port that only the running server knows */
export function addressesOf(config: Config): PublicAddresses {
  if (config.port === 0 && (config.baseUrl === null || config.authUrl === null)) {
    throw new OperatorError(
      'PORT is 0, so the addresses of the server are not known here.',
      'Set BASE_URL and AUTH_URL to what the server printed when it started.',
    );
  }
  return addressesAt(config, config.port);
}

/** True for names and addresses of this machine only. */
export function isLoopback(host: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}

/** True when programs on other machines can reach the server. */
export function isPublic(config: Config): boolean {
  return (
    !isLoopback(config.host) ||
    [config.baseUrl, config.authUrl].some((address) => address !== null && !isLoopback(new URL(address).hostname))
  );
}
