// Answers what workers ask of all of them together: turns, quotas, news of grants, metrics.
import { createCollectedMetrics } from './collected-metrics.ts';
import { createMemoryQuotas } from './memory-quotas.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';
import { createSharedQueues } from './shared-queues.ts';

/** What workers ask of the others, or tell them. */
type Question = Exclude<FromWorker, { readonly tell: 'ready' | 'serving' }>;

export interface Switchboard {
  hear(worker: number, message: Question): void;
  /** A worker serves. */
  joined(worker: number): void;
  /** A worker has ended: what it held goes back. */
  left(worker: number): void;
}

/** @param send tells a worker something; nothing happens where it has ended */
export function createSwitchboard(send: (worker: number, message: ToWorker) => void): Switchboard {
  const serving = new Set<number>();
  const queues = createSharedQueues(send);
  const quotas = createMemoryQuotas();
  const metrics = createCollectedMetrics((worker, id) => send(worker, { tell: 'report', id }));
  const hear = (worker: number, message: Question): void => {
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
        for (const other of serving) if (other !== worker) send(other, message);
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
    joined: (worker) => void serving.add(worker),
    left: (worker) => {
      serving.delete(worker);
      queues.ended(worker);
      void metrics.ended(worker);
    },
  };
}
