// How a server that is about to stop leaves its connections: each ends with a response, none is cut.
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { createArrivals } from '../model/arrivals.ts';

/** The responses that are not finished yet. */
export interface ConnectionDraining {
  /**
   * Called with each response before its header is sent.
   * @returns a function to call when it is finished
   */
  readonly begin: (answer: ServerResponse) => () => void;
  /**
   * From now on every response whose header has not been sent yet, including running ones, contains
   * `Connection: close`, so that a proxy sends nothing more on a connection that is going to be closed (RFC 9112,
   * section 9.6).
   */
  readonly endConnections: () => void;
}

export function createConnectionDraining(): ConnectionDraining {
  const open = createArrivals<ServerResponse>();
  let ending = false;
  return {
    begin: (answer) => {
      if (ending) answer.shouldKeepAlive = false;
      return open.add(answer);
    },
    endConnections: () => {
      ending = true;
      for (const answer of open.all()) answer.shouldKeepAlive = false;
    },
  };
}

/**
 * Accepts no more connections, and serves the existing ones a little longer: a client that connected at the last moment
 * has sent a request by then, and gets its response. Closing them with the port, as a server normally does, would lose
 * it.
 * @param then is called when every request on such a connection has arrived
 */
export function closePort(server: Server, then: () => void): void {
  quietTurn(() => {
    NetServer.prototype.close.call(server);
    setTimeout(then, lastRequestsMs);
  });
}

const lastRequestsMs = 500;

/**
 * Waits for a turn of the event loop that took no time: by then the program has accepted all connections that the
 * system has queued for it. Those not accepted are reset when the port is closed.
 */
function quietTurn(then: () => void, turns = maxTurns): void {
  const began = performance.now();
  setImmediate(() => {
    if (turns <= 1 || performance.now() - began < quietTurnMs) then();
    else quietTurn(then, turns - 1);
  });
}

const quietTurnMs = 0.5;
const maxTurns = 200;
