// Reports to the supervisor which of the connections handed to this worker have ended.
import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { ConnectionRefusal, HandedOver } from '../model/worker-link.ts';
import { isOfCluster } from './cluster-messages.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

interface TakenConnections extends HandedOver {
  readonly hear: (message: ToWorker & { readonly tell: 'connections refused' | 'make room' }) => void;
}

/**
 * Watches the connections handed to this process. Node passes a connection to its server while it handles the message
 * that brought it, so the number of that message identifies the connection on both sides; its address does not, because
 * it is unknown once the client is gone. Ended connections are reported together in each round of the event loop.
 * @param incoming emits the messages to this process
 */
export function createTakenConnections(incoming: EventEmitter, send: (message: FromWorker) => void): TakenConnections {
  let hearRefused: ((reason: ConnectionRefusal, count: number) => void) | null = null;
  let hearCrowded: ((crowd: readonly string[]) => void) | null = null;
  let handedOver: number | null = null;
  let ended: number[] = [];
  const tellEnded = (): void => {
    send({ tell: 'connections ended', numbers: ended });
    ended = [];
  };
  const end = (number: number): void => {
    if (ended.length === 0) setImmediate(tellEnded);
    ended.push(number);
  };
  // Before the listener that passes it to the server.
  incoming.prependListener('internalMessage', (message: unknown) => {
    const isConnection = isOfCluster(message) && message.act === 'newconn' && typeof message.seq === 'number';
    handedOver = isConnection ? message.seq : null;
  });
  // After it: connections of a server that is not watched, such as the one for `::1` beside `localhost`, are not
  // counted.
  incoming.on('internalMessage', () => {
    if (handedOver !== null) end(handedOver);
    handedOver = null;
  });
  return {
    watch: (socket: Socket) => {
      const number = handedOver;
      handedOver = null;
      if (number !== null) socket.once('close', () => end(number));
    },
    onRefused: (hear) => {
      hearRefused = hear;
    },
    onCrowded: (hear) => {
      hearCrowded = hear;
    },
    hear: (message) => {
      if (message.tell === 'make room') hearCrowded?.(message.crowd);
      else hearRefused?.(message.reason, message.count);
    },
  };
}
