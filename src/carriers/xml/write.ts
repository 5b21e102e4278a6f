// Writes XML for carriers.
import { isXmlText, XmlError } from './element.ts';

/** An element to write. */
export interface XmlPart {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: string | readonly XmlPart[];
}

/** Makes an element for `xmlText`. */
export function xml(name: string, content: XmlPart['content'] = '', attributes: XmlPart['attributes'] = {}): XmlPart {
  return { name, attributes, content };
}

/**
 * Writes a document in UTF-8, with its declaration and without added white space. Values are escaped, whatever they
 * contain.
 * @throws XmlError if a value holds a character that XML cannot carry; ask `isXmlText` first
 */
export function xmlText(root: XmlPart): string {
  return `<?xml version="1.0" encoding="utf-8"?>${written(root)}`;
}

function written({ name, attributes, content }: XmlPart): string {
  const start = [
    name,
    ...Object.entries(attributes).map(([attribute, value]) => `${attribute}="${escaped(value)}"`),
  ].join(' ');
  if (content.length === 0) return `<${start}/>`;
  return `<${start}>${typeof content === 'string' ? escaped(content) : content.map(written).join('')}</${name}>`;
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

function escaped(value: string): string {
  if (!isXmlText(value)) throw new XmlError('A value holds characters that XML does not allow.');
  return value.replaceAll(/[&<>"'\t\n\r]/g, (character) => escapes[character] ?? character);
}
