// Splits a multipart body as it arrives (RFC 2046, section 5.1.1): headers of a part, its content, and so on to the
// last boundary.
import { textBlock } from '../model/text-block.ts';
import type { Readable } from 'node:stream';
import { Problem } from '../model/problem.ts';

/** Every member throws Problem `invalid-request` for a malformed body, and what the source throws. */
export interface PartReader {
  /** True when the body is empty except for a byte order mark; must be called first. */
  readonly isEmpty: () => Promise<boolean>;
  /**
   * Header lines of the next part, each character one byte, without the end of the last one; null after the last
   * boundary, when the body has been read to its end.
   */
  readonly nextPart: () => Promise<string | null>;
  /** Content of the part whose headers were read last; must be read to its end before the next part. */
  readonly content: () => AsyncGenerator<Buffer>;
  /** Stops reading the source. */
  readonly close: () => void;
}

/** @param boundary 1 to 70 ASCII characters, without the dashes in front */
export function partReader(source: Readable, boundary: string): PartReader {
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  const window = createWindow(source);
  let first = true;
  return {
    isEmpty: async () => !(await window.begin()),
    nextPart: async () => {
      if (first) {
        await window.begin();
        await upTo(window, delimiter, noBoundary, noBoundary);
      }
      first = false;
      window.drop(delimiter.length);
      if (await isLast(window)) {
        while (await window.more()) window.drop(window.bytes().length);
        return null;
      }
      const padding = await upTo(window, lineEnd, notAlone, cutShort);
      if (!/^[ \t]*$/.test(padding.toString('latin1'))) throw broken(notAlone);
      const head = await upTo(
        window,
        headEnd,
        `The headers of a part may have ${maxHeadBytes} bytes together.`,
        cutShort,
      );
      // One line end stays: if there is no content, it is the one that belongs to the boundary.
      window.drop(lineEnd.length);
      return head.toString('latin1', lineEnd.length);
    },
    content: () => content(window, delimiter),
    close: () => source.destroy(),
  };
}

/** The most bytes before the first boundary, and of the headers of a part. */
const maxHeadBytes = 8192;
const lineEnd = Buffer.from('\r\n');
const byteOrderMark = Buffer.from('\ufeff');
const headEnd = Buffer.from('\r\n\r\n');

const noBoundary = textBlock`
    The boundary that Content-Type names does not occur in the body, at the start of a line that follows a carriage
    return and a line feed.
  `;
const notAlone = textBlock`
    Behind a boundary something else follows than the end of its line. The boundary may not occur inside of the content.
  `;
const cutShort =
  'The form ends before its last boundary: it was cut, or its lines do not end with carriage return and line feed.';

/** The bytes that have arrived and were not consumed yet. */
interface Window {
  readonly bytes: () => Buffer;
  /** Skips a byte order mark; false when the body is empty. */
  readonly begin: () => Promise<boolean>;
  /** Waits for more; false at the end of the body. */
  readonly more: () => Promise<boolean>;
  readonly drop: (count: number) => void;
}

function createWindow(source: Readable): Window {
  const pieces: AsyncIterator<Buffer> = source[Symbol.asyncIterator]();
  // A boundary is at the start of a line, and the first line has no line end before it.
  let held: Buffer = lineEnd;
  const more = async (): Promise<boolean> => {
    const piece = await pieces.next();
    if (piece.done === true) return false;
    held = held.length === 0 ? piece.value : Buffer.concat([held, piece.value]);
    return true;
  };
  return {
    bytes: () => held,
    begin: async () => {
      const start = lineEnd.length;
      while (held.length < start + byteOrderMark.length && (await more()));
      if (held.subarray(start, start + byteOrderMark.length).equals(byteOrderMark))
        held = Buffer.concat([lineEnd, held.subarray(start + byteOrderMark.length)]);
      return held.length > start;
    },
    more,
    drop: (count) => {
      held = held.subarray(count);
    },
  };
}

/** Consumes what precedes a mark; the mark stays. */
async function upTo(window: Window, mark: Buffer, tooMuch: string, cut: string): Promise<Buffer> {
  let at = window.bytes().indexOf(mark);
  while (at === -1 && window.bytes().length <= maxHeadBytes) {
    if (!(await window.more())) throw broken(cut);
    at = window.bytes().indexOf(mark);
  }
  if (at === -1 || at > maxHeadBytes) throw broken(tooMuch);
  const taken = window.bytes().subarray(0, at);
  window.drop(at);
  return taken;
}

/** Two dashes after a boundary make it the last one. */
async function isLast(window: Window): Promise<boolean> {
  while (window.bytes().length < 2) if (!(await window.more())) throw broken(cutShort);
  return window.bytes().toString('latin1', 0, 2) === '--';
}

/** Yields the content of a part in pieces: everything that cannot be the start of a boundary. */
async function* content(window: Window, delimiter: Buffer): AsyncGenerator<Buffer> {
  // The line end after the headers.
  let skip = lineEnd.length;
  let at = window.bytes().indexOf(delimiter);
  while (at === -1) {
    const sure = window.bytes().length - delimiter.length + 1;
    if (sure > skip) {
      yield window.bytes().subarray(skip, sure);
      window.drop(sure);
      skip = 0;
    }
    if (!(await window.more())) throw broken(cutShort);
    at = window.bytes().indexOf(delimiter);
  }
  if (at > skip) yield window.bytes().subarray(skip, at);
  window.drop(at);
}

function broken(detail: string): Problem {
  return new Problem('invalid-request', detail);
}
