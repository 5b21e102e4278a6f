// What passes by itself: storage that is away, and addresses that ask too often; told to `oidc-provider`, to programs
// and on pages.
import { type Adapter, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { Problem } from '../model/problem.ts';

/** `Retry-After` of storage that is away. */
export const awaySeconds = '5';

/** A fault that passes, and what tells of it. */
export interface PassingFault {
  readonly fault: 'away' | 'busy';
  readonly status: 503 | 429;
  /** `Retry-After` among them. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body of an endpoint for programs; the registered code that fits best (RFC 6749, 4.1.2.1). */
  readonly body: { readonly error: 'temporarily_unavailable'; readonly error_description: string };
}

/** What an error says about a fault that passes, or null for any other error. */
export function passingFault(error: unknown): PassingFault | null {
  if (error instanceof errors.TemporarilyUnavailable)
    return { fault: 'away', status: 503, headers: { 'retry-after': awaySeconds }, body: bodyOf(awayText) };
  if (!(error instanceof Problem)) return null;
  if (error.slug === 'unavailable')
    return { fault: 'away', status: 503, headers: { 'retry-after': awaySeconds }, body: bodyOf(awayText) };
  if (error.slug === 'quota-exceeded')
    return { fault: 'busy', status: 429, headers: error.headers, body: bodyOf(error.detail) };
  return null;
}

/** Runs a piece of storage's work for `oidc-provider`, which takes every error that is not of its own for a bug. */
export async function orAway<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Problem) || error.slug !== 'unavailable') throw error;
    // Its status is that of the answers that do not lead back to the client; the class alone would make them 400.
    throw Object.assign(new errors.TemporarilyUnavailable(awayText, { cause: error }), {
      status: 503,
      statusCode: 503,
    });
  }
}

/**
 * Tells `oidc-provider` that something was asked for too often, with a 429 and the headers that say when to come back.
 */
export function throwBusy(ctx: KoaContextWithOIDC, error: unknown): never {
  const passing = passingFault(error);
  if (passing === null) throw error;
  ctx.set(passing.headers);
  throw Object.assign(new errors.TemporarilyUnavailable(passing.body.error_description), {
    status: passing.status,
    statusCode: passing.status,
  });
}

/** The same storage, whose absence `oidc-provider` understands. */
export function adapterOrAway(adapter: Adapter): Adapter {
  return {
    upsert: (...given) => orAway(adapter.upsert(...given)),
    find: (id) => orAway(adapter.find(id)),
    findByUid: (uid) => orAway(adapter.findByUid(uid)),
    findByUserCode: (code) => orAway(adapter.findByUserCode(code)),
    consume: (id) => orAway(adapter.consume(id)),
    destroy: (id) => orAway(adapter.destroy(id)),
    revokeByGrantId: (grantId) => orAway(adapter.revokeByGrantId(grantId)),
  };
}

const awayText = 'storage cannot be reached at the moment, try again in a few seconds';

function bodyOf(description: string): PassingFault['body'] {
  return { error: 'temporarily_unavailable', error_description: description };
}
