// The dictionary of a warehouse: the units and codes that an operator publishes, parsed from JSON text and validated.
import { isObject } from '../model/scalar.ts';
import { closestName } from '../model/closest-name.ts';
import { standardUnits, type Unit } from '../model/units.ts';
import type { Code, CodeList, Vocabulary } from '../model/vocabulary.ts';
import { type CodedFields, codedFields, interfaceLists, warehouseLists } from './code-lists.ts';

/** The content of a dictionary, in the form in which it is written. */
export interface Dictionary {
  /** Units other than the standard ones: see `otherUnits`; `price` is a currency code of ISO 4217. */
  readonly units?: Readonly<Partial<Record<keyof typeof otherUnits | 'price', string>>>;
  readonly lists?: readonly { readonly name: string; readonly codes: readonly Code[] }[];
}

export const dictionaryLimits = { bytes: 262_144, codes: 500, meaning: 200 } as const;

/** The units that a dictionary may define. */
const otherUnits = {
  weight: { kg: 'kilograms', g: 'grams', t: 'tonnes', lb: 'pounds' },
  length: { cm: 'centimetres', mm: 'millimetres', m: 'metres', in: 'inches' },
  volume: { L: 'litres', cm3: 'cubic centimetres', m3: 'cubic metres' },
} as const;

/**
 * Parses a dictionary.
 * @param bytes JSON text in UTF-8
 * @throws Error whose message lists all faults and continues after the name of the file
 */
export function parseDictionary(bytes: Uint8Array): Dictionary {
  if (bytes.length > dictionaryLimits.bytes) throw new Error(`is longer than ${dictionaryLimits.bytes} bytes`);
  const given = readJson(bytes);
  const faults = dictionaryFaults(given);
  if (faults.length === 0) return given as Dictionary;
  const shown = faults.slice(0, maxFaults);
  const more = faults.length > shown.length ? [`and ${faults.length - shown.length} more`] : [];
  throw new Error(`is not right: ${[...shown, ...more].join('; ')}`);
}

/** The vocabulary of the documentation under this dictionary; null: none. */
export function vocabularyOf(dictionary: Dictionary | null): Vocabulary {
  const own = (dictionary?.lists ?? []).map(({ name, codes }): [string, CodeList] => [name, { codes, closed: false }]);
  const { weight, length, volume, price } = dictionary?.units ?? {};
  return {
    units: {
      ...standardUnits,
      ...(weight !== undefined && { weight: named('weight', weight) }),
      ...(length !== undefined && { length: named('length', length) }),
      ...(volume !== undefined && { volume: named('volume', volume) }),
      ...(price !== undefined && { price: { code: price, words: price } }),
    },
    lists: new Map([...interfaceLists, ...own]),
  };
}

const maxFaults = 10;
const withoutMarkup = 'without < > | and `';

function readJson(bytes: Uint8Array): unknown {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error('is not UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function dictionaryFaults(given: unknown): readonly string[] {
  if (!isObject(given)) return ['it must be an object with "units" and "lists"'];
  return [
    ...unknownMembers(given, ['units', 'lists'], 'the dictionary'),
    ...(given.units === undefined ? [] : unitFaults(given.units)),
    ...(given.lists === undefined ? [] : listsFaults(given.lists)),
  ];
}

function unitFaults(units: unknown): readonly string[] {
  if (!isObject(units)) return ['"units" must be an object such as {"weight": "g"}'];
  return Object.entries(units).flatMap(([measure, unit]) => {
    if (measure === 'price')
      return typeof unit === 'string' && /^[A-Z]{3}$/.test(unit)
        ? []
        : ['units.price must be a currency code of ISO 4217, such as "EUR"'];
    const known: Readonly<Record<string, Readonly<Record<string, string>>>> = otherUnits;
    const possible = Object.hasOwn(known, measure) ? known[measure] : undefined;
    if (possible === undefined)
      return [`units.${shown(measure)} is not known; there are weight, length, volume and price`];
    return typeof unit === 'string' && Object.hasOwn(possible, unit)
      ? []
      : [`units.${measure} must be one of ${Object.keys(possible).join(', ')}`];
  });
}

function listsFaults(lists: unknown): readonly string[] {
  if (!Array.isArray(lists)) return ['"lists" must be an array of {"name": …, "codes": […]}'];
  const fieldsOf = codedFields();
  const seen = new Set<string>();
  return lists.flatMap((list: unknown, index) => {
    if (!isObject(list) || typeof list.name !== 'string') return [`lists[${index}] must be {"name": …, "codes": […]}`];
    const { name } = list;
    if (seen.has(name)) return [`the list ${shown(name)} is there twice`];
    seen.add(name);
    const fields = fieldsOf.get(name);
    if (fields === undefined || interfaceLists.has(name)) return [nameFault(name, fieldsOf)];
    return [...unknownMembers(list, ['name', 'codes'], `the list ${name}`), ...codesFaults(name, list.codes, fields)];
  });
}

function nameFault(name: string, fieldsOf: ReadonlyMap<string, CodedFields>): string {
  if (interfaceLists.has(name)) return `the codes of ${name} are given by the interface`;
  const holder = [...fieldsOf].find(([, { paths }]) => paths.some((path) => path.endsWith(`.${name}`)));
  if (holder !== undefined) return `the codes of the field ${name} are in the list ${holder[0]}`;
  const near = closestName(name, Object.keys(warehouseLists));
  return `there is no field or list ${shown(name)}${near === null ? '' : `; did you mean ${near}?`}`;
}

function codesFaults(name: string, codes: unknown, fields: CodedFields): readonly string[] {
  if (!Array.isArray(codes) || codes.length === 0 || codes.length > dictionaryLimits.codes)
    return [`the codes of ${name} must be an array of 1 to ${dictionaryLimits.codes}`];
  const seen = new Set<unknown>();
  return codes.flatMap((given: unknown, index) => {
    const at = `${name}.codes[${index}]`;
    if (!isObject(given)) return [`${at} must be {"code": …, "meaning": …}`];
    const { code, meaning } = given;
    const faults = [
      ...unknownMembers(given, ['code', 'meaning'], at),
      ...codeFaults(at, code, fields),
      ...(isPlainText(meaning, dictionaryLimits.meaning)
        ? []
        : [
            `${at}.meaning must be a text of 1 to ${dictionaryLimits.meaning} characters on one line, ${withoutMarkup}`,
          ]),
      ...(seen.has(code) ? [`the code ${shown(code)} of ${name} is there twice`] : []),
    ];
    seen.add(code);
    return faults;
  });
}

function codeFaults(at: string, code: unknown, { kind, maxLength }: CodedFields): readonly string[] {
  if (kind === 'number')
    return typeof code === 'number' && Number.isFinite(code)
      ? []
      : [`${at}.code must be a number, because the field is one`];
  return isPlainText(code, maxLength)
    ? []
    : [`${at}.code must be a text of 1 to ${maxLength} characters, which its fields hold, ${withoutMarkup}`];
}

/** Text that can be used unchanged in a table and in a sentence of the documentation. */
function isPlainText(value: unknown, max: number): value is string {
  return (
    typeof value === 'string' &&
    value.trim() !== '' &&
    [...value].length <= max &&
    !/[\p{Cc}\p{Zl}\p{Zp}<>|`]/u.test(value)
  );
}

function unknownMembers(given: object, known: readonly string[], where: string): readonly string[] {
  return Object.keys(given)
    .filter((member) => !known.includes(member))
    .map((member) => `${where} has no member ${shown(member)}`);
}

function named(measure: keyof typeof otherUnits, code: string): Unit {
  const units: Readonly<Record<string, string>> = otherUnits[measure];
  return { code, words: units[code] ?? code };
}

/** Shortened, and on one line. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
