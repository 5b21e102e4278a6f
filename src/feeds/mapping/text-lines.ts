// Splits a text file into lines as it arrives: decoded and numbered; a line that cannot be decoded still counts as one.
import { isUtf8 } from 'node:buffer';
import type { Reason } from '../../model/record.ts';
import { textBlock } from '../../model/text-block.ts';
import { encodingShownBy } from '../first-bytes.ts';
import { MessageFault } from '../message-fault.ts';

type Encoding = 'utf-8' | 'windows-1252';

/** One line of a file, without its line break. */
export interface TextLine {
  /** From 1. */
  readonly line: number;
  /** Null when it was too long to hold. */
  readonly text: string | null;
  /** Why it cannot be accepted; its text is then what can be displayed of it. */
  readonly fault: Reason | null;
}

interface LineSplitter {
  readonly push: (chunk: Buffer) => TextLine[];
  readonly end: () => TextLine[];
}

/** Bytes of one line: longer than any line of a warehouse system. */
const maxLineBytes = 1024 * 1024;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Splits a file into lines that end with a line feed, or a carriage return and one; the last needs none.
 * @param quote the quote around values that may contain a carriage return
 * @throws MessageFault from push or end when the file begins like one of another encoding, is compressed, or its first
 *   line continues after a bare carriage return
 */
export function splitTextLines(encoding: Encoding, quote: string | null, limit = maxLineBytes): LineSplitter {
  let line = 1;
  let head: Buffer | null = Buffer.alloc(0);
  let carried: Buffer[] = [];
  let carriedLength = 0;
  let isTooLong = false;

  const take = (bytes: Buffer): TextLine => {
    const whole = carriedLength === 0 ? bytes : Buffer.concat([...carried, bytes]);
    const found =
      isTooLong || whole.length > limit ? tooLong(line, limit) : checkedEnd(decoded(whole, line, encoding), quote);
    carried = [];
    carriedLength = 0;
    isTooLong = false;
    line += 1;
    return found;
  };

  const split = (chunk: Buffer): TextLine[] => {
    const found: TextLine[] = [];
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
      found.push(take(chunk.subarray(start, end)));
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (rest.length === 0 || isTooLong) return found;
    carried.push(rest);
    carriedLength += rest.length;
    if (carriedLength > limit) {
      carried = [];
      carriedLength = 0;
      isTooLong = true;
    }
    return found;
  };

  return {
    push(chunk) {
      if (head === null) return split(chunk);
      head = Buffer.concat([head, chunk]);
      if (head.length < 3) return [];
      const start = withoutMark(head, encoding);
      head = null;
      return split(start);
    },
    end() {
      const found = head === null ? [] : split(withoutMark(head, encoding));
      head = null;
      return carriedLength > 0 || isTooLong ? [...found, take(Buffer.alloc(0))] : found;
    },
  };
}

function decoded(bytes: Buffer, line: number, encoding: Encoding): TextLine {
  const end = bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
  const content = bytes.subarray(0, end);
  if (encoding === 'utf-8') {
    if (isUtf8(content)) return { line, text: content.toString('utf8'), fault: null };
    return { line, text: windows1252(content), fault: badEncoding(notUtf8) };
  }
  const text = windows1252(content);
  // Taken as Windows-1252, "Schön" of a file that is UTF-8 would reach clients as "SchÃ¶n".
  if (beginsInUtf8.test(text) && isUtf8(content))
    return { line, text: content.toString('utf8'), fault: badEncoding(utf8Not1252) };
  return { line, text, fault: undefinedIn1252.test(text) ? badEncoding(not1252) : null };
}

/** What follows a bare carriage return is not part of this line, and would be lost with it. */
function checkedEnd(found: TextLine, quote: string | null): TextLine {
  const { line, text, fault } = found;
  if (text === null || fault !== null || !text.includes('\r')) return found;
  const outside = quote === null ? text : text.replaceAll(new RegExp(`${quote}[^${quote}]*${quote}`, 'g'), '');
  if (!outside.trimEnd().includes('\r')) return found;
  const what = 'Lines of the file end with a carriage return alone.';
  const remedy = 'Save it with line feeds, or with a carriage return and a line feed.';
  if (line === 1) throw new MessageFault('line-ends', what, remedy);
  return { line, text, fault: { code: 'line-ends', pointer: '', detail: `${what} ${remedy}` } };
}

/** Windows-1252 as the Encoding Standard decodes it: five undefined bytes become control characters. */
function windows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replaceAll(/[\u0080-\u009f]/g, (letter) => upper1252[letter.charCodeAt(0) - 128] ?? letter);
}

const upper1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const undefinedIn1252 = /[\u0081\u008d\u008f\u0090\u009d]/;

/** With what letters and signs of Western Europe begin in UTF-8, read as Windows-1252. */
const beginsInUtf8 = /[ÂÃâ]/;

const notUtf8 =
  'The line is not UTF-8; it is shown here as if it were Windows-1252. Check it, or say "encoding": "windows-1252".';
const utf8Not1252 =
  'The line is UTF-8, as which it is shown here, and the mapping says Windows-1252. Save it so, or correct "encoding".';
const not1252 = 'The line has bytes that no character of Windows-1252 has. Check it, or the encoding of the file.';

function badEncoding(detail: string): Reason {
  return { code: 'bad-encoding', pointer: '', detail };
}

function tooLong(line: number, limit: number): TextLine {
  const detail = textBlock`
    The line is longer than ${limit} bytes; its text is left out here. Check that lines end with a line feed.
  `;
  return { line, text: null, fault: { code: 'record-too-long', pointer: '', detail } };
}

function withoutMark(head: Buffer, encoding: Encoding): Buffer {
  const shown = encodingShownBy(head);
  const wanted = encoding === 'utf-8' ? 'UTF-8' : 'Windows-1252';
  if (shown === 'utf-16') throw new MessageFault('utf-16', 'The file is UTF-16 or no text.', `Save it as ${wanted}.`);
  if (shown === 'gzip') throw new MessageFault('compressed', 'The file is compressed.', 'Unpack it first.');
  if (shown === null) return head;
  if (encoding === 'utf-8') return head.subarray(3);
  throw new MessageFault(
    'utf-8',
    'The file is marked as UTF-8, and the mapping says Windows-1252.',
    'Correct "encoding".',
  );
}
