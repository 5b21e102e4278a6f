// In charge of how a server that is about to stop leaves its connections: each ends with an answer, none is cut.
import type { Server, ServerResponse } from 'node:http';
import { Server as NetServer } from 'node:net';
import { createArrivals } from '../model/arrivals.ts';

/** The answers that are not over yet. */
export interface LastAnswers {
  /**
   * Is told of each answer before its header is made.
   * @returns what is to be called when it is over
   */
  readonly begin: (answer: ServerResponse) => () => void;
  /**
   * From now on every answer whose header is not made yet, running ones too, says `Connection: close`, so that a proxy
   * sends nothing more on a connection that is going to be closed (RFC 9112, section 9.6).
   */
  readonly endConnections: () => void;
}

export function createLastAnswers(): LastAnswers {
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
 * Takes no more connections, and serves those that it has a little longer: who connected in the last moment has sent a
 * request by then, and gets its answer. To close them with the port, as a server does that is closed, would lose it.
 * @param then is called when every request on such a connection has come
 */
export function closePort(server: Server, then: () => void): void {
  quietTurn(() => {
    NetServer.prototype.close.call(server);
    setTimeout(then, lastRequestsMs);
  });
}

const lastRequestsMs = 500;

/**
 * Waits for a turn of the event loop that took no time: by then the program has taken what connections the system has
 * for it. Those that it has not taken are reset when the port is closed.
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
