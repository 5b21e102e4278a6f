// Builds and reads the XML of carriers; a document that it reads cannot reach beyond itself, grow, or be half of one.
import { XMLParser, XMLValidator } from 'fast-xml-parser';

/** An element that was read. */
export interface XmlElement {
  /** Without prefix. */
  readonly name: string;
  /** '' where it has none. */
  readonly namespace: string;
  /** By name as written; declarations of namespaces are not among them. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text, CDATA included, without that of its children and not trimmed. */
  readonly text: string;
}

/** An element that is to be written. */
export interface XmlPart {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly content: string | readonly XmlPart[];
}

/** Why bytes are not the XML that is taken here; the message quotes nothing of them. */
export class XmlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'XmlError';
  }
}

/**
 * What a document may cost: bytes; characters beside long texts, such as a label in base64, which cost little; elements
 * and how deep they are nested; references (`&lt;`); carriage returns.
 */
export interface XmlLimits {
  readonly size: number;
  readonly markup: number;
  readonly elements: number;
  readonly depth: number;
  readonly references: number;
  readonly returns: number;
}

export const defaultXmlLimits: XmlLimits = {
  size: 8 * 1024 * 1024,
  markup: 512 * 1024,
  elements: 20_000,
  depth: 64,
  references: 200_000,
  returns: 200_000,
};

/**
 * Reads a document.
 *
 * There is no DTD and no entity but the five of XML and character references, each taken once: nothing is fetched and
 * nothing grows.
 * @param body in UTF-8, UTF-16 with its mark, or one of the Western encodings that the XML declaration or `charset` may
 * name
 * @param charset what `Content-Type` says, where the document itself says nothing: servers add it without having looked
 * @returns the root element
 * @throws XmlError where it is too large, not well-formed (so cut short, too), or not readable as text
 */
export function parseXml(
  body: Buffer,
  limits: XmlLimits = defaultXmlLimits,
  charset: string | null = null,
): XmlElement {
  if (body.length > limits.size) throw new XmlError(`The XML is larger than ${limits.size} bytes.`);
  const sent = textOf(body, charset);
  if (isMoreOf('\r', sent, limits.returns))
    throw new XmlError(`The XML has more than ${limits.returns} carriage returns.`);
  const text = sent.replaceAll(/\r\n?/g, '\n');
  if (!isXmlText(text)) throw new XmlError('The XML holds characters that XML does not allow.');
  if (isMoreOf('&', text, limits.references))
    throw new XmlError(`The XML has more than ${limits.references} references.`);
  // An element has a tag at its start and perhaps one at its end; what is more is comments and the like.
  if (isMoreOf('<', text, 3 * limits.elements))
    throw new XmlError(`The XML has more than ${limits.elements} elements.`);
  const { markup, restored } = withoutLongTexts(text);
  checkMarkup(markup, limits);
  const [root, ...others] = nodesOf(markup, limits).filter((node) => elementNameOf(node) !== null);
  if (root === undefined || others.length > 0 || !/>\s*$/.test(markup))
    throw new XmlError('The XML does not have exactly one root element.');
  return elementOf(
    root,
    { declared: new Map([['xml', 'http://www.w3.org/XML/1998/namespace']]), outer: null },
    restored,
  );
}

/**
 * Reads the document that an answer is.
 * @throws XmlError as `parseXml` does
 */
export function xmlOfAnswer({
  headers,
  body,
}: {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}): XmlElement {
  return parseXml(
    body,
    defaultXmlLimits,
    /;\s*charset\s*=\s*"?([\w.-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? null,
  );
}

/** The first element at the end of a path of names below `element`, null where there is none. */
export function xmlChild(element: XmlElement | null, ...path: readonly string[]): XmlElement | null {
  return path.reduce<XmlElement | null>(
    (found, name) => found?.children.find((child) => child.name === name) ?? null,
    element,
  );
}

/** The children of this name, in their order. */
export function xmlChildren(element: XmlElement | null, name: string): readonly XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** Every element of this name below `element`, in document order. */
export function xmlDescendants(element: XmlElement, name: string): readonly XmlElement[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...xmlDescendants(child, name)]);
}

/** The text at the end of a path, trimmed; '' where there is no such element. */
export function xmlValue(element: XmlElement | null, ...path: readonly string[]): string {
  return xmlChild(element, ...path)?.text.trim() ?? '';
}

/** Makes an element for `xmlText`. */
export function xml(name: string, content: XmlPart['content'] = '', attributes: XmlPart['attributes'] = {}): XmlPart {
  return { name, attributes, content };
}

/**
 * Writes a document in UTF-8, with its declaration and without white space of its own. Values are escaped, whatever is
 * in them.
 * @throws XmlError where a value holds a character that XML cannot carry; ask `isXmlText` first
 */
export function xmlText(root: XmlPart): string {
  return `<?xml version="1.0" encoding="utf-8"?>${written(root)}`;
}

/** Whether XML can carry the text: no control characters but tab and line ends, no half of a surrogate pair. */
export function isXmlText(text: string): boolean {
  return !/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(text);
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

/** The encodings that carriers of Europe write, by the names that a declaration may give them. */
const encodings: readonly string[] = [
  'utf-8',
  'utf-16be',
  'utf-16le',
  'us-ascii',
  'iso-8859-1',
  'iso-8859-15',
  'windows-1252',
];

function textOf(body: Buffer, charset: string | null): string {
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

/** Gives a text of the markup its long texts back. */
type Restored = (text: string) => string;

/**
 * Stands for a long text, with its number: a character for private use, of which nothing is replaced in a document that
 * has it itself.
 */
const standIn = '\ue000';
/** Shorter texts are not worth it. */
const longText = 1000;

/**
 * The parser looks at each character for itself, a hundred times as slowly as anything else here, so it is not given
 * long texts.
 */
function withoutLongTexts(text: string): { readonly markup: string; readonly restored: Restored } {
  if (text.includes(standIn)) return { markup: text, restored: (part) => part };
  const texts: string[] = [];
  const parts: string[] = [];
  let kept = 0;
  for (let open = text.indexOf('<'); open !== -1; ) {
    const start = text.startsWith(cdataStart, open) ? open + cdataStart.length : text.indexOf('>', open) + 1;
    const next = text.indexOf('<', open + 1);
    const end = start === open + cdataStart.length ? text.indexOf(']]>', start) : next;
    // Without angle brackets and quotes it is nothing but a text, or a part of an attribute's value, a comment or an
    // instruction.
    if (start > 0 && end - start >= longText && !/[<>\]"']/.test(text.slice(start, end))) {
      parts.push(text.slice(kept, start), standIn, String(texts.push(text.slice(start, end)) - 1), standIn);
      kept = end;
    }
    open = next;
  }
  const numbered = new RegExp(`${standIn}(\\d+)${standIn}`, 'g');
  const restored: Restored = (part) =>
    part.includes(standIn) ? part.replaceAll(numbered, (_, index: string) => texts[Number(index)] ?? '') : part;
  return { markup: parts.join('') + text.slice(kept), restored };
}

const cdataStart = '<![CDATA[';

/** Most attributes of one element. */
const maxAttributes = 1000;

/** Whether a character occurs more often than `most` times; no further than that is looked. */
function isMoreOf(character: string, text: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1 && count <= most; at = text.indexOf(character, at + 1)) count += 1;
  return count > most;
}

/**
 * Refuses declarations (DTD), comments and CDATA without their end, and too many elements, before anything else reads
 * the text.
 */
function checkMarkup(markup: string, { markup: most, elements }: XmlLimits): void {
  if (markup.length > most) throw new XmlError(`The XML has more than ${most} characters beside long texts.`);
  let count = 0;
  for (const [mark] of markup.matchAll(/<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<!|<(?![/?])/g)) {
    if (mark === '<!')
      throw new XmlError('The XML holds a document type or an unfinished comment, which is not read here.');
    if (mark === '<') count += 1;
  }
  // The parser compares the attributes of an element with each other.
  if (markup.split('<').some((tag) => isMoreOf('=', tag, maxAttributes)))
    throw new XmlError(`The XML has an element with more than ${maxAttributes} attributes.`);
  if (count > elements) throw new XmlError(`The XML has more than ${elements} elements.`);
}

type Node = Readonly<Record<string, unknown>>;

const attributesKey = ':@';
const cdataKey = '#cdata';
const textKey = '#text';

function nodesOf(text: string, { depth }: XmlLimits): readonly Node[] {
  const parser = new XMLParser({
    preserveOrder: true,
    ignoreAttributes: false,
    attributeNamePrefix: '',
    textNodeName: textKey,
    cdataPropName: cdataKey,
    // Values stay as they are written: numbers keep their zeros, entities are taken below.
    parseTagValue: false,
    parseAttributeValue: false,
    trimValues: false,
    processEntities: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
    maxNestedTags: depth,
  });
  try {
    if (XMLValidator.validate(text) !== true) throw new XmlError('The XML is not well-formed.');
    return listOf(parser.parse(text));
  } catch {
    // What the parser says quotes the document, which may hold a password or an address.
    throw new XmlError('The XML is not well-formed, or nested too deep.');
  }
}

/** Namespaces by prefix, those of an element in front of those around it: nothing is copied, and nesting is limited. */
interface Scope {
  readonly declared: ReadonlyMap<string, string>;
  readonly outer: Scope | null;
}

function namespaceOf(prefix: string, scope: Scope | null): string {
  return scope === null ? '' : (scope.declared.get(prefix) ?? namespaceOf(prefix, scope.outer));
}

function elementOf(node: Node, outer: Scope, restored: Restored): XmlElement {
  const qualified = elementNameOf(node) ?? '';
  const attributes = Object.entries(node[attributesKey] ?? {}).map(
    ([name, value]) => [name, taken(restored(String(value)).replaceAll(/[\t\n]/g, ' '))] as const,
  );
  const declared = attributes.flatMap(([name, value]) =>
    name === 'xmlns' ? [['', value] as const] : name.startsWith('xmlns:') ? [[name.slice(6), value] as const] : [],
  );
  const scope = declared.length === 0 ? outer : { declared: new Map(declared), outer };
  const [prefix, name] = qualified.includes(':')
    ? [qualified.slice(0, qualified.indexOf(':')), qualified.slice(qualified.indexOf(':') + 1)]
    : ['', qualified];
  const namespace = namespaceOf(prefix, scope);
  if (prefix !== '' && namespace === '') throw new XmlError('The XML uses a prefix that it does not declare.');
  const content = listOf(node[qualified]);
  return {
    name,
    namespace,
    attributes: new Map(attributes.filter(([attribute]) => attribute !== 'xmlns' && !attribute.startsWith('xmlns:'))),
    children: content
      .filter((child) => elementNameOf(child) !== null)
      .map((child) => elementOf(child, scope, restored)),
    text: content.map((child) => textIn(child, restored)).join(''),
  };
}

/** Null for text. */
function elementNameOf(node: Node): string | null {
  return Object.keys(node).find((key) => key !== attributesKey && key !== textKey && key !== cdataKey) ?? null;
}

function textIn(node: Node, restored: Restored): string {
  if (textKey in node) return taken(restored(String(node[textKey])));
  return listOf(node[cdataKey])
    .map((inner) => restored(String(inner[textKey] ?? '')))
    .join('');
}

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Puts characters in the place of references, each once. */
function taken(text: string): string {
  return text.replaceAll(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));|&/gi,
    (_, hex?: string, decimal?: string, name?: string) => {
      const code = hex !== undefined ? Number.parseInt(hex, 16) : Number(decimal ?? Number.NaN);
      const character =
        name !== undefined
          ? Object.hasOwn(named, name)
            ? named[name]
            : undefined
          : code <= 0x10_ffff
            ? String.fromCodePoint(code)
            : undefined;
      if (character === undefined || !isXmlText(character))
        throw new XmlError('The XML holds a reference to something that is not in it.');
      return character;
    },
  );
}

/** The parser's own lists are of any type; whatever is not a list of nodes is empty. */
function listOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter((node): node is Node => typeof node === 'object' && node !== null) : [];
}
