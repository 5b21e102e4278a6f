// In charge of the connections that the supervisor hands to a worker: no more than there is room for in all workers
// together, and none is left over when the worker has ended.
import type { ChildProcess } from 'node:child_process';
import type { ConnectionCount, ConnectionRefusal } from '../model/worker-link.ts';
import { isOfCluster, takenAnswer } from './cluster-messages.ts';

/** The connections of one worker. */
export interface HandedConnections {
  /** @param numbers of the messages that brought them to the worker */
  readonly ended: (numbers: readonly number[]) => void;
}

/** Refused connections are told together, so that a flood of them costs the worker nothing. */
const tellRefusedMs = 200;

/**
 * Watches what is handed to a worker. A connection that there is no room for is closed here, and the worker never hears
 * of it. One counts until its worker says that it has ended, so there are never more than the limits allow; what ended
 * within the last rounds of a worker's event loop counts still. A worker that ends gives back all that it had.
 *
 * `node:cluster` keeps a connection until the worker says that it took it, for ever where it died before. Whether it
 * had read a request by then nobody knows, so no other worker is given the connection: the client sees that it has
 * ended, and may ask again. Closing what a living worker holds too does it no harm.
 * @param refused is told now and then how many were closed
 */
export function watchHandovers(
  worker: ChildProcess,
  count: ConnectionCount,
  refused: (reason: ConnectionRefusal, count: number) => void,
): HandedConnections {
  /** By the number of their message: those that the worker has not answered for, and what gives their place back. */
  const pending = new Map<unknown, Handle>();
  const places = new Map<unknown, () => void>();
  const refusals = gathered(refused);
  const giveBack = (number: unknown): void => {
    places.get(number)?.();
    places.delete(number);
  };
  worker.send = new Proxy(worker.send.bind(worker), {
    apply: (send, self, sent: readonly unknown[]): unknown => {
      const [message, connection] = sent;
      if (isOfCluster(message) && message.act === 'newconn' && isHandle(connection)) {
        const place = count.open(addressOf(connection));
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

/** A connection as Node holds it before anybody has it. */
interface Handle {
  close(): void;
  /** Writes the address into what it is given, where there is one still. */
  readonly getpeername?: unknown;
}

function isHandle(value: unknown): value is Handle {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
}

/** Empty where the client has gone already. */
function addressOf(connection: Handle): string {
  const found: { address?: unknown } = {};
  if (typeof connection.getpeername === 'function') Reflect.apply(connection.getpeername, connection, [found]);
  return typeof found.address === 'string' ? found.address : '';
}
