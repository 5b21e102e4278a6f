// Who did something, as the audit trail has it.
import type { Principal } from './route.ts';

/** What an entry of the audit trail says of who did it. */
interface Actor {
  readonly actorKind: 'client' | 'platform-key' | 'user';
  readonly actor: string;
  readonly subject: string | null;
}

/** Of an operator the id alone, which names one person for ever: a login is personal, and changes. */
export function actorOf({ kind, clientId, subject }: Principal): Actor {
  return kind === 'operator'
    ? { actorKind: 'user', actor: clientId, subject: null }
    : { actorKind: kind, actor: clientId, subject };
}
