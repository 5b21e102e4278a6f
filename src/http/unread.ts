// What becomes of the part of a body that nobody reads, so that neither the connection nor the answer is lost over it.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { announcesBody } from './body-rules.ts';

/** True where the client waits for `100 Continue` before it sends its body (RFC 9110, section 10.1.1). */
export function expectsContinue({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.expect !== undefined && httpVersion === '1.1' && /(?:^|\W)100-continue(?:$|\W)/i.test(headers.expect);
}

/**
 * To be called before the answer of a request is sent. What is left of a short body is read and dropped behind the
 * answer, and the connection goes on; with a long one, or one of unknown length, the connection ends with the answer.
 * @param closing the connection ends anyway
 * @returns whether it ends, so that the answer must say `Connection: close`
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

/** Bytes: for the sake of the connection, and of a client that reads the answer only when it has sent its body. */
const maxDroppedBytes = 65_536;
const maxDroppedBytesAtEnd = 1_048_576;
const maxDroppingMs = 5000;
const maxClosingMs = 1000;

/** Reads on as far as is bearable; left to itself, Node would read the whole body behind the answer. */
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
 * Makes Node take its time when it closes the connection after the answer: where unread bytes are left, closing at once
 * resets the connection, and the client may lose the answer (RFC 9112, section 9.6).
 */
function closeGently(socket: Socket): void {
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), maxClosingMs).unref();
  };
}
