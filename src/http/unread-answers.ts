// Sees to answers that their clients do not read: they count as memory in flight, and the connection ends where nobody
// takes them.
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Pace } from './body.ts';

/**
 * To be called when an answer was handed to its connection; costs next to nothing where all of it went out at once.
 * @param length bytes that are to be sent
 * @param isStream they are not all in memory
 */
export type AnswerWatch = (response: ServerResponse, length: number, isStream: boolean) => void;

/**
 * Makes the watch over the answers to one principal.
 * @param pace as for bodies: how long nothing may move, and the bytes per second that the answer as a whole must reach
 * beyond that
 * @param add counts bytes in flight and gives what takes them back
 * @param ended is told of an answer that was not read in time
 */
export function watchAnswer(
  { graceMs, minBytesPerSecond }: Pace,
  add: (bytes: number) => () => void,
  ended: () => void,
): AnswerWatch {
  return (response, length, isStream) => {
    const { socket } = response.req;
    if (response.closed || (!isStream && response.writableLength === 0) || !(socket instanceof Socket)) return;
    const giveBack = add(isStream ? Math.min(length, heldByStream) : length);
    const since = performance.now();
    // Node ends the connection where nothing at all has moved for so long; the other limit is for those who take a byte
    // now and then.
    socket.setTimeout(graceMs);
    const limit = setTimeout(() => socket.destroy(), graceMs + (length / minBytesPerSecond) * 1000);
    response.once('close', () => {
      clearTimeout(limit);
      giveBack();
      if (!response.writableFinished && performance.now() - since >= graceMs) ended();
    });
  };
}

/** What lies between a stream and its socket. */
const heldByStream = 131_072;
