// Signing out at the identity provider too: what is stored of a sign-in for that purpose, and where the browser goes.
import type { Logger } from 'pino';
import type { Store } from '../../store/store.ts';
import { idHash } from '../grants.ts';
import { lives, paths } from '../oidc-configuration.ts';
import { payloadOf } from '../oidc-store.ts';
import { type ProviderClient, ProviderAway } from './provider-client.ts';

type HintStorage = Pick<Store, 'oidcPayloads'>;

/** A sign-in at a provider, as recorded in the browser's session. */
interface ProviderSignIn {
  readonly accountId: string;
  /** Seconds since 1970. */
  readonly loginTs: number;
}

const model = 'ProviderSignIn';
/** Maximum size in bytes of a stored ID token; groups make it long. */
const maxKeptLength = 16_384;

/**
 * Stores the ID token of a sign-in for as long as the session lasts; it is removed with everything else of the user. A
 * second one of the same user in the same second replaces it: both are of the same person at the same provider.
 * @param now milliseconds since 1970
 */
export async function keepIdToken(
  { oidcPayloads }: HintStorage,
  signIn: ProviderSignIn,
  idToken: string,
  now: number,
): Promise<void> {
  if (idToken.length > maxKeptLength) return;
  await oidcPayloads.put({
    ...{ model, idHash: hashOf(signIn), payload: JSON.stringify({ idToken }) },
    ...{ grantId: null, uid: null, accountId: signIn.accountId, clientId: null },
    expiresAt: now + lives.session * 1000,
  });
}

/**
 * Where the browser goes to sign out at the provider.
 * @returns null: the provider has no such address, or does not respond now
 */
export async function providerSignOutAddress(
  {
    store,
    authUrl,
    logger,
    now,
  }: {
    readonly store: HintStorage;
    readonly authUrl: string;
    readonly logger: Logger;
    readonly now: () => number;
  },
  client: ProviderClient,
  signIn: ProviderSignIn,
): Promise<string | null> {
  const stored = await store.oidcPayloads.find({ model, idHash: hashOf(signIn) }, now());
  const idToken: unknown = stored === null ? null : payloadOf(stored, '').idToken;
  try {
    return await client.signOutAddress(typeof idToken === 'string' ? idToken : null, `${authUrl}${paths.signOut}`);
  } catch (error) {
    if (!(error instanceof ProviderAway)) throw error;
    logger.warn({ provider: client.provider.name, reason: error.message }, 'an identity provider does not answer');
    return null;
  }
}

/** Removes the ID token of a sign-in that has ended. */
export async function forgetIdToken({ oidcPayloads }: HintStorage, signIn: ProviderSignIn): Promise<void> {
  await oidcPayloads.remove({ model, idHash: hashOf(signIn) });
}

function hashOf({ accountId, loginTs }: ProviderSignIn): string {
  return idHash(`${accountId} ${loginTs}`);
}
