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
interface JoinedWorker {
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
  const parts: LinkParts = {
    send,
    queues: createRemoteQueues(send),
    shares: createSupervisorRequests<QuotaShare>(),
    grants: createGrantNotifications(send),
    collections: createSupervisorRequests<readonly ReportedMetrics[]>(),
    connections: createTakenConnections(process, send),
    listeners: { report: null, reading: null },
  };
  const { queues, shares, grants, collections, connections, listeners } = parts;
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
      case 'make room':
        connections.hear(message);
        break;
      case 'waiting':
        listeners.reading?.();
        break;
      case 'report':
        // If it cannot report, the supervisor waits in vain for a short while.
        void listeners.report?.().then((metrics) => send({ tell: 'report', id: message.id, metrics }), ignored);
    }
  };
  worker.on('message', hear);
  send({ tell: 'ready' });
  const place = await begun.promise;
  return {
    place,
    link: linkOf(place, parts),
    stop: stop.signal,
    tellServing: () => send({ tell: 'serving' }),
    leave: () => void worker.disconnect(),
  };
}

/** What a worker sends to its supervisor, and what hears the answers. */
interface LinkParts {
  readonly send: (message: FromWorker) => void;
  readonly queues: ReturnType<typeof createRemoteQueues>;
  readonly shares: ReturnType<typeof createSupervisorRequests<QuotaShare>>;
  readonly grants: ReturnType<typeof createGrantNotifications>;
  readonly collections: ReturnType<typeof createSupervisorRequests<readonly ReportedMetrics[]>>;
  readonly connections: ReturnType<typeof createTakenConnections>;
  readonly listeners: { report: (() => Promise<ReportedMetrics>) | null; reading: (() => void) | null };
}

function linkOf(
  { number, count, isLead, port }: WorkerPlace,
  { send, queues, shares, grants, collections, connections, listeners }: LinkParts,
): WorkerLink {
  return {
    ...{ number, count, isLead, port },
    queue: (name, limits): TurnQueue => queues.open(name, limits),
    quotas: {
      take: (request) => shares.ask((id) => send({ tell: 'quota', id, request })),
      giveBack: async (unused) => send({ tell: 'unused', unused }),
    },
    tellGrantChanged: grants.tell,
    onGrantChanged: grants.listen,
    tellWaiting: () => send({ tell: 'waiting' }),
    onWaiting: (hear) => {
      listeners.reading = hear;
    },
    reportMetrics: (read) => {
      listeners.report = read;
    },
    collectMetrics: () => collections.ask((id) => send({ tell: 'collect', id })),
    connections,
  };
}

function ignored(): void {}
