// A parsed XML element, and functions that find its content.

/** A parsed element. */
export interface XmlElement {
  /** Without prefix. */
  readonly name: string;
  /** '' if it has none. */
  readonly namespace: string;
  /** By name as written, without declarations of namespaces. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text, CDATA included, without that of its children and not trimmed. */
  readonly text: string;
}

/** Why bytes are not acceptable XML; the message quotes nothing of them. */
export class XmlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'XmlError';
  }
}

/** The first element at the end of a path of names below `element`, null if there is none. */
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

/** The text at the end of a path, trimmed; '' if there is no such element. */
export function xmlValue(element: XmlElement | null, ...path: readonly string[]): string {
  return xmlChild(element, ...path)?.text.trim() ?? '';
}

/** Whether XML can carry the text: no control characters except tab and line ends, no half of a surrogate pair. */
export function isXmlText(text: string): boolean {
  return !/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u.test(text);
}
