// What is told of the sessions of a user's browsers.
import type { StoredPayload } from '../store/oidc-payloads.ts';
import { payloadOf } from './oidc-store.ts';

/** A session; instants in milliseconds since 1970. */
interface SessionFacts {
  /** A second name of the session, which opens nothing. */
  readonly id: string;
  /** Null: not known. */
  readonly since: number | null;
  readonly until: number;
  /** Whether it was begun with a second factor. */
  readonly secondFactor: boolean;
}

export function sessionFacts(stored: StoredPayload): SessionFacts {
  const { loginTs, amr } = payloadOf(stored, '');
  return {
    id: stored.uid ?? '',
    since: typeof loginTs === 'number' ? loginTs * 1000 : null,
    until: stored.expiresAt,
    secondFactor: Array.isArray(amr) && amr.includes('otp'),
  };
}
