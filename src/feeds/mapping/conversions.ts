// Converts the text of a column to the type of its field: text, numbers, booleans, dates.
import type { ReasonCode } from '../../model/reason-codes.ts';
import { parseInstant } from '../../model/instant.ts';
import type { ScalarField } from '../../model/resource.ts';
import { type Compiling, type Path, textOf } from './compiling.ts';
import { type DateNotation, dateReader, formatFault, hasOffset, hasTime } from './dates.ts';
import type { ValueRule } from './mapping-file.ts';
import { numberReader } from './numbers.ts';
import { fault } from './shape.ts';
import { isZone } from '../../model/zone-clock.ts';

type Options = Omit<Extract<ValueRule, { readonly column: string }>, 'column'>;

type Converted =
  | { readonly ok: true; readonly value: unknown }
  /** `detail` ends a sentence: `column "X" has "Y", …` */
  | { readonly ok: false; readonly code: ReasonCode; readonly detail: string };

/** Makes the converter to a field's kind. Values that have the JSON type already stay, except by `impliedDecimals`. */
export function conversion(
  field: ScalarField,
  options: Options,
  path: Path,
  compiling: Compiling,
): (given: unknown) => Converted {
  switch (field.kind) {
    case 'text':
      return (given) => ({ ok: true, value: typeof given === 'number' ? String(given) : given });
    case 'integer':
    case 'decimal':
      return numbers(field.kind, options, compiling);
    case 'boolean':
      return booleans(options);
    case 'date-time':
      return dates(options, path, compiling);
  }
}

function numbers(kind: 'integer' | 'decimal', options: Options, { file }: Compiling): (given: unknown) => Converted {
  const decimal = options.decimal ?? file.numbers?.decimal ?? '.';
  const thousands = options.thousands ?? file.numbers?.thousands ?? null;
  const impliedDecimals = options.impliedDecimals ?? 0;
  const read = numberReader({ decimal, thousands, impliedDecimals });
  const detail = `which is no ${kind === 'integer' ? 'whole ' : ''}number with "${decimal}" as decimal mark`;
  return (given) => {
    const isWhole = typeof given === 'number' && Number.isInteger(given);
    if (typeof given !== 'string' && (!isWhole || impliedDecimals === 0)) return { ok: true, value: given };
    const value = read(String(given));
    return value === null || (kind === 'integer' && !Number.isInteger(value))
      ? { ok: false, code: 'bad-number', detail }
      : { ok: true, value };
  };
}

const yes = ['true', '1', 'yes', 'y'];
const no = ['false', '0', 'no', 'n'];

function booleans({ trueValues = yes, falseValues = no }: Options): (given: unknown) => Converted {
  const lower = (texts: readonly string[]): ReadonlySet<string> => new Set(texts.map((text) => text.toLowerCase()));
  const [isTrue, isFalse] = [lower(trueValues), lower(falseValues)];
  const detail = `which is none of ${[...isTrue, ...isFalse].join(', ')}`;
  return (given) => {
    if (typeof given === 'boolean') return { ok: true, value: given };
    const text = textOf(given).toLowerCase();
    if (isTrue.has(text)) return { ok: true, value: true };
    return isFalse.has(text) ? { ok: true, value: false } : { ok: false, code: 'bad-boolean', detail };
  };
}

function dates(options: Options, path: Path, compiling: Compiling): (given: unknown) => Converted {
  const { faults, file } = compiling;
  const notation = dateNotation(options, file.dates);
  if (notation.zone !== null && !isZone(notation.zone))
    fault(faults, [...path, 'zone'], `"${notation.zone}" is no zone that this machine knows, such as Europe/Paris.`);
  if (notation.format === null) {
    if (notation.zone !== null && notation.zone !== 'UTC')
      fault(faults, path, 'needs "format" where there is a zone, such as yyyy-MM-dd HH:mm:ss.');
    return (given) => ({ ok: true, value: given });
  }
  const wrong = formatFault(notation.format);
  if (wrong !== null) fault(faults, [...path, 'format'], wrong);
  else if (notation.zone === null && hasTime(notation.format) && !hasOffset(notation.format))
    fault(faults, path, 'needs "zone", here or in "dates": the format has a time of day and no offset.');
  const read = dateReader({ ...notation, format: wrong === null ? notation.format : 'yyyyMMdd' });
  return (given) => {
    const found = read(textOf(given));
    if (found.ok && parseInstant(found.text) !== null) return { ok: true, value: found.text };
    const { code, detail } = found.ok
      ? { code: 'bad-date' as const, detail: 'which is of a year that is not 1 to 9999' }
      : found;
    return { ok: false, code, detail };
  };
}

/** The date notation of a field, with the defaults of the mapping. A day has no zone unless its field names one. */
function dateNotation(
  options: Options,
  all: { readonly [Name in keyof DateNotation]: DateNotation[Name] | undefined } | undefined,
): Omit<DateNotation, 'format'> & { readonly format: string | null } {
  const format = options.format ?? all?.format ?? null;
  const isDay = format !== null && formatFault(format) === null && !hasTime(format);
  return {
    format,
    zone: options.zone ?? (isDay || format === null ? null : (all?.zone ?? null)),
    ambiguous: options.ambiguous ?? all?.ambiguous ?? 'earlier',
    skipped: options.skipped ?? all?.skipped ?? 'later',
  };
}
