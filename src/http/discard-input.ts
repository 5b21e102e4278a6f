// Discards input that was already read from a connection: Node's parser would otherwise go through all of it, 64 kB,
// and call back for each piece of a body and each request in it, though nobody wants them any more.
import type { Socket } from 'node:net';

/** Names of the parser's callbacks, which its class maps to the numbers under which the parser stores the functions. */
const callbacks = ['kOnHeaders', 'kOnHeadersComplete', 'kOnBody', 'kOnMessageComplete'] as const;

/**
 * Makes the parser skip the rest of what was read, and stops reading: must be called within one of its callbacks, for a
 * connection that is to end. A piece of a body then costs 0.05 µs instead of 1.5.
 *
 * Node has no public interface for this. If it stores its callbacks elsewhere one day, the rest is processed as before;
 * a test measures that.
 */
export function discardRest(socket: Socket): void {
  socket.pause();
  const parser = parserOf(socket);
  if (parser === null) return;
  const kept = callbacks.map((name) => {
    const place: unknown = Reflect.get(parser.constructor, name);
    const callback: unknown = typeof place === 'number' ? Reflect.get(parser, place) : undefined;
    if (typeof place !== 'number' || typeof callback !== 'function') return () => true;
    Reflect.set(parser, place, null);
    return () => Reflect.set(parser, place, callback);
  });
  // The parser will serve other connections. None has it yet: this connection is closed after the current round of the
  // loop at the earliest.
  setImmediate(() => {
    // Again, because Node resumes a connection after processing what was read.
    socket.pause();
    for (const putBack of kept) putBack();
  });
}

function parserOf(socket: Socket): object | null {
  const parser: unknown = 'parser' in socket ? socket.parser : null;
  return typeof parser === 'object' ? parser : null;
}
