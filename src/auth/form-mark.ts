// Reads over a byte order mark in front of a form, as some programs write it in front of whatever they send.
import type { IncomingMessage } from 'node:http';

/** U+FEFF in UTF-8. */
const byteOrderMark = Buffer.from('\ufeff');
/** No parameter of a form, in as many bytes: so the length that the request tells stays right. */
const noParameter = Buffer.from('&&&');

/** Makes the provider, which reads the body by itself, read over a byte order mark. */
export function readOverMark(request: IncomingMessage): void {
  const iterator = request.iterator.bind(request);
  const read: IncomingMessage['iterator'] = (options) => blanked(iterator(options));
  Object.assign(request, { iterator: read });
}

async function* blanked(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer, undefined, undefined> {
  let first: Buffer | null = Buffer.alloc(0);
  for await (const piece of pieces) {
    if (first !== null) first = Buffer.concat([first, piece]);
    if (first !== null && first.length < byteOrderMark.length) continue;
    yield first === null ? piece : withoutLeadingMark(first);
    first = null;
  }
  if (first !== null) yield first;
}

function withoutLeadingMark(bytes: Buffer): Buffer {
  const rest = bytes.subarray(byteOrderMark.length);
  return bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark) ? Buffer.concat([noParameter, rest]) : bytes;
}

/** The text of a form that was read already. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
