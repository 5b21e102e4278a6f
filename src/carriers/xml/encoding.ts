// Decodes an XML document from any of the encodings used in Europe.
import { XmlError } from './element.ts';

/** The encodings that European carriers use, by the names that a declaration may give them. */
const encodings: readonly string[] = [
  'utf-8',
  'utf-16be',
  'utf-16le',
  'us-ascii',
  'iso-8859-1',
  'iso-8859-15',
  'windows-1252',
];

export function xmlTextOf(body: Buffer, charset: string | null): string {
  const declared = /^<\?xml\s[^>]*?encoding\s*=\s*["']([\w.-]+)["']/
    .exec(body.toString('latin1', 0, 200))?.[1]
    ?.toLowerCase();
  const mark = body.length < 2 ? 0 : body.readUInt16BE(0);
  const encoding =
    mark === 0xfeff ? 'utf-16be' : mark === 0xfffe ? 'utf-16le' : (declared ?? charset?.toLowerCase() ?? 'utf-8');
  if (!encodings.includes(encoding)) throw new XmlError('The XML is in an encoding that is not read here.');
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(body);
  } catch {
    throw new XmlError('The XML is not in the encoding that it names.');
  }
}
