// Returns the same answer to a program that repeats a refresh at once (decision D31).
import Provider, { type KoaContextWithOIDC } from 'oidc-provider';
import type { NewPayload, OidcPayloads, StoredPayload } from '../store/oidc-payloads.ts';
import { idHash } from './grants.ts';
import { type GivenAnswer, decryptAnswer, repeatsRequest, encryptAnswer } from './refresh-answer.ts';

/**
 * How long after its use a refresh token returns the same answer again. A program with a secret is authenticated, and
 * may be retrying its job; what a browser or a phone holds is stolen more easily (RFC 9700, 4.14.2).
 */
const repeatedForMs = { confidential: 60_000, public: 10_000 } as const;

/** Model name of the rows that hold the answers of refreshes, by the hash of the spent token. */
export const answerModel = 'RefreshAnswer';

interface RefreshAnswers {
  /** The answer of a refresh with this token. */
  find(token: string): Promise<GivenAnswer | null>;
  /**
   * The answer that a repeated refresh with a spent token gets, or null when it has to be treated as theft.
   * @param isRace the request was already on its way when the token was spent
   */
  repeatable(spent: StoredPayload, usedAt: number, token: string, isRace: boolean): Promise<GivenAnswer | null>;
  /** The row to store for the answer that a request is about to get. */
  rowOf(rotated: RotatedToken, ctx: KoaContextWithOIDC, at: number): NewPayload;
}

type RotatedToken = NonNullable<KoaContextWithOIDC['oidc']['entities']['RotatedRefreshToken']>;

/** @param now milliseconds since 1970 */
export function createRefreshAnswers(oidcPayloads: OidcPayloads, now: () => number): RefreshAnswers {
  const find = async (token: string): Promise<GivenAnswer | null> => {
    const stored = await oidcPayloads.find({ model: answerModel, idHash: idHash(token) }, now());
    return stored === null ? null : decryptAnswer(token, stored.payload);
  };
  return {
    find,
    repeatable: async (spent, usedAt, token, isRace) => {
      const ctx = Provider.ctx;
      if (ctx === undefined || ctx.oidc.client?.clientId !== spent.clientId) return null;
      const { grant_type: grantType } = ctx.oidc.params ?? {};
      const confidential = ctx.oidc.client.clientAuthMethod !== 'none';
      if (grantType !== 'refresh_token' || now() - usedAt >= repeatedForMs[confidential ? 'confidential' : 'public'])
        return null;
      const answer = await find(token);
      if (answer === null || !repeatsRequest(answer, ctx.oidc.params)) return null;
      if (isRace) return answer;
      // A client that has used the next token has received the answer.
      const next = await oidcPayloads.find({ model: 'RefreshToken', idHash: idHash(answer.refreshToken) }, now());
      return next?.consumedAt === null ? answer : null;
    },
    rowOf: (rotated, ctx, at) => ({
      model: answerModel,
      idHash: idHash(rotated.jti),
      payload: encryptAnswer(rotated.jti, ctx.body, ctx.oidc.params, at),
      grantId: rotated.grantId ?? null,
      uid: null,
      accountId: rotated.accountId,
      clientId: rotated.clientId ?? null,
      expiresAt: at + repeatedForMs.confidential,
    }),
  };
}
