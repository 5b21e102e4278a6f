// Reads the header Idempotency-Key.
import { invalidParameter } from '../model/parameters.ts';
import { textBlock } from '../model/text-block.ts';

const headerName = 'Idempotency-Key';

/**
 * The key of a request: a structured-field string (RFC 9651, section 3.3.3), or visible characters without quotes; null
 * without the header.
 * @throws Problem `invalid-parameter`
 */
export function readKey(header: string | undefined): string | null {
  if (header === undefined) return null;
  const quoted = /^"((?:[^"\\]|\\["\\])*)"$/.exec(header)?.[1];
  const key = quoted === undefined ? header : quoted.replaceAll(/\\(["\\])/g, '$1');
  const allowed = quoted === undefined ? /^(?!")[\x21-\x7e]{1,255}$/ : /^[\x20-\x7e]{1,255}$/;
  if (!allowed.test(key)) {
    invalidParameter(
      headerName,
      textBlock`
        Header ${headerName}: expected one key of 1 to 255 ASCII characters, in double quotes (with a backslash before a
        quote or a backslash inside), or without where it has no blanks.
      `,
    );
  }
  return key;
}
