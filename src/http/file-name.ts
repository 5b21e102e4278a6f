// The name that a client gave a file: decoded, and reduced to a mere name.
import { textBlock } from '../model/text-block.ts';
import { Problem } from '../model/problem.ts';
import { withoutMarkRuns } from '../model/text.ts';

/** The most characters of a file name. */
export const maxFileNameLength = 255;

/**
 * Reads the file name from the parameters of a `Content-Disposition`. `filename*` (RFC 8187) takes precedence over
 * `filename`, which is UTF-8, or Latin-1 if it is not valid UTF-8, with `%22`, `%0D` and `%0A` for what a header cannot
 * contain (as browsers write it).
 * @param disposition parameters, each character one byte
 * @returns null when there is no usable name
 * @throws Problem `invalid-request` when `filename*` cannot be decoded
 */
export function fileNameOf(disposition: ReadonlyMap<string, string>): string | null {
  const extended = disposition.get('filename*');
  const plain = disposition.get('filename');
  if (extended !== undefined) return cleanName(extendedText(extended));
  return plain === undefined ? null : cleanName(plainText(plain));
}

/** A name without folders, control characters, text direction marks, and long runs of combining marks. */
function cleanName(text: string): string | null {
  const last = text.split(/[/\\]/).at(-1) ?? '';
  const visible = last.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, '');
  const name = withoutMarkRuns(visible).normalize('NFC').trim();
  return name === '' || name === '.' || name === '..' ? null : shortened(name);
}

/** Shortens a name before its extension, so that it still shows the kind of file. */
function shortened(name: string): string {
  if (name.length <= maxFileNameLength) return name;
  const [ending = ''] = /\.[^.]{1,16}$/.exec(name) ?? [];
  // An unpaired surrogate is no character.
  return name.slice(0, maxFileNameLength - ending.length).replace(/[\ud800-\udbff]$/, '') + ending;
}

function plainText(bytes: string): string {
  return (utf8(bytes) ?? bytes).replaceAll(/%(22|0D|0A)/gi, (_text, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function extendedText(text: string): string {
  const [, charset = '', encoded = ''] =
    /^(utf-8|iso-8859-1)'[^']*'((?:%[\da-f]{2}|[\w!#$&+.^`|~-])*)$/i.exec(text) ?? [];
  const bytes = encoded.replaceAll(/%([\da-f]{2})/gi, (_text, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  const name = charset.toLowerCase() === 'iso-8859-1' ? bytes : utf8(bytes);
  if (charset === '' || name === null)
    throw new Problem(
      'invalid-request',
      textBlock`
        The file name in filename* cannot be read: it is written UTF-8''invoice%20%E2%82%AC.pdf (RFC 8187), or better as
        filename in UTF-8.
      `,
    );
  return name;
}

/** @returns null when the bytes are not UTF-8 */
function utf8(bytes: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return null;
  }
}
