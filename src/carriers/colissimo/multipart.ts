// Takes an answer of several parts (RFC 2046) apart, on its bytes: a label is no text and may hold anything.
import { bytesAt } from '../json.ts';

export interface Part {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const crlf = Buffer.from('\r\n');
const headEnd = Buffer.from('\r\n\r\n');

/** Whether a content type says that the answer has several parts. */
export function isMultipart(contentType: string): boolean {
  return /^\s*multipart\//i.test(contentType);
}

/**
 * The parts of an answer.
 * @returns null where the boundary is missing, a part has no end or cannot be decoded, or the closing boundary never
 * comes: half an answer is none
 */
export function parseParts(contentType: string, body: Buffer): readonly Part[] | null {
  const boundary = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  const name = boundary?.[1] ?? boundary?.[2];
  if (name === undefined) return null;
  const parts: Part[] = [];
  // The first boundary may stand at the very beginning, every other one on a line of its own.
  const whole = Buffer.concat([crlf, body]);
  const mark = Buffer.from(`\r\n--${name}`);
  let at = nextMark(whole, mark, 0);
  while (at !== null && !at.isLast) {
    const end = nextMark(whole, mark, at.next);
    if (end === null) return null;
    const part = partOf(whole.subarray(at.next, end.start));
    if (part === null) return null;
    parts.push(part);
    at = end;
  }
  return at === null ? null : parts;
}

interface Mark {
  readonly start: number;
  readonly next: number;
  readonly isLast: boolean;
}

/** The next boundary that is one: a label may hold the same bytes with others behind them. */
function nextMark(bytes: Buffer, mark: Buffer, from: number): Mark | null {
  for (let start = bytes.indexOf(mark, from); start !== -1; start = bytes.indexOf(mark, start + 1)) {
    const next = start + mark.length;
    if (bytes.subarray(next, next + 2).equals(Buffer.from('--'))) return { start, next: next + 2, isLast: true };
    // Spaces may stand behind a boundary.
    const lineEnd = bytes.indexOf(crlf, next);
    if (lineEnd !== -1 && /^[ \t]*$/.test(bytes.toString('latin1', next, lineEnd)))
      return { start, next: lineEnd, isLast: false };
  }
  return null;
}

function partOf(bytes: Buffer): Part | null {
  // A part without headers begins with the empty line.
  const end = bytes.indexOf(headEnd);
  if (end === -1) return null;
  const lines = bytes
    .toString('latin1', 0, end)
    .split('\r\n')
    .filter((line) => line !== '');
  const headers = lines.map(
    (line) =>
      [line.slice(0, line.indexOf(':')).trim().toLowerCase(), line.slice(line.indexOf(':') + 1).trim()] as const,
  );
  const named = Object.fromEntries(headers);
  const body = decoded(bytes.subarray(end + headEnd.length), named['content-transfer-encoding'] ?? 'binary');
  return body === null ? null : { headers: named, body };
}

/** The service sends bytes as they are; what stands between may have made base64 of them. */
function decoded(bytes: Buffer, encoding: string): Buffer | null {
  if (/^base64$/i.test(encoding)) return bytesAt(bytes.toString('latin1'));
  return /^(?:binary|8bit|7bit)$/i.test(encoding) ? bytes : null;
}
