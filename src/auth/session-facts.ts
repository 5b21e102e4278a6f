// What is shown of the sessions of a user's browsers.
import type { StoredPayload } from '../store/oidc-payloads.ts';
import { payloadOf } from './oidc-store.ts';

/** A session; instants in milliseconds since 1970. */
interface SessionFacts {
  /** A second id of the session, which grants nothing. */
  readonly id: string;
  /** Null: unknown. */
  readonly since: number | null;
  readonly until: number;
  /** Whether it began with a second factor. */
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
