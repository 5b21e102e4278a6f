// Reads the body of a label request: strings by name, completed with the presets of the context; reports every fault by
// field.
import { textBlock } from '../model/text-block.ts';
import { isObject } from '../model/check.ts';
import { Problem } from '../model/problem.ts';
import { scalarReader } from '../model/scalar.ts';
import { isLabelRequest, type LabelField, type LabelRequest, labelRequestFields } from '../model/shipping.ts';
import { closestName } from '../model/closest-name.ts';
import { excerpt } from '../model/text.ts';
import { jsonFault, repeatedProperties } from '../model/json-fault.ts';

/** Sentences by field. */
export type DetailsByField = Readonly<Record<string, readonly string[]>>;

/** A well-formed label request; both forms of it are canonical. */
interface ReadLabelRequest {
  /** As the client sent it. */
  readonly own: LabelRequest;
  /**
   * Completes it with the presets of the context.
   * @throws Problem `validation-failed` with every needed field that is missing then
   */
  readonly completed: () => LabelRequest;
}

const names = Object.keys(labelRequestFields).filter((name): name is LabelField => name in labelRequestFields);
const readers = Object.fromEntries(
  names.map((name) => [
    name,
    scalarReader({ kind: 'text', max: labelRequestFields[name].max, meaning: labelRequestFields[name].meaning }),
  ]),
);

/** Fields that every carrier needs (decision D25); the sender may come from the context. */
const needed: readonly LabelField[] = [
  'modeCol',
  'modeLiv',
  'expAddr1',
  'expCity',
  'expZip',
  'expCountry',
  'destAddr1',
  'destCity',
  'destZip',
  'destCountry',
  'weight',
  'nbPackage',
];

/** The sender's place: these belong together, otherwise the label would name a place that does not exist. */
export const senderPlace: readonly LabelField[] = ['expAddr2', 'expCity', 'expZip', 'expCountry'];

/** The presets of a context, and which of them form one place. */
interface Presets {
  readonly values: Readonly<Record<string, string>>;
  readonly place: readonly LabelField[];
}

/** The most unknown properties that are listed: the answer to a hostile body must not be many times its length. */
const maxUnknown = 20;

/**
 * Reads a label request.
 * @param sender presets of the context, used for sender fields that the request omits; for a return, for recipient
 *   fields that it omits, because the sender of a return is never the context
 * @param isReturn whether a request is for a return
 * @throws Problem `malformed-json`; `validation-failed` with every fault, needed fields included, if it is not
 *   well-formed, whatever the context presets
 */
export function readLabelRequest(
  body: Buffer,
  sender: Readonly<Record<string, string>>,
  isReturn: (request: LabelRequest) => boolean = () => false,
): ReadLabelRequest {
  const { value: given, repeated } = parsed(body);
  if (!isObject(given)) throw invalidLabel({ request: ['The body must be one JSON object.'] });
  // A map, because a property can have any name, including that of the prototype.
  const errors = new Map<string, readonly string[]>(
    repeated.map((name) => [
      excerpt(name, 64),
      [`${JSON.stringify(excerpt(name, 64))} occurs twice: send each property once.`],
    ]),
  );
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(labelRequestFields, name));
  for (const name of unknown.slice(0, maxUnknown)) errors.set(excerpt(name, 64), [unknownProperty(name)]);
  if (unknown.length > maxUnknown)
    errors.set('request', [`There are ${unknown.length - maxUnknown} more properties that are not known.`]);
  const own: Record<string, string> = {};
  for (const name of names) {
    const value = given[name] ?? null;
    const read = value === null ? '' : (readers[name]?.(value) ?? '');
    if (typeof read === 'object') errors.set(name, [`${name} ${read.detail}.`]);
    own[name] = typeof read === 'string' ? read.trim() : '';
  }
  if (!isLabelRequest(own)) throw new Error('a label request is incomplete');
  const presets: Presets = isReturn(own)
    ? { values: ofRecipient(sender), place: senderPlace.flatMap(recipientField) }
    : { values: sender, place: senderPlace };
  const completed = (): LabelRequest => {
    const request = withPresets(own, presets);
    for (const name of needed)
      if (request[name] === '' && !errors.has(name)) errors.set(name, [missing(name, presets)]);
    if (errors.size > 0) throw invalidLabel(Object.fromEntries(errors));
    if (!isLabelRequest(request)) throw new Error('a label request is incomplete');
    return request;
  };
  if (errors.size > 0) completed();
  return { own, completed };
}

/** The 400 for faulty fields of a label request. */
export function invalidLabel(errors: DetailsByField): Problem {
  return new Problem('validation-failed', Object.values(errors).flat().join(' '), { errors });
}

/** The same presets for the recipient: a return goes to the place from which the context's parcels are sent. */
function ofRecipient(sender: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(sender).flatMap(([name, value]) => recipientField(name).map((field) => [field, value])),
  );
}

/** `destCity` for `expCity`; nothing for a field that only senders have. */
function recipientField(name: string): readonly LabelField[] {
  const field = name.replace(/^exp/, 'dest');
  return names.filter((known) => known === field && known !== name);
}

function withPresets(
  own: Readonly<Record<string, string>>,
  { values, place }: Presets,
): Readonly<Record<string, string>> {
  const hasPlace = place.some((name) => own[name] !== '');
  return Object.fromEntries(
    names.map((name) => {
      const preset = hasPlace && place.includes(name) ? '' : (values[name] ?? '');
      return [name, own[name] === '' ? preset : (own[name] ?? '')];
    }),
  );
}

function missing(name: LabelField, { values, place }: Presets): string {
  if ((values[name] ?? '') === '') return `${name} is required.`;
  return textBlock`
    ${name} is required here: a request that gives one of ${place.join(', ')} gives the whole address, and that of the
    context is left out.
  `;
}

function unknownProperty(name: string): string {
  const near = closestName(name, names);
  const remedy = near === null ? 'leave it out.' : `did you mean ${near}?`;
  return `There is no property ${JSON.stringify(excerpt(name, 64))} here; ${remedy}`;
}

function parsed(body: Buffer): { readonly value: unknown; readonly repeated: readonly string[] } {
  const text = decoded(body);
  if (text.trim() === '') throw new Problem('malformed-json', 'The body is empty. Send one JSON object.');
  const fault = jsonFault(text);
  if (fault !== null) {
    const before = text.slice(0, fault.at).split('\n');
    throw new Problem(
      'malformed-json',
      textBlock`
        The body is not valid JSON at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}: ${fault.detail}
      `,
    );
  }
  // Repetitions inside a property's value do not matter: no property of a label holds an object.
  const repeated = repeatedProperties(text, maxUnknown).flatMap((path) => (path.length === 1 ? [String(path[0])] : []));
  return { value: JSON.parse(text), repeated: [...new Set(repeated)] };
}

function decoded(body: Buffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body);
    if (!text.slice(0, 4).includes('\0')) return text;
  } catch {
    // Reported below.
  }
  const isWide =
    (body[0] === 0xff && body[1] === 0xfe) || (body[0] === 0xfe && body[1] === 0xff) || body.subarray(0, 4).includes(0);
  throw new Problem(
    'malformed-json',
    isWide
      ? 'The body is not UTF-8 but, as it seems, UTF-16 or UTF-32. Send it as UTF-8.'
      : 'The body is not UTF-8. Send it as UTF-8, not in the code page of a system.',
  );
}
