// Transient errors: storage that is unavailable, and addresses that send too many requests; reported to
// `oidc-provider`, to programs and on pages.
import { type Adapter, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { Problem } from '../model/problem.ts';

/** `Retry-After` when storage is unavailable. */
export const retryAfterSeconds = '5';

/** A transient error, and how to report it. */
export interface TransientError {
  readonly fault: 'unavailable' | 'busy';
  readonly status: 503 | 429;
  /** `Retry-After` among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body for programs; the registered code that fits best (RFC 6749, 4.1.2.1). */
  readonly body: { readonly error: 'temporarily_unavailable'; readonly error_description: string };
}

/** How to report a transient error; null for any other error. */
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
 * Runs a piece of storage work for `oidc-provider`, which takes every foreign error for a bug: converts a transient one
 * into its own TemporarilyUnavailable.
 */
export async function withProviderErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Problem) || error.slug !== 'unavailable') throw error;
    // Has the status of responses that do not redirect to the client; the class alone would make it 400.
    throw Object.assign(new errors.TemporarilyUnavailable(unavailableText, { cause: error }), {
      status: 503,
      statusCode: 503,
    });
  }
}

/** Reports a rate limit to `oidc-provider`: a 429 with the headers that say when to retry. */
export function throwAsProviderError(ctx: KoaContextWithOIDC, error: unknown): never {
  const transient = transientErrorOf(error);
  if (transient === null) throw error;
  ctx.set(transient.headers);
  throw Object.assign(new errors.TemporarilyUnavailable(transient.body.error_description), {
    status: transient.status,
    statusCode: transient.status,
  });
}

/** Wraps a storage adapter so that `oidc-provider` understands its transient errors. */
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
