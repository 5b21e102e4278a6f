// Supervises responses that their clients do not read: they count as memory in flight, and their connection is closed
// if they are not read in time.
import type { ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Pace } from './body-pace.ts';

/**
 * To be called when a response was passed to its connection; costs next to nothing if all of it was sent at once.
 * @param length bytes to be sent
 * @param isStream they are not all in memory
 */
export type AnswerWatch = (response: ServerResponse, length: number, isStream: boolean) => void;

/**
 * Makes the supervisor of responses to one principal.
 * @param pace as for bodies: how long there may be no progress, and the bytes per second that the response as a whole
 *   must reach beyond that
 * @param add counts bytes in flight and returns a function that releases them
 * @param ended is called for a response that was not read in time
 */
export function watchAnswer(
  { graceMs, minBytesPerSecond }: Pace,
  add: (bytes: number) => () => void,
  ended: () => void,
): AnswerWatch {
  return (response, length, isStream) => {
    const { socket } = response.req;
    if (response.closed || (!isStream && response.writableLength === 0) || !(socket instanceof Socket)) return;
    const giveBack = add(isStream ? Math.min(length, streamBufferBytes) : length);
    const since = performance.now();
    // Node closes the connection when there has been no progress at all for this long; the other limit is for clients
    // that read a byte now and then.
    socket.setTimeout(graceMs);
    const limit = setTimeout(() => socket.destroy(), graceMs + (length / minBytesPerSecond) * 1000);
    response.once('close', () => {
      clearTimeout(limit);
      giveBack();
      if (!response.writableFinished && performance.now() - since >= graceMs) ended();
    });
  };
}

/** What is buffered between a stream and its socket. */
const streamBufferBytes = 131_072;
