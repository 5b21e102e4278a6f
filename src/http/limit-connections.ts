// Closes the connections of a process for which there is no room: the newcomer, or in favour of somebody with few an
// idle one of whoever has most.
import type { Server, Socket } from 'node:net';
import type { ConnectionCount, ConnectionRefusal } from '../model/worker-link.ts';
import { runningResponse } from './client-error.ts';
import { countedKeys, type TrustProxy } from './connections.ts';

interface LimitOptions {
  readonly count: ConnectionCount;
  readonly trustProxy: TrustProxy;
  /** Called for each connection that is closed. */
  readonly dropped: (reason: ConnectionRefusal) => void;
}

/**
 * Limits the connections of a server as soon as they are made.
 * @returns closes an idle one of the first of a crowd who has one, because another process of this server needs its
 *   place
 */
export function limitConnections(
  server: Server,
  { count, trustProxy, dropped }: LimitOptions,
): (crowd: readonly string[]) => void {
  const keysOf = countedKeys(trustProxy);
  const held = createHeld();
  const makeRoom = (crowd: readonly string[]): boolean => {
    const isMade = held.closeOne(crowd);
    if (isMade) dropped('connection');
    return isMade;
  };
  // Runs before the listener that starts reading requests.
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    const opened = count.open(address, makeRoom);
    if (typeof opened !== 'function') {
      dropped(opened);
      socket.destroy();
      return;
    }
    const origin = keysOf(address).at(-1);
    if (origin === undefined) socket.once('close', opened);
    else held.add(origin, socket, opened);
  });
  return makeRoom;
}

interface HeldConnections {
  /**
   * @param origin whom it counts for
   * @param release gives its place back; called once, when it is closed here or has ended otherwise
   */
  readonly add: (origin: string, socket: Socket, release: () => void) => void;
  /**
   * Closes one of the first of these origins who has one: the oldest that is idle, else the oldest whose answer is not
   * read yet.
   * @returns whether there was one
   */
  readonly closeOne: (crowd: readonly string[]) => boolean;
}

function createHeld(): HeldConnections {
  const origins = new Map<string, Map<Socket, () => void>>();
  const remove = (origin: string, socket: Socket): void => {
    const own = origins.get(origin);
    const release = own?.get(socket);
    own?.delete(socket);
    if (own?.size === 0) origins.delete(origin);
    release?.();
  };
  return {
    add: (origin, socket, release) => {
      const own = origins.get(origin) ?? new Map<Socket, () => void>();
      origins.set(origin, own.set(socket, release));
      socket.once('close', () => remove(origin, socket));
    },
    closeOne: (crowd) => {
      for (const origin of crowd) {
        const sockets = [...(origins.get(origin)?.keys() ?? [])];
        const socket = sockets.find(isIdle) ?? sockets.find(isUnread);
        if (socket === undefined) continue;
        remove(origin, socket);
        socket.destroy();
        return true;
      }
      return false;
    },
  };
}

/** No head of a request has arrived that is not answered. */
function isIdle(socket: Socket): boolean {
  return runningResponse(socket) === null;
}

/**
 * The whole answer is there, but its client has not read it yet, whether it is slow or reads nothing: a long page that
 * anybody may have would otherwise keep its place.
 */
function isUnread(socket: Socket): boolean {
  return runningResponse(socket)?.writableEnded === true;
}
