// Handles requests of workers that concern all of them: turns, quotas, notifications of grants, metrics.
import { createCollectedMetrics } from './collected-metrics.ts';
import { createMemoryQuotas } from './memory-quotas.ts';
import { createWorkerRequests } from './worker-requests.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';
import { createSharedQueues } from './shared-queues.ts';

/** What workers ask of the others, or tell them. */
type CoordinationMessage = Exclude<FromWorker, { readonly tell: 'ready' | 'serving' | 'connections ended' }>;

export interface Coordinator {
  hear(worker: number, message: CoordinationMessage): void;
  /** A worker is now listening for messages. */
  hears(worker: number): void;
  /** A worker is serving. */
  joined(worker: number): void;
  /** A worker has ended: what it held is released. */
  left(worker: number): void;
}

/**
 * After this time, a worker that does not confirm a change of a grant is no longer awaited: it reads the grant again
 * within half a minute.
 */
const grantTimeoutMs = 2000;

/** @param send sends a worker a message; does nothing if it has ended */
export function createCoordinator(send: (worker: number, message: ToWorker) => void): Coordinator {
  const [hearing, serving] = [new Set<number>(), new Set<number>()];
  const queues = createSharedQueues(send);
  const quotas = createMemoryQuotas();
  const metrics = createCollectedMetrics((worker, id) => send(worker, { tell: 'report', id }));
  const grants = createWorkerRequests<null>(grantTimeoutMs);
  const hear = (worker: number, message: CoordinationMessage): void => {
    switch (message.tell) {
      case 'enter':
        queues.enter(worker, message);
        break;
      case 'leave':
        queues.leave(worker, message.id);
        break;
      case 'quota':
        send(worker, { tell: 'share', id: message.id, share: quotas.take(message.request) });
        break;
      case 'unused':
        quotas.giveBack(message.unused);
        break;
      case 'grant changed':
        void grants
          .ask(
            [...hearing].filter((other) => other !== worker),
            (other, id) => send(other, { tell: 'grant changed', id, grantId: message.grantId }),
          )
          .then(() => send(worker, { tell: 'grant known', id: message.id }));
        break;
      case 'grant heard':
        grants.answered(worker, message.id, null);
        break;
      case 'waiting':
        for (const other of hearing) if (other !== worker) send(other, { tell: 'waiting' });
        break;
      case 'collect':
        void metrics
          .collect([...new Set([...serving, worker])])
          .then((collected) => send(worker, { tell: 'collected', id: message.id, metrics: collected }));
        break;
      case 'report':
        metrics.reported(worker, message.id, message.metrics);
    }
  };
  return {
    hear,
    hears: (worker) => void hearing.add(worker),
    joined: (worker) => void serving.add(worker),
    left: (worker) => {
      hearing.delete(worker);
      serving.delete(worker);
      grants.ended(worker);
      queues.ended(worker);
      void metrics.ended(worker);
    },
  };
}
