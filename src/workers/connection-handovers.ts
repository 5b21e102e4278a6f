// The connections that the supervisor hands to a worker: no more than there is room for in all workers together, and
// none is left over when the worker has ended.
import type { ChildProcess } from 'node:child_process';
import type { ConnectionCount, ConnectionRefusal } from '../model/worker-link.ts';
import { isOfCluster, takenAnswer } from './cluster-messages.ts';

/** The connections of one worker. */
export interface HandedConnections {
  /** @param numbers of the messages that brought them to the worker */
  readonly ended: (numbers: readonly number[]) => void;
}

/** Refused connections are reported in batches, so that a flood of them costs the worker nothing. */
const tellRefusedMs = 200;

/** How the workers and the log hear of a connection for which there is no room. */
export interface Crowding {
  /** Called from time to time with how many were closed. */
  readonly refused: (reason: ConnectionRefusal, count: number) => void;
  /** Has workers close idle connections of a crowd, because there is a newcomer who has far fewer. */
  readonly makeRoom: (crowd: readonly string[]) => void;
}

/**
 * Watches the connections handed to a worker. A connection for which there is no room is closed here, and the worker
 * never learns of it. A connection counts until its worker reports its end: there are never more than the limits allow,
 * but for those for which workers are making room, and those that ended within the last rounds of a worker's event loop
 * are still counted. A worker that ends gives back all of its connections.
 *
 * `node:cluster` keeps a connection until the worker confirms it, for ever if the worker died before. It is then
 * unknown whether it had already read a request, so no other worker gets the connection: the client sees that it has
 * ended, and may retry. Closing the supervisor's copy does not affect a connection held by a living worker.
 */
export function watchHandovers(
  worker: ChildProcess,
  count: ConnectionCount,
  { refused, makeRoom }: Crowding,
): HandedConnections {
  /** By message number: connections that the worker has not confirmed, with the functions that release their places. */
  const pending = new Map<unknown, Handle>();
  const places = new Map<unknown, () => void>();
  const refusals = gathered(refused);
  const hasRoomMade = (crowd: readonly string[]): boolean => {
    makeRoom(crowd);
    return true;
  };
  const giveBack = (number: unknown): void => {
    places.get(number)?.();
    places.delete(number);
  };
  worker.send = new Proxy(worker.send.bind(worker), {
    apply: (send, self, sent: readonly unknown[]): unknown => {
      const [message, connection] = sent;
      if (isOfCluster(message) && message.act === 'newconn' && isHandle(connection)) {
        const place = count.open(addressOf(connection), hasRoomMade);
        if (typeof place === 'string') {
          refusals.add(place);
          queueMicrotask(() => worker.emit('internalMessage', takenAnswer(message.seq)));
          return true;
        }
        places.set(message.seq, place);
        pending.set(message.seq, connection);
      }
      return Reflect.apply(send, self, sent);
    },
  });
  worker.on('internalMessage', (message: unknown) => {
    if (!isOfCluster(message) || !pending.delete(message.ack)) return;
    if (message.accepted === false) giveBack(message.ack);
  });
  worker.once('exit', () => {
    for (const connection of pending.values()) connection.close();
    pending.clear();
    for (const number of [...places.keys()]) giveBack(number);
    refusals.forget();
  });
  return { ended: (numbers) => numbers.forEach(giveBack) };
}

function gathered(refused: (reason: ConnectionRefusal, count: number) => void): {
  readonly add: (reason: ConnectionRefusal) => void;
  readonly forget: () => void;
} {
  const counts = new Map<ConnectionRefusal, number>();
  let timer: NodeJS.Timeout | undefined;
  const tell = (): void => {
    timer = undefined;
    for (const [reason, count] of counts) refused(reason, count);
    counts.clear();
  };
  return {
    add: (reason) => {
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
      timer ??= setTimeout(tell, tellRefusedMs);
    },
    forget: () => clearTimeout(timer),
  };
}

/** A connection as Node holds it before it is assigned. */
interface Handle {
  close(): void;
  /** Writes the address into the given object, if there still is one. */
  readonly getpeername?: unknown;
}

function isHandle(value: unknown): value is Handle {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
}

/** Empty when the client has already gone. */
function addressOf(connection: Handle): string {
  const found: { address?: unknown } = {};
  if (typeof connection.getpeername === 'function') Reflect.apply(connection.getpeername, connection, [found]);
  return typeof found.address === 'string' ? found.address : '';
}
