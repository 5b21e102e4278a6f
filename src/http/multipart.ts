// Reads the single file of a multipart/form-data body (RFC 7578) as it arrives, and refuses anything other than exactly
// one file.
import type { ReasonCode } from '../model/reason-codes.ts';
import { textBlock } from '../model/text-block.ts';
import { Readable } from 'node:stream';
import { Problem } from '../model/problem.ts';
import type { Reason } from '../model/record.ts';
import { quoted } from '../model/text.ts';
import { fileNameOf } from './file-name.ts';
import { parameterized } from './header-parameters.ts';
import { type PartHeaders, partHeaders } from './part-headers.ts';
import { partReader, type PartReader } from './part-reader.ts';
import type { Call } from './route.ts';

/** The single file of a form. */
export interface SingleFile {
  /**
   * The name given by the client: in NFC, 1 to 255 characters, without folders and control characters. Null when it
   * gave none.
   */
  readonly name: string | null;
  /** Media type declared by the client, in lower case and without parameters; null when it declared none. */
  readonly type: string | null;
  /**
   * The bytes, as fast as they are consumed. The end of the stream confirms that the body was exactly one file and is
   * complete; otherwise the stream fails with a Problem: 400, 408, or 413.
   */
  readonly content: Readable;
}

/**
 * A form that is complete, but does not contain exactly one file: a mistake in how the client fills it in. An endpoint
 * that returns an OperationResult reports it there (interface 4.9); elsewhere it is a 400.
 */
export class FormFault extends Problem {
  readonly reason: Reason;

  /** @param part name of the faulty part */
  constructor(code: ReasonCode, detail: string, part = 'file') {
    super('validation-failed', detail, { errors: { [part]: [detail] } });
    this.reason = { code, pointer: '/file', detail };
  }
}

/**
 * Reads a body up to the content of its part `file`.
 * @param limit most bytes of the content; the limit of the route is that of the whole body
 * @throws Problem `invalid-request` when the body is not multipart/form-data, `FormFault` when it contains anything
 *   other than one part `file`, and those of `Call.bodyStream`
 */
export async function readSingleFile(call: Call, limit: number): Promise<SingleFile> {
  const boundary = boundaryOf(call.header('content-type') ?? '');
  const reader = partReader(call.bodyStream(), boundary);
  try {
    const head = (await reader.isEmpty()) ? null : await reader.nextPart();
    if (head === null) throw missing('required', 'The form is empty.');
    const headers = partHeaders(head);
    refuseOtherParts(headers);
    return { name: fileNameOf(headers.disposition), type: headers.type, content: contentOf(reader, limit) };
  } catch (error) {
    reader.close();
    throw error;
  }
}

/** The bytes of the part; after the last one, checks that nothing else follows. */
function contentOf(reader: PartReader, limit: number): Readable {
  async function* bytes(): AsyncGenerator<Buffer> {
    let length = 0;
    try {
      for await (const piece of reader.content()) {
        length += piece.length;
        if (length > limit) throw new Problem('payload-too-large', `The file may have ${limit} bytes.`);
        yield piece;
      }
      const next = await reader.nextPart();
      if (next !== null) throw another(partHeaders(next));
    } finally {
      reader.close();
    }
  }
  // The body may turn out to be truncated before anybody listens; a later listener still gets the error.
  return Readable.from(bytes(), { objectMode: false, highWaterMark: 65_536 }).on('error', () => {});
}

function boundaryOf(contentType: string): string {
  const type = parameterized(contentType);
  const boundary = type?.parameters.get('boundary') ?? '';
  if (type?.value !== 'multipart/form-data' || boundary === '') {
    throw broken(
      textBlock`
        Content-Type must be multipart/form-data with a boundary. Let your HTTP client make the header together with the
        body.
      `,
    );
  }
  if (!/^[\x20-\x7e]{1,70}$/.test(boundary) || boundary.endsWith(' ')) {
    throw broken(
      'The boundary in Content-Type is not valid: it has 1 to 70 printable ASCII characters, the last one not a space.',
    );
  }
  return boundary;
}

/** Refuses a part that is not the file. */
function refuseOtherParts(headers: PartHeaders): void {
  if (headers.name !== 'file') throw another(headers);
  if (
    headers.disposition.has('filename') ||
    headers.disposition.has('filename*') ||
    (headers.type !== null && headers.type !== 'text/plain')
  )
    return;
  throw missing('wrong-type', 'The part is a plain field, not a file: it has no file name.');
}

function broken(detail: string): Problem {
  return new Problem('invalid-request', detail);
}

function missing(code: ReasonCode, what: string, part?: string): FormFault {
  return new FormFault(code, `${what} Send exactly one part, a file with the name 'file'.`, part);
}

function another({ name }: PartHeaders): FormFault {
  if (name === 'file') return new FormFault('too-many', 'There is more than one file. Send exactly one part.');
  const called = name === '' ? 'has no name' : `is called ${quoted(name)}`;
  return missing(
    'unknown-property',
    `The form has a part that is not the file: it ${called}.`,
    name.slice(0, 64) || undefined,
  );
}
