// In charge of connections that are on their way to a worker: where it ends before it has taken one, the connection is
// closed, so that its client hears of it at once.
import type { ChildProcess } from 'node:child_process';

/**
 * Watches what is handed to a worker. `node:cluster` keeps a connection until the worker says that it took it, for ever
 * where it died before. Whether it had read a request by then nobody knows, so no other worker is given the connection:
 * the client sees that it has ended, and may ask again. Closing what a living worker holds too does it no harm.
 */
export function closeWhenEnded(worker: ChildProcess): void {
  const pending = new Map<unknown, Closeable>();
  worker.send = new Proxy(worker.send.bind(worker), {
    apply: (send, self, sent: readonly unknown[]): unknown => {
      const [message, connection] = sent;
      if (isOfCluster(message) && message.act === 'newconn' && isCloseable(connection))
        pending.set(message.seq, connection);
      return Reflect.apply(send, self, sent);
    },
  });
  worker.on('internalMessage', (message: unknown) => {
    if (isOfCluster(message)) pending.delete(message.ack);
  });
  worker.once('exit', () => {
    for (const connection of pending.values()) connection.close();
    pending.clear();
  });
}

interface Closeable {
  close(): void;
}

function isCloseable(value: unknown): value is Closeable {
  return typeof value === 'object' && value !== null && 'close' in value && typeof value.close === 'function';
}

/** A message of `node:cluster`: what it is about, its number, and the number of the one that it answers. */
interface OfCluster {
  readonly act?: unknown;
  readonly seq?: unknown;
  readonly ack?: unknown;
}

function isOfCluster(message: unknown): message is OfCluster {
  return typeof message === 'object' && message !== null && 'cmd' in message && message.cmd === 'NODE_CLUSTER';
}
