// What .NET services have in common: they read only elements in their order, and answer with faults.
import type { XmlElement } from '../../src/carriers/xml/element.ts';
import { parseXml } from '../../src/carriers/xml/read.ts';
import { xml, type XmlPart, xmlText } from '../../src/carriers/xml/write.ts';
import type { SimulatorAnswer } from '../server.ts';

/**
 * Members in their order: for texts a rule (`#` a whole number, `#?` one or nothing, `a|b` one of these, '' anything),
 * for elements their own members.
 */
export interface Schema {
  readonly [name: string]: string | Schema;
}

/** What the service sees of a request: texts by their path. */
export type Read = Readonly<Record<string, string>>;

/** Ignores elements of another namespace or out of order; null for a value that the schema does not allow. */
export function read(element: XmlElement, schema: Schema, namespace: string, above = ''): Read | null {
  const names = Object.keys(schema);
  const seen: Record<string, string> = {};
  let last = -1;
  for (const child of element.children) {
    const place = names.indexOf(child.name);
    if (child.namespace !== namespace || place <= last) continue;
    last = place;
    const member = schema[child.name] ?? '';
    const inner =
      typeof member === 'string'
        ? { [`${above}${child.name}`]: child.text.trim() }
        : read(child, member, namespace, `${above}${child.name}.`);
    if (inner === null || (typeof member === 'string' && !isAllowed(child.text.trim(), member))) return null;
    Object.assign(seen, inner);
  }
  return seen;
}

function isAllowed(value: string, rule: string): boolean {
  if (rule === '#?' && value === '') return true;
  if (rule.startsWith('#')) return /^-?\d{1,10}$/.test(value);
  return rule === '' || rule.split('|').includes(value);
}

/** Null if the bytes are not an envelope. */
export function envelopeIn(body: Buffer): XmlElement | null {
  try {
    const envelope = parseXml(body);
    return envelope.namespace === 'http://schemas.xmlsoap.org/soap/envelope/' && envelope.name === 'Envelope'
      ? envelope
      : null;
  } catch {
    return null;
  }
}

/** @param namespace of the service */
export function response(operation: string, namespace: string, content: readonly XmlPart[]): SimulatorAnswer {
  return {
    status: 200,
    headers: xmlHeaders,
    body: enveloped(xml(`${operation}Response`, [xml(`${operation}Result`, content)], { xmlns: namespace })),
  };
}

/** The response of an operation that returns nothing. @param namespace of the service */
export function emptyResponse(operation: string, namespace: string): SimulatorAnswer {
  return {
    status: 200,
    headers: xmlHeaders,
    body: enveloped(xml(`${operation}Response`, [], { xmlns: namespace })),
  };
}

/** @param id DPD's own identifier, if the service got that far */
export function fault(code: 'Client' | 'Server', message: string, id = ''): SimulatorAnswer {
  const detail =
    id === '' ? xml('detail') : xml('detail', [xml('Error', [xml('ErrorId', id), xml('ErrorMessage', message)])]);
  return {
    status: 500,
    headers: xmlHeaders,
    body: enveloped(xml('soap:Fault', [xml('faultcode', `soap:${code}`), xml('faultstring', message), detail])),
  };
}

const xmlHeaders = { 'Content-Type': 'text/xml; charset=utf-8' };

/** A refused IP address gets no envelope, as in Karrio's connector for DPD France. */
export function bareError(id: string, message: string): SimulatorAnswer {
  return {
    status: 500,
    headers: xmlHeaders,
    body: xmlText(xml('Error', [xml('ErrorId', id), xml('ErrorMessage', message)])),
  };
}

function enveloped(content: XmlPart): string {
  return xmlText(
    xml('soap:Envelope', [xml('soap:Body', [content])], {
      'xmlns:soap': 'http://schemas.xmlsoap.org/soap/envelope/',
      'xmlns:xsi': 'http://www.w3.org/2001/XMLSchema-instance',
      'xmlns:xsd': 'http://www.w3.org/2001/XMLSchema',
    }),
  );
}
