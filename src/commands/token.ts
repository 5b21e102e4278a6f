// The command `token`: an access token for trying things out.
import { findClient } from '../auth/clients.ts';
import { createKeyRing } from '../auth/keys.ts';
import { createSeal } from '../auth/seal.ts';
import { createTokenIssuer, type IssuedToken } from '../auth/tokens.ts';
import { findUser } from '../auth/users.ts';
import type { Config } from '../config.ts';
import { OperatorError } from '../model/operator-error.ts';
import type { Store } from '../store/store.ts';
import { type Addresses, addressesOf } from './addresses.ts';
import { type Environment, type ExitCode, exitCodes, instantText, writeJson } from './environment.ts';
import { withStore } from './storage.ts';

/**
 * Prints a token of the user for the client: alone on standard output, or with what belongs to it as JSON.
 * @throws OperatorError when one of them does not exist or is disabled, or they have no activity in common
 */
export async function printToken(environment: Environment, { clientId, login, json }: { readonly clientId: string; readonly login: string; readonly json: boolean }): Promise<ExitCode> {
  const { token, addresses } = await withStore(environment, async (store, config) => {
    const addresses = addressesOf(config);
    return { addresses, token: await issueToken(store, config, addresses, { clientId, login, now: environment.now() }) };
  });
  if (json) {
    const { accessToken, expiresAt, activityCodes } = token;
    writeJson(environment.stdout, { accessToken, tokenType: 'Bearer', expiresAt: instantText(expiresAt), activityCodes, baseUrl: addresses.baseUrl });
  } else environment.stdout.write(`${token.accessToken}\n`);
  return exitCodes.done;
}

/** Signs a token as the server that these settings describe would. Throws as `printToken` does. */
export async function issueToken(store: Store, config: Config, addresses: Addresses, wanted: { readonly clientId: string; readonly login: string; readonly now: number }): Promise<IssuedToken> {
  const client = await findClient(store.db, wanted.clientId);
  if (client === null) throw new OperatorError(`There is no client "${wanted.clientId}".`, 'See: ./logistics-connect client list');
  const user = await findUser(store.db, wanted.login);
  if (user === null) throw new OperatorError(`There is no user "${wanted.login}".`, 'See: ./logistics-connect user list');
  const keys = createKeyRing({ db: store.db, seal: createSeal(config.secretKey), now: () => wanted.now });
  return createTokenIssuer({ keys, issuer: addresses.authUrl, audience: addresses.baseUrl })({ client, user, now: wanted.now });
}
