// Skips the byte order mark that some programs write in front of every form.
import type { IncomingMessage } from 'node:http';

/** U+FEFF in UTF-8. */
const byteOrderMark = Buffer.from('\ufeff');
/** Empty form parameters of the same number of bytes, so that the declared length stays correct. */
const noParameter = Buffer.from('&&&');

/** Makes the provider, which reads the body itself, skip a byte order mark. */
export function skipByteOrderMark(request: IncomingMessage): void {
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

/** The same for the text of a form that has already been read. */
export function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}
