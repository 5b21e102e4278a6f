// Handles the part of a body that nobody reads, so that neither the connection nor the response is lost because of it.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { announcesBody } from './body-rules.ts';

/** True where the client waits for `100 Continue` before it sends its body (RFC 9110, section 10.1.1). */
export function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect);
}

/**
 * To be called before the response to a request is sent. The rest of a short body is read and dropped after the
 * response, and the connection continues; with a long body, or one of unknown length, the connection ends with the
 * response.
 * @param closing the connection ends anyway
 * @returns whether it ends, so that the response must contain `Connection: close`
 */
export function dropUnread(request: IncomingMessage, closing: boolean): boolean {
  if (request.complete || !announcesBody(request.headers)) return closing;
  const waiting = expectsContinue(request) && !request.readableDidRead;
  const short =
    request.headers['transfer-encoding'] === undefined && Number(request.headers['content-length']) <= maxDroppedBytes;
  if (short && !waiting && !closing) {
    const limit = setTimeout(() => request.destroy(), maxDroppingMs).unref();
    request.once('end', () => clearTimeout(limit)).resume();
    return false;
  }
  dropSome(request);
  closeGently(request.socket);
  return true;
}

/** Bytes: to keep the connection, and for a client that reads the response only after sending its body. */
const maxDroppedBytes = 65_536;
const maxDroppedBytesAtEnd = 1_048_576;
const maxDroppingMs = 5000;
const maxClosingMs = 1000;

/** Reads on up to a limit; by default, Node would read the whole body after the response. */
function dropSome(request: IncomingMessage): void {
  let dropped = 0;
  request
    .on('data', (chunk: Buffer) => {
      dropped += chunk.length;
      if (dropped > maxDroppedBytesAtEnd) request.pause();
    })
    .resume();
}

/**
 * Makes Node delay closing the connection after the response: with unread bytes left, closing at once resets the
 * connection, and the client may lose the response (RFC 9112, section 9.6).
 */
function closeGently(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), maxClosingMs).unref();
  };
}
