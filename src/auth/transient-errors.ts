// Errors that pass by themselves: storage that is away, and addresses that ask too often; told to `oidc-provider`, to
// programs and on pages.
import { type Adapter, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { Problem } from '../model/problem.ts';

/** `Retry-After` of storage that is away. */
export const retryAfterSeconds = '5';

/** An error that passes by itself, and what tells of it. */
export interface TransientError {
  readonly fault: 'unavailable' | 'busy';
  readonly status: 503 | 429;
  /** `Retry-After` among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body of an endpoint for programs; the registered code that fits best (RFC 6749, 4.1.2.1). */
  readonly body: { readonly error: 'temporarily_unavailable'; readonly error_description: string };
}

/** What is told of a transient error, or null for any other error. */
export function transientErrorOf(error: unknown): TransientError | null {
  if (error instanceof errors.TemporarilyUnavailable)
    return {
      fault: 'unavailable',
      status: 503,
      headers: { 'retry-after': retryAfterSeconds },
      body: bodyOf(unavailableText),
    };
  if (!(error instanceof Problem)) return null;
  if (error.slug === 'unavailable')
    return {
      fault: 'unavailable',
      status: 503,
      headers: { 'retry-after': retryAfterSeconds },
      body: bodyOf(unavailableText),
    };
  if (error.slug === 'quota-exceeded')
    return { fault: 'busy', status: 429, headers: error.headers, body: bodyOf(error.detail) };
  return null;
}

/**
 * Does a piece of work in storage for `oidc-provider`, which takes every error that is not of its own for a bug: a
 * transient one becomes its own TemporarilyUnavailable.
 */
export async function withProviderErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Problem) || error.slug !== 'unavailable') throw error;
    // Its status is that of the answers that do not lead back to the client; the class alone would make them 400.
    throw Object.assign(new errors.TemporarilyUnavailable(unavailableText, { cause: error }), {
      status: 503,
      statusCode: 503,
    });
  }
}

/**
 * Tells `oidc-provider` that something was asked for too often, with a 429 and the headers that say when to come back.
 */
export function throwAsProviderError(ctx: KoaContextWithOIDC, error: unknown): never {
  const transient = transientErrorOf(error);
  if (transient === null) throw error;
  ctx.set(transient.headers);
  throw Object.assign(new errors.TemporarilyUnavailable(transient.body.error_description), {
    status: transient.status,
    statusCode: transient.status,
  });
}

/** The same storage, whose transient errors `oidc-provider` understands. */
export function adapterWithProviderErrors(adapter: Adapter): Adapter {
  return {
    upsert: (...given) => withProviderErrors(adapter.upsert(...given)),
    find: (id) => withProviderErrors(adapter.find(id)),
    findByUid: (uid) => withProviderErrors(adapter.findByUid(uid)),
    findByUserCode: (code) => withProviderErrors(adapter.findByUserCode(code)),
    consume: (id) => withProviderErrors(adapter.consume(id)),
    destroy: (id) => withProviderErrors(adapter.destroy(id)),
    revokeByGrantId: (grantId) => withProviderErrors(adapter.revokeByGrantId(grantId)),
  };
}

const unavailableText = 'storage cannot be reached at the moment, try again in a few seconds';

function bodyOf(description: string): TransientError['body'] {
  return { error: 'temporarily_unavailable', error_description: description };
}
