// The worker's side of queues shared by all workers: requests turns from the supervisor.
import { type QueueLimits, Refused } from '../model/fair-queue.ts';
import type { TurnQueue } from '../model/worker-link.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

type QueueNews = Extract<ToWorker, { readonly tell: 'entered' | 'refused' | 'awaited' }>;

export interface RemoteQueues {
  open(name: string, limits: QueueLimits): TurnQueue;
  hear(news: QueueNews): void;
}

interface Waiting {
  readonly begin: () => void;
  readonly refuse: (reason: Refused) => void;
}

export function createRemoteQueues(send: (message: FromWorker) => void): RemoteQueues {
  const waiting = new Map<number, Waiting>();
  const awaited = new Set<string>();
  let lastId = 0;
  return {
    hear: (news) => {
      if (news.tell === 'entered') waiting.get(news.id)?.begin();
      else if (news.tell === 'refused') waiting.get(news.id)?.refuse(new Refused(news.by, news.isLate));
      else if (news.is) awaited.add(news.queue);
      else awaited.delete(news.queue);
    },
    open: (name, limits) => {
      const own = new Set<number>();
      let running = 0;
      let isClosed = false;
      const leave = (id: number): void => {
        running -= 1;
        if (running === 0) awaited.delete(name);
        send({ tell: 'leave', id });
      };
      return {
        enter: (client, gone, maxWaitMs = limits.maxWaitMs) =>
          new Promise((resolve, reject) => {
            if (isClosed) return reject(new Refused('closed'));
            if (gone?.aborted) return reject(new Refused('gone'));
            lastId += 1;
            const id = lastId;
            const settle = (): void => {
              waiting.delete(id);
              own.delete(id);
              gone?.removeEventListener('abort', hangUp);
            };
            const hangUp = (): void => {
              settle();
              send({ tell: 'leave', id });
              reject(new Refused('gone'));
            };
            gone?.addEventListener('abort', hangUp);
            own.add(id);
            waiting.set(id, {
              begin: () => {
                settle();
                running += 1;
                let isHeld = true;
                resolve(() => {
                  if (isHeld) leave(id);
                  isHeld = false;
                });
              },
              refuse: (reason) => {
                settle();
                reject(reason);
              },
            });
            send({ tell: 'enter', id, queue: name, limits, client, maxWaitMs });
          }),
        isAwaited: () => awaited.has(name),
        counts: () => ({ running, waiting: own.size }),
        close: () => {
          isClosed = true;
          for (const id of [...own]) {
            send({ tell: 'leave', id });
            waiting.get(id)?.refuse(new Refused('closed'));
          }
        },
      };
    },
  };
}
