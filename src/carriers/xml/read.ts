// Reads the XML of carriers: a document cannot refer to others, expand, or be incomplete.
import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { checkMarkup, defaultXmlLimits, isMoreOf, type Restored, withoutLongTexts, type XmlLimits } from './cost.ts';
import { isXmlText, type XmlElement, XmlError } from './element.ts';
import { xmlTextOf } from './encoding.ts';

/**
 * Reads a document.
 *
 * There is no DTD and no entity except the five of XML and character references, each replaced once: nothing is fetched
 * and nothing expands.
 * @param body in UTF-8, UTF-16 with its mark, or one of the Western encodings that the XML declaration or `charset` may
 *   name
 * @param charset the one in `Content-Type`, used if the document itself names none: servers add it without having
 *   looked
 * @returns the root element
 * @throws XmlError if it is too large, not well-formed (which includes truncated), or not readable as text
 */
export function parseXml(
  body: Buffer,
  limits: XmlLimits = defaultXmlLimits,
  charset: string | null = null,
): XmlElement {
  if (body.length > limits.size) throw new XmlError(`The XML is larger than ${limits.size} bytes.`);
  const sent = xmlTextOf(body, charset);
  if (isMoreOf('\r', sent, limits.returns))
    throw new XmlError(`The XML has more than ${limits.returns} carriage returns.`);
  const text = sent.replaceAll(/\r\n?/g, '\n');
  if (!isXmlText(text)) throw new XmlError('The XML holds characters that XML does not allow.');
  if (isMoreOf('&', text, limits.references))
    throw new XmlError(`The XML has more than ${limits.references} references.`);
  // An element has a start tag and perhaps an end tag; the rest are comments and the like.
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
 * Reads an answer's document.
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
    // Values stay as written: numbers keep their zeros, entities are replaced below.
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
    // The parser's message quotes the document, which may hold a password or an address.
    throw new XmlError('The XML is not well-formed, or nested too deep.');
  }
}

/** Namespaces by prefix, an element's before those around it: nothing is copied, and nesting is limited. */
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

/** Replaces references by characters, each once. */
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

/** The parser's own lists are of any type; anything that is not a list of nodes counts as empty. */
function listOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter((node): node is Node => typeof node === 'object' && node !== null) : [];
}
