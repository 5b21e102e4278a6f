// Values of fields: where they come from, how their text is processed, and how they are converted for the field.
import { textBlock } from '../../model/text-block.ts';
import type { Reason } from '../../model/record.ts';
import type { ScalarField } from '../../model/resource.ts';
import { quoted } from '../../model/text.ts';
import { type Compiling, expression, maxMatched, type Path, placeOf, textOf } from './compiling.ts';
import { conversion } from './conversions.ts';
import type { ValueOptionName, ValueRule } from './mapping-file.ts';
import { fault } from './shape.ts';

/** Where a value is written, and its faults. */
export interface ValuePlace {
  /** JSON Pointer of the field. */
  pointer: string;
  /** Index of the element in its list, from 1. */
  position: number;
  /** Number of the line being read. */
  line: number;
  readonly reasons: Reason[];
  /** Faults of values that one of the mapping's own rules leaves out or keeps. */
  readonly warnings?: Reason[];
  /** Set by the reader: the value is that of `default` or another fixed one, because the line has none. */
  isDefault?: boolean;
}

/** Reads the value of a field from a row; undefined when there is none or when it noted a reason. */
export type ValueReader = (values: readonly unknown[], place: ValuePlace) => unknown;

/** How a value is named in a reason: `Column "Quantity"`. */
type Named = { readonly subject: string };

type Sourced = Extract<
  ValueRule,
  { readonly column: string } | { readonly template: string } | { readonly join: readonly string[] }
>;

/** The most reasons that are kept per record. */
const maxReasons = 100;

/** Makes the reader of a field's value. */
export function valueReader(rule: ValueRule, field: ScalarField, path: Path, compiling: Compiling): ValueReader {
  if ('constant' in rule) {
    if (typeof rule.constant !== constantKinds[field.kind])
      fault(compiling.faults, [...path, 'constant'], `must be ${constantWords[constantKinds[field.kind]]}.`);
    return () => rule.constant;
  }
  if ('position' in rule)
    return field.kind === 'text' ? (_, { position }) => String(position) : (_, { position }) => position;
  if ('firstOf' in rule) {
    const readers = rule.firstOf.map((one, index) => valueReader(one, field, [...path, 'firstOf', index], compiling));
    return (values, place) => {
      const before = place.reasons.length;
      for (const read of readers) {
        const value = read(values, place);
        if (value !== undefined || place.reasons.length > before) return value;
      }
      return undefined;
    };
  }
  return sourcedReader(rule, field, path, compiling);
}

function sourcedReader(rule: Sourced, field: ScalarField, path: Path, compiling: Compiling): ValueReader {
  refuseForeignOptions(rule, field, path, compiling);
  const { read, subject } = sourceOf(rule, path, compiling);
  const edit = editing(rule, path, compiling);
  const editsNumbers = numberEdits.some((name) => rule[name] !== undefined);
  const numberText = numberTextFor(field, rule, compiling);
  const empty = new Set(rule.emptyValues ?? []);
  const lookUp = codeLookup(rule, path, compiling);
  const convert = conversion(field, rule, path, compiling);
  return (values, place) => {
    const raw = read(values);
    const text = editsNumbers && typeof raw === 'number' ? numberText(raw) : raw;
    const given = typeof text === 'string' ? edit(text) : (raw ?? '');
    if (given === '' || (empty.size > 0 && empty.has(textOf(given)))) {
      place.isDefault = true;
      return rule.default;
    }
    // An alternative before this one may have been empty.
    place.isDefault = false;
    const code = lookUp(given);
    if (code.kind === 'known') return code.value;
    const warn = (detail: string): void => {
      if (place.warnings !== undefined && place.warnings.length < maxReasons)
        place.warnings.push(unknownCodeOf(place, subject, given, detail));
    };
    if (code.kind === 'left-out') {
      warn('which is no code of its table and is left out');
      return undefined;
    }
    const converted = code.kind === 'unknown' ? null : convert(given);
    if (converted?.ok === true) {
      if (code.kind === 'kept') warn('which is no code of its table and is kept');
      return converted.value;
    }
    if (place.reasons.length < maxReasons)
      place.reasons.push(
        converted === null
          ? unknownCodeOf(place, subject, given, 'which is no code of its table')
          : { ...unknownCodeOf(place, subject, given, converted.detail), code: converted.code },
      );
    return undefined;
  };
}

/** What is done to the digits of a JSON number too. */
const numberEdits = ['extract', 'collapse', 'case', 'cut'] as const;

/** The text of a JSON number, in the notation in which the field reads texts. */
function numberTextFor({ kind }: ScalarField, rule: Sourced, { file }: Compiling): (given: number) => string {
  if (kind !== 'integer' && kind !== 'decimal') return String;
  const mark = rule.decimal ?? file.numbers?.decimal ?? '.';
  return (given) => String(given).replace('.', mark);
}

function unknownCodeOf({ pointer, line }: ValuePlace, subject: string, given: unknown, detail: string): Reason {
  return { code: 'unknown-code', pointer, detail: `Line ${line}: ${subject} has ${quoted(textOf(given))}, ${detail}.` };
}

const constantKinds = {
  text: 'string',
  'date-time': 'string',
  integer: 'number',
  decimal: 'number',
  boolean: 'boolean',
} as const;
const constantWords = { string: 'text', number: 'a number', boolean: 'true or false' } as const;

interface Source extends Named {
  readonly read: (values: readonly unknown[]) => unknown;
}

function sourceOf(rule: Sourced, path: Path, compiling: Compiling): Source {
  if ('column' in rule) return columnSource(rule.column, path, compiling);
  if ('template' in rule) return templateSource(rule.template, path, compiling);
  const places = rule.join.map((name, index) => placeOf(name, [...path, 'join', index], compiling));
  return {
    subject: `join of ${rule.join.map((name) => quoted(name)).join(', ')}`,
    read: (values) =>
      places
        .map((place) => textOf(values[place]))
        .filter((text) => text !== '')
        .join(rule.with ?? ' '),
  };
}

function columnSource(name: string, path: Path, compiling: Compiling): Source {
  const place = placeOf(name, path, compiling);
  return { subject: `column ${quoted(name)}`, read: (values) => values[place] };
}

/** A text with columns in braces. */
function templateSource(template: string, path: Path, compiling: Compiling): Source {
  const pieces = template.split(/(\{[^{}]+\})/);
  const parts = pieces.map((piece) => {
    if (!/^\{.+\}$/.test(piece)) return { text: piece, place: -1 };
    return { text: '', place: placeOf(piece.slice(1, -1), [...path, 'template'], compiling) };
  });
  if (parts.every(({ place }) => place < 0) || pieces.some((piece, index) => index % 2 === 0 && /[{}]/.test(piece)))
    fault(
      compiling.faults,
      [...path, 'template'],
      'must have columns in braces, such as {order}-{line}, and no other braces.',
    );
  return {
    subject: `template ${quoted(template)}`,
    read: (values) => {
      const texts = parts.map(({ text, place }) => (place < 0 ? text : textOf(values[place])));
      return parts.every(({ place }, index) => place < 0 || texts[index] === '') ? '' : texts.join('');
    },
  };
}

/** How a text is processed before it is read. */
function editing(rule: Sourced, path: Path, { faults }: Compiling): (text: string) => string {
  const steps: ((text: string) => string)[] = [];
  if (rule.trim !== false) steps.push((text) => text.trim());
  if (rule.extract !== undefined) {
    const form = expression(rule.extract, [...path, 'extract'], faults);
    if (!/\((?!\?)|\(\?</.test(rule.extract)) fault(faults, [...path, 'extract'], 'must have a group in parentheses.');
    steps.push((text) => form.exec(text.slice(0, maxMatched))?.[1] ?? '');
  }
  if (rule.collapse === true) steps.push((text) => text.replaceAll(/\s+/g, ' '));
  if (rule.case === 'upper') steps.push((text) => text.toUpperCase());
  if (rule.case === 'lower') steps.push((text) => text.toLowerCase());
  const { cut } = rule;
  if (cut !== undefined)
    steps.push((text) =>
      text.length <= cut
        ? text
        : Array.from(text.slice(0, 2 * cut))
            .slice(0, cut)
            .join('')
            .trimEnd(),
    );
  return (text) => steps.reduce((edited, step) => step(edited), text);
}

type Code =
  | { readonly kind: 'known'; readonly value: unknown }
  | { readonly kind: 'unknown' }
  /** It is unknown, and the mapping says that the field is then empty. */
  | { readonly kind: 'left-out' }
  /** It is unknown, and the mapping says that it is used unchanged. */
  | { readonly kind: 'kept' }
  /** There is no table. */
  | { readonly kind: 'plain' };

const plain: Code = { kind: 'plain' };
const unknownCode: Code = { kind: 'unknown' };
const emptyCode: Code = { kind: 'left-out' };
const keptCode: Code = { kind: 'kept' };

function codeLookup(rule: Sourced, path: Path, { faults, file }: Compiling): (given: unknown) => Code {
  const { codes, unknownCode: otherwise = 'refuse' } = rule;
  if (codes === undefined) {
    if (rule.unknownCode !== undefined) fault(faults, [...path, 'unknownCode'], 'needs "codes" beside it.');
    return () => plain;
  }
  const table = typeof codes === 'string' ? file.codeTables?.get(codes) : codes;
  if (table === undefined) {
    const names = [...(file.codeTables?.keys() ?? [])];
    fault(
      faults,
      [...path, 'codes'],
      textBlock`
      names no code table${names.length === 0 ? ': there are none in "codeTables"' : `; there are ${names.join(', ')}`}.
    `,
    );
    return () => plain;
  }
  const missing = { refuse: unknownCode, keep: keptCode, empty: emptyCode }[otherwise];
  return (given) => {
    const value = table.get(textOf(given));
    return value === undefined ? missing : { kind: 'known', value };
  };
}

/** Options that only some kinds of fields support. */
const foreign: Readonly<Partial<Record<ValueOptionName, readonly ScalarField['kind'][]>>> = {
  format: ['date-time'],
  zone: ['date-time'],
  ambiguous: ['date-time'],
  skipped: ['date-time'],
  decimal: ['decimal', 'integer'],
  thousands: ['decimal', 'integer'],
  impliedDecimals: ['decimal', 'integer'],
  trueValues: ['boolean'],
  falseValues: ['boolean'],
};

function refuseForeignOptions(rule: Sourced, field: ScalarField, path: Path, { faults }: Compiling): void {
  for (const [name, kinds] of Object.entries(foreign))
    if (
      Object.entries(rule).some(([each, value]) => each === name && value !== undefined) &&
      !kinds.includes(field.kind)
    )
      fault(faults, [...path, name], `is for ${kinds[0]} fields; this one is ${field.kind}.`);
}
