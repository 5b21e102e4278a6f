// Shared state of compiling a mapping: its faults, its columns, and its defaults for all values.
import type { ConditionRule, MappingFile } from './mapping-file.ts';
import { numberReader } from './numbers.ts';
import { memberPlace } from '../split-enclosed.ts';
import { aroundArray, isFileColumn, type UsedColumns } from './rows.ts';
import { type Fault, fault } from './shape.ts';

export type Path = readonly (string | number)[];

export interface Compiling {
  readonly faults: Fault[];
  readonly file: MappingFile;
  /** Columns of the lines, or of the objects of a list. */
  readonly columns: UsedColumns;
  /** Existing names, if the mapping itself defines them; null: the file does, or they are paths into JSON. */
  readonly known: ReadonlySet<string> | null;
}

/** A regular expression of the mapping; one that matches nothing if it is invalid. */
export function expression(source: string, path: Path, faults: Fault[]): RegExp {
  try {
    return new RegExp(source, 'u');
  } catch (error) {
    fault(faults, path, `is no regular expression: ${error instanceof Error ? error.message : String(error)}.`);
    return /(?!)/;
  }
}

/** The index of a column among the values of a row; notes a fault when no column can have that name. */
export function placeOf(name: string, path: Path, { faults, file, columns, known }: Compiling): number {
  if (name.startsWith(aroundArray)) {
    const detail = aroundFault(name.slice(aroundArray.length), file);
    if (detail !== null) fault(faults, path, `names "${name}", but ${detail}.`);
  } else if (isFileColumn(name)) {
    const source = name.startsWith('file:') ? file.fileName : file.header?.pattern;
    const group = name.slice(name.indexOf(':') + 1);
    if (name !== 'file:name' && !groupNames(source ?? '').includes(group))
      fault(faults, path, `names "${name}", but ${groupFault(name, group)}`);
  } else if (known !== null && !known.has(name)) {
    const names = [...known].slice(0, 50).map((each) => `"${each}"`);
    const there =
      names.length === 0 ? 'here only file:…, header:… and around:… are known' : `there are ${names.join(', ')}`;
    fault(faults, path, `names the column "${name}"; ${there}.`);
  }
  return columns.place(name);
}

/** The fault of a pointer to a value around the array. */
function aroundFault(place: string, { format }: MappingFile): string | null {
  if (format.kind !== 'json' || format.records === undefined)
    return 'only a JSON file whose array lies within an object ("records" of "format") has values around it';
  if (!memberPlace.pattern.test(place)) return `${JSON.stringify(place)} is not ${memberPlace.form}`;
  return place === format.records ? 'that is the array itself' : null;
}

function groupFault(name: string, group: string): string {
  const where = name.startsWith('file:') ? '"fileName"' : 'the pattern of "header"';
  return `${where} has no group (?<${group}>…).`;
}

function groupNames(source: string): readonly string[] {
  return [...source.matchAll(/\(\?<([A-Za-z_]\w*)>/g)].map(([, name = '']) => name);
}

/** Returns whether a row meets the condition. */
export type RowCondition = (values: readonly unknown[]) => boolean;

/** Makes the function that evaluates a condition. */
export function rowCondition(rule: ConditionRule, path: Path, compiling: Compiling): RowCondition {
  if ('all' in rule) {
    const each = rule.all.map((one, index) => rowCondition(one, [...path, 'all', index], compiling));
    return (values) => each.every((asks) => asks(values));
  }
  if ('any' in rule) {
    const each = rule.any.map((one, index) => rowCondition(one, [...path, 'any', index], compiling));
    return (values) => each.some((asks) => asks(values));
  }
  if ('not' in rule) {
    const asks = rowCondition(rule.not, [...path, 'not'], compiling);
    return (values) => !asks(values);
  }
  const place = placeOf(rule.column, [...path, 'column'], compiling);
  const test = testOf(rule, path, compiling);
  return (values) => test(textOf(values[place]), values[place]);
}

/** A value as trimmed text; '' when there is none. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return (typeof value === 'string' ? value : typeof value === 'object' ? JSON.stringify(value) : String(value)).trim();
}

type ColumnTest = Extract<ConditionRule, { readonly column: string }>;

/** @param given what the text was made of: a number of JSON has no notation */
type ValueTest = (text: string, given: unknown) => boolean;

function testOf(rule: ColumnTest, path: Path, { faults, file }: Compiling): ValueTest {
  const { empty, equals, oneOf, startsWith, matches, below, above } = rule;
  const given = [empty, equals, oneOf, startsWith, matches, below, above].filter((each) => each !== undefined);
  if (given.length !== 1)
    fault(faults, path, 'must have one test of its column: empty, equals, oneOf, startsWith, matches, below or above.');
  if (empty !== undefined) return (text) => (text === '') === empty;
  if (equals !== undefined) return (text) => text === String(equals);
  if (startsWith !== undefined) return (text) => text.startsWith(startsWith);
  if (oneOf !== undefined) {
    const wanted = new Set(oneOf.map(String));
    return (text) => wanted.has(text);
  }
  if (matches !== undefined) {
    const form = expression(matches, [...path, 'matches'], faults);
    return (text) => form.test(text.slice(0, maxMatched));
  }
  const read = numberReader({
    decimal: file.numbers?.decimal ?? '.',
    thousands: file.numbers?.thousands ?? null,
    impliedDecimals: 0,
  });
  return (text, given) => {
    const number = typeof given === 'number' ? given : read(text);
    return number !== null && (below === undefined ? number > (above ?? Number.POSITIVE_INFINITY) : number < below);
  };
}

/** The most characters of a value that an expression is matched against: some take quadratic time. */
export const maxMatched = 2000;
