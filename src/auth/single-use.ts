// Codes and refresh tokens are valid for one use, recorded in one step with the answer; a refresh that is repeated at
// once gets the same answer again (decision D31).
import type { IncomingMessage } from 'node:http';
import Provider, { type Adapter, type AdapterPayload, errors, type KoaContextWithOIDC } from 'oidc-provider';
import type { StoredPayload } from '../store/oidc-payloads.ts';
import { idHash } from './grants.ts';
import { createLostTokens, type LostTokensOptions, type UseAfterRestore } from './lost-tokens.ts';
import { createOidcStore, payloadOf } from './oidc-store.ts';
import { type GivenAnswer, repeatsRequest } from './refresh-answer.ts';
import { answerModel, createRefreshAnswers } from './repeated-refresh.ts';
import { withProviderErrors } from './transient-errors.ts';

export interface SingleUse {
  /** The storage of codes or refresh tokens: returns them as the request being processed has to see them. */
  adapter(model: 'AuthorizationCode' | 'RefreshToken'): Adapter;
  /** Notes the arrival of a request. */
  begin(request: IncomingMessage): void;
  /** Whether the request repeats a refresh and will get the earlier answer, so that nothing must be rotated. */
  isRepeated(ctx: KoaContextWithOIDC): boolean;
  /**
   * Uses up what the answer was made from, before anybody sees the answer. Of several at once the first one wins: a
   * refresh gets the answer of the winner, a code is refused.
   */
  settle(ctx: KoaContextWithOIDC): Promise<void>;
}

export function createSingleUse(options: LostTokensOptions): SingleUse {
  const {
    store: { oidcPayloads },
    now,
  } = options;
  const answers = createRefreshAnswers(oidcPayloads, now);
  const lostTokens = createLostTokens(options);
  const afterRestore = new WeakMap<IncomingMessage, UseAfterRestore>();
  const arrivals = new WeakMap<IncomingMessage, number>();
  const repeated = new WeakMap<IncomingMessage, GivenAnswer>();

  /** Whether the current request was already on its way when something was used: a race rather than a theft. */
  const cameBefore = (usedAt: number): boolean => {
    const request = Provider.ctx?.req;
    return request !== undefined && (arrivals.get(request) ?? Number.POSITIVE_INFINITY) < usedAt;
  };

  /** A token that this database has not seen spent may have been spent in what a restore has lost. */
  const unspent = async (ctx: KoaContextWithOIDC, stored: StoredPayload, token: string): Promise<StoredPayload> => {
    const use = await lostTokens.turnOf(stored, token);
    if (use === 'spent') return { ...stored, consumedAt: now() };
    if (use !== null) afterRestore.set(ctx.req, use);
    return stored;
  };

  const findLost = async (token: string): Promise<AdapterPayload | undefined> => {
    const found = await lostTokens.find(token);
    if (found === null) return undefined;
    const request = Provider.ctx?.req;
    if (found.use !== null && request !== undefined) afterRestore.set(request, found.use);
    return payloadOf(found.stored, token);
  };

  const seen = async (model: string, stored: StoredPayload, id: string): Promise<StoredPayload> => {
    const { consumedAt } = stored;
    const ctx = Provider.ctx;
    if (ctx === undefined) return stored;
    if (consumedAt === null) return model === 'RefreshToken' ? unspent(ctx, stored, id) : stored;
    if (model === 'AuthorizationCode') return cameBefore(consumedAt) ? { ...stored, consumedAt: null } : stored;
    const answer = await answers.repeatable(stored, consumedAt, id, cameBefore(consumedAt));
    if (answer === null) return stored;
    repeated.set(ctx.req, answer);
    return { ...stored, consumedAt: null };
  };

  const spend = async (ctx: KoaContextWithOIDC): Promise<void> => {
    const { AuthorizationCode: code, RotatedRefreshToken: rotated, RefreshToken: next } = ctx.oidc.entities;
    const used = rotated ?? code;
    if (used === undefined) return;
    const at = now();
    const answer = rotated === undefined ? undefined : answers.rowOf(rotated, ctx, at);
    if (
      await oidcPayloads.spend({ model: used.kind, idHash: idHash(used.jti) }, at, {
        ...afterRestore.get(ctx.req),
        answer,
      })
    )
      return;
    // Nobody has seen what was created here.
    await next?.destroy();
    const given = rotated === undefined ? null : await answers.find(rotated.jti);
    if (given !== null && repeatsRequest(given, ctx.oidc.params)) ctx.body = given.body(now());
    else refuse(ctx, `${used.kind} was used by another request at the same moment`);
  };

  return {
    adapter: (model) => {
      const plain = createOidcStore({ oidcPayloads }, model, now, {
        asSeen: (stored, id) => seen(model, stored, id),
      });
      return {
        ...plain,
        find: async (id) => (await plain.find(id)) ?? (model === 'RefreshToken' ? findLost(id) : undefined),
        revokeByGrantId: async (grantId) => {
          await plain.revokeByGrantId(grantId);
          if (model === 'RefreshToken') await oidcPayloads.removeOfGrant(answerModel, grantId);
        },
      };
    },
    begin: (request) => void arrivals.set(request, now()),
    isRepeated: ({ req }) => repeated.has(req),
    settle: async (ctx) => {
      if (ctx.status !== 200) return;
      const answer = repeated.get(ctx.req);
      if (answer === undefined) await withProviderErrors(spend(ctx));
      else ctx.body = answer.body(now());
    },
  };
}

function refuse(ctx: KoaContextWithOIDC, detail: string): void {
  const error = new errors.InvalidGrant(detail);
  ctx.status = error.statusCode;
  ctx.body = { error: error.error, error_description: error.error_description };
  ctx.oidc.provider.emit('grant.error', ctx, error);
}
