// The headers of one part of a form: its name and its type (RFC 7578, section 4).
import { textBlock } from '../model/text-block.ts';
import { Problem } from '../model/problem.ts';
import { parameterized } from './header-parameters.ts';

export interface PartHeaders {
  /** Name of the field; '' when it has none. */
  readonly name: string;
  /** Parameters of `Content-Disposition`, each character one byte; names in lower case. */
  readonly disposition: ReadonlyMap<string, string>;
  /** Media type in lower case without parameters; null when the part has none. */
  readonly type: string | null;
}

const maxHeaderLines = 16;

/**
 * Parses a block of header lines.
 * @param block each character one byte; without the line end of its last line
 * @throws Problem `invalid-request`
 */
export function partHeaders(block: string): PartHeaders {
  const lines = block === '' ? [] : block.split('\r\n');
  if (lines.length > maxHeaderLines) throw broken(`A part of the form may have ${maxHeaderLines} header lines.`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = headerLine.exec(line) ?? [];
    if (name === '')
      throw broken('A header line of a part is not valid: it is a name, a colon and a text, in one line.');
    if (headers.has(name.toLowerCase())) throw broken('A part of the form has the same header line twice.');
    headers.set(name.toLowerCase(), value.trim());
  }
  const coding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary';
  if (!['binary', '8bit', '7bit'].includes(coding))
    throw broken(
      'A part of the form has a Content-Transfer-Encoding. Send its bytes as they are (RFC 7578, section 4.7).',
    );
  const disposition = parameterized(headers.get('content-disposition') ?? '');
  if (disposition?.value !== 'form-data') {
    throw broken(
      textBlock`
        A part of the form has no readable Content-Disposition. It must be like: form-data; name="file";
        filename="invoice.pdf".
      `,
    );
  }
  const name = disposition.parameters.get('name') ?? '';
  return { name, disposition: disposition.parameters, type: typeOf(headers.get('content-type')) };
}

/** Values are visible characters, blanks and bytes beyond ASCII (RFC 9110, section 5.5). */
const headerLine = /^([\w!#$%&'*+.^`|~-]+):([\t\x20-\x7e\x80-\xff]*)$/;

function typeOf(text: string | undefined): string | null {
  if (text === undefined || text === '') return null;
  const type = parameterized(text);
  if (type === null) throw broken('The Content-Type of a part is not valid.');
  return type.value;
}

function broken(detail: string): Problem {
  return new Problem('invalid-request', detail);
}
