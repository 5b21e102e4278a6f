// Refresh tokens after a restore: one token of each chain may continue, whether or not the database has lost it
// (decision 38).
import type { AdapterPayload } from 'oidc-provider';
import type { NewPayload, StoredPayload } from '../store/oidc-payloads.ts';
import type { Store } from '../store/store.ts';
import { idHash } from './grants.ts';
import { withoutId } from './oidc-store.ts';
import type { RefreshFacts, RefreshTokenCipher } from './refresh-token-cipher.ts';

/** What is written when a token from before the restore is used. */
export interface UseAfterRestore {
  /** Claims the turn of the token's chain; only one token can have this row. */
  readonly turn: NewPayload;
  /** The token itself, when this database has lost it. */
  readonly lost?: NewPayload;
}

interface LostTokens {
  /** A token that is not in the database, but was issued by it before it was restored; null: there is none. */
  find(token: string): Promise<{ readonly stored: StoredPayload; readonly use: UseAfterRestore | null } | null>;
  /**
   * What the use of a token that is in the database has to write as well; `spent`: another token of its chain has
   * continued.
   */
  turnOf(stored: StoredPayload, token: string): Promise<UseAfterRestore | 'spent' | null>;
}

export interface LostTokensOptions {
  readonly store: Pick<Store, 'oidcPayloads' | 'historySince'>;
  readonly refreshTokens: RefreshTokenCipher;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const turnModel = 'RestoredChain';
/** No token from before the restore lives longer. */
const turnKeptMs = 31 * 86_400_000;

export function createLostTokens({ store, refreshTokens, baseUrl, now }: LostTokensOptions): LostTokens {
  const { oidcPayloads, historySince } = store;

  /** @returns null when another token of the chain has had the turn */
  const turn = async (facts: RefreshFacts, whose: Whose, token: string): Promise<NewPayload | null> => {
    const row: NewPayload = {
      ...whose,
      model: turnModel,
      idHash: idHash(`${facts.grantId} ${facts.chainSince} ${historySince}`),
      payload: JSON.stringify({ token: idHash(token) }),
      grantId: facts.grantId,
      uid: null,
      expiresAt: historySince + turnKeptMs,
    };
    const taken = await oidcPayloads.find(row, now());
    return taken === null || taken.payload === row.payload ? row : null;
  };

  return {
    find: async (token) => {
      const facts = refreshTokens.decrypt(token);
      // A token for the platform interface ends with a session, and its session cannot be determined any more.
      if (facts === null || facts.resource === 'platform') return null;
      if (facts.issuedAt >= historySince || facts.expiresAt * 1000 <= now()) return null;
      const grant = await oidcPayloads.find({ model: 'Grant', idHash: idHash(facts.grantId) }, now());
      if (grant === null) return null;
      const whose = { accountId: grant.accountId, clientId: grant.clientId };
      const lost: NewPayload = {
        ...whose,
        model: 'RefreshToken',
        idHash: idHash(token),
        payload: withoutId(payloadOf(facts, token, whose, baseUrl), token),
        grantId: facts.grantId,
        uid: null,
        expiresAt: facts.expiresAt * 1000,
      };
      const free = await turn(facts, whose, token);
      return free === null
        ? { stored: { ...lost, consumedAt: now() }, use: null }
        : { stored: { ...lost, consumedAt: null }, use: { turn: free, lost } };
    },
    turnOf: async ({ accountId, clientId }, token) => {
      const facts = refreshTokens.decrypt(token);
      if (facts === null || facts.issuedAt >= historySince) return null;
      const free = await turn(facts, { accountId, clientId }, token);
      return free === null ? 'spent' : { turn: free };
    },
  };
}

type Whose = Pick<StoredPayload, 'accountId' | 'clientId'>;

function payloadOf(
  facts: RefreshFacts,
  token: string,
  { accountId, clientId }: Whose,
  baseUrl: string,
): AdapterPayload {
  return {
    jti: token,
    kind: 'RefreshToken',
    iat: Math.floor(facts.issuedAt / 1000),
    exp: facts.expiresAt,
    iiat: facts.chainSince,
    grantId: facts.grantId,
    gty: facts.rotations === 0 ? 'authorization_code' : 'authorization_code refresh_token',
    rotations: facts.rotations,
    scope: facts.scope,
    expiresWithSession: false,
    ...(facts.resource === 'client-interface' && { resource: baseUrl }),
    ...(facts.signedInAt !== 0 && { authTime: facts.signedInAt }),
    ...(accountId !== null && { accountId }),
    ...(clientId !== null && { clientId }),
  };
}
