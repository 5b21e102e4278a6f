// Decodes an XML document from any of the encodings used in Europe.
import { XmlError } from './element.ts';

/** The encodings that European carriers use, as `TextDecoder` calls them: ASCII and Latin-1 are Windows-1252 there. */
const encodings: readonly string[] = ['utf-8', 'utf-16be', 'utf-16le', 'windows-1252', 'iso-8859-15'];

/**
 * The text of a document. Its byte order mark decides before the encoding that it declares, and that before the charset
 * of the answer (RFC 7303, 3): servers name one without having looked.
 * @throws XmlError if the encoding is none that is read here, or not that of the document
 */
export function xmlTextOf(body: Buffer, charset: string | null): string {
  const declared = /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w.-]+)["']/.exec(body.toString('latin1', 0, 200))?.[1];
  const encoding = knownAs(marked(body) ?? declared ?? charset ?? 'utf-8');
  if (encoding === null) throw new XmlError('The XML is in an encoding that is not read here.');
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(body);
  } catch {
    throw new XmlError('The XML is not in the encoding that it names.');
  }
}

/** The encoding by the byte order mark; null if there is none. */
function marked(body: Buffer): string | null {
  const mark = body.toString('hex', 0, 3);
  if (mark === 'efbbbf') return 'utf-8';
  return mark.startsWith('feff') ? 'utf-16be' : mark.startsWith('fffe') ? 'utf-16le' : null;
}

/**
 * The encoding with a name; null if it is none that is read here.
 * @param name any that it has: `latin1` is registered too, and `utf8`, which is not, is used all the same
 */
function knownAs(name: string): string | null {
  try {
    const { encoding } = new TextDecoder(name);
    return encodings.includes(encoding) ? encoding : null;
  } catch {
    return null;
  }
}
