// Splits an answer of several parts (RFC 2046), as bytes: a label is not text and may hold any byte.
import { Readable } from 'node:stream';
import { partReader } from '../../http/part-reader.ts';
import { Problem } from '../../model/problem.ts';
import { bytesAt } from '../json.ts';

export interface Part {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Whether a content type says that the answer has several parts. */
export function isMultipart(contentType: string): boolean {
  return /^\s*multipart\//i.test(contentType);
}

/**
 * The parts of an answer.
 * @returns null if the boundary is missing, a part has no end or cannot be decoded, or the closing boundary never
 *   comes: a partial answer counts as none
 */
export async function parseParts(contentType: string, body: Buffer): Promise<readonly Part[] | null> {
  const boundary = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  const name = boundary?.[1] ?? boundary?.[2];
  if (name === undefined) return null;
  const reader = partReader(Readable.from([body]), name);
  const parts: Part[] = [];
  try {
    for (let head = await reader.nextPart(); head !== null; head = await reader.nextPart()) {
      const headers = headersIn(head);
      const bytes = decoded(
        Buffer.concat(await Array.fromAsync(reader.content())),
        headers['content-transfer-encoding'] ?? 'binary',
      );
      if (bytes === null) return null;
      parts.push({ headers, body: bytes });
    }
    return parts;
  } catch (error) {
    if (error instanceof Problem) return null;
    throw error;
  } finally {
    reader.close();
  }
}

function headersIn(head: string): Readonly<Record<string, string>> {
  const lines = head.split('\r\n').filter((line) => line.includes(':'));
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).trim().toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
}

/** The service sends raw bytes; an intermediary may have turned them into base64. */
function decoded(bytes: Buffer, encoding: string): Buffer | null {
  if (/^base64$/i.test(encoding)) return bytesAt(bytes.toString('latin1'));
  return /^(?:binary|8bit|7bit)$/i.test(encoding) ? bytes : null;
}
