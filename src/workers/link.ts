// The worker's side of what workers share: sends requests to the supervisor, and receives its messages.
import type { Worker } from 'node:cluster';
import type { QuotaShare } from '../model/quota.ts';
import type { ReportedMetrics, TurnQueue, WorkerLink } from '../model/worker-link.ts';
import type { FromWorker, ToWorker, WorkerPlace } from './worker-messages.ts';
import { createGrantNotifications } from './grant-notifications.ts';
import { createSupervisorRequests } from './supervisor-requests.ts';
import { createRemoteQueues } from './remote-queue.ts';
import { createTakenConnections } from './taken-connections.ts';

/** This process in its role as a worker. */
export interface JoinedWorker {
  readonly place: WorkerPlace;
  readonly link: WorkerLink;
  /** Aborted when the supervisor wants this worker to stop. */
  readonly stop: AbortSignal;
  readonly tellServing: () => void;
  /** Ends the connection, so that the process can end. */
  readonly leave: () => void;
}

/** Tells the supervisor that this worker is listening, and waits for its role. */
export async function joinSupervisor(worker: Worker): Promise<JoinedWorker> {
  const send = (message: FromWorker): void => {
    if (worker.isConnected()) worker.send(message, () => undefined);
  };
  const begun = Promise.withResolvers<WorkerPlace>();
  const stop = new AbortController();
  const queues = createRemoteQueues(send);
  const shares = createSupervisorRequests<QuotaShare>();
  const grants = createGrantNotifications(send);
  const collections = createSupervisorRequests<readonly ReportedMetrics[]>();
  const connections = createTakenConnections(process, send);
  let report: (() => Promise<ReportedMetrics>) | null = null;
  const hear = (message: ToWorker): void => {
    switch (message.tell) {
      case 'place':
        begun.resolve(message.place);
        break;
      case 'stop':
        stop.abort();
        break;
      case 'entered':
      case 'refused':
      case 'awaited':
        queues.hear(message);
        break;
      case 'share':
        shares.answer(message.id, message.share);
        break;
      case 'collected':
        collections.answer(message.id, message.metrics);
        break;
      case 'grant changed':
      case 'grant known':
        grants.hear(message);
        break;
      case 'connections refused':
        connections.hear(message);
        break;
      case 'report':
        // If it cannot report, the supervisor waits in vain for a short while.
        void report?.().then((metrics) => send({ tell: 'report', id: message.id, metrics }), ignored);
    }
  };
  worker.on('message', hear);
  send({ tell: 'ready' });
  const place = await begun.promise;
  const link: WorkerLink = {
    ...{ number: place.number, count: place.count, isLead: place.isLead, port: place.port },
    queue: (name, limits): TurnQueue => queues.open(name, limits),
    quotas: {
      take: (request) => shares.ask((id) => send({ tell: 'quota', id, request })),
      giveBack: async (unused) => send({ tell: 'unused', unused }),
    },
    tellGrantChanged: grants.tell,
    onGrantChanged: grants.listen,
    reportMetrics: (read) => {
      report = read;
    },
    collectMetrics: () => collections.ask((id) => send({ tell: 'collect', id })),
    connections,
  };
  return {
    place,
    link,
    stop: stop.signal,
    tellServing: () => send({ tell: 'serving' }),
    leave: () => void worker.disconnect(),
  };
}

function ignored(): void {}
