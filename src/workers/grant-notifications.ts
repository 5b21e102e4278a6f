// Notifies other workers of grants that have ended, and receives their notifications.
import type { FromWorker, ToWorker } from './worker-messages.ts';
import { createSupervisorRequests } from './supervisor-requests.ts';

interface GrantNotifications {
  /** Resolves when all others know, or cannot be notified; never rejects. */
  tell(grantId: string): Promise<void>;
  listen(listener: (grantId: string) => void): void;
  hear(message: Extract<ToWorker, { readonly tell: 'grant changed' | 'grant known' }>): void;
}

export function createGrantNotifications(send: (message: FromWorker) => void): GrantNotifications {
  const listeners: ((grantId: string) => void)[] = [];
  const told = createSupervisorRequests<null>();
  return {
    tell: async (grantId) => {
      // If the supervisor hangs, the others read the grant again within half a minute.
      await told.ask((id) => send({ tell: 'grant changed', id, grantId })).catch(() => null);
    },
    listen: (listener) => void listeners.push(listener),
    hear: (message) => {
      if (message.tell === 'grant known') return told.answer(message.id, null);
      for (const listener of listeners) listener(message.grantId);
      send({ tell: 'grant heard', id: message.id });
    },
  };
}
