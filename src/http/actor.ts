// The actor of an operation, as recorded in the audit trail.
import type { Principal } from './route.ts';

/** The members of an audit entry that identify the actor. */
interface Actor {
  readonly actorKind: 'client' | 'platform-key' | 'user';
  readonly actor: string;
  readonly subject: string | null;
}

/** For an operator only the id, which permanently identifies one person: a login is personal data, and may change. */
export function actorOf({ kind, clientId, subject }: Principal): Actor {
  return kind === 'operator'
    ? { actorKind: 'user', actor: clientId, subject: null }
    : { actorKind: kind, actor: clientId, subject };
}
