// Makes records out of rows: the fields of the first line, and the elements that each line adds to lists.
import { pointer } from '../../model/reasons.ts';
import type { Reason } from '../../model/record.ts';
import type { Field, Fields, ScalarField } from '../../model/resource.ts';
import { isScalar } from '../../model/resource.ts';
import { closestName } from '../../model/closest-name.ts';
import { quoted } from '../../model/text.ts';
import { type Compiling, rowCondition, type RowCondition, type Path, placeOf } from './compiling.ts';
import { objectValues } from './json-rows.ts';
import type { ListRule, ValueRule } from './mapping-file.ts';
import { newColumns } from './rows.ts';
import { fault } from './shape.ts';
import { type ValuePlace, type ValueReader, valueReader } from './values.ts';

/** A record that is being made. */
export interface Draft {
  readonly value: Record<string, unknown>;
  readonly reasons: Reason[];
  /** What one of the mapping's own rules left out of it, or kept though its table does not have it. */
  readonly warnings: Reason[];
}

export interface RecordMaker {
  /** Starts a record with the fields of a line, without the list elements that lines add. */
  readonly begin: (values: readonly unknown[], line: number) => Draft;
  /** Adds the elements of a line. */
  readonly addLine: (draft: Draft, values: readonly unknown[], line: number) => void;
}

/** Makes the maker of the records of one resource, or of records nested in them. */
export function recordMaker(
  rules: { readonly fields: ReadonlyMap<string, ValueRule>; readonly lists: ReadonlyMap<string, ListRule> | undefined },
  fields: Fields,
  path: Path,
  compiling: Compiling,
): RecordMaker {
  const node = newNode();
  for (const [way, rule] of rules.fields) addField(node, way, rule, fields, [...path, 'fields', way], compiling);
  const lists = [...(rules.lists ?? [])].map(([name, rule]) =>
    listMaker(name, rule, { fields, node, path: [...path, 'lists', name], compiling }),
  );
  return {
    begin: (values, line) => {
      const told: Pick<Draft, 'reasons' | 'warnings'> = { reasons: [], warnings: [] };
      return { value: fill(node, values, '', { pointer: '', position: 1, line, ...told }).value, ...told };
    },
    addLine: ({ value, reasons, warnings }, values, line) => {
      for (const add of lists) add(value, values, '', { pointer: '', position: 1, line, reasons, warnings });
    },
  };
}

/** The content of one record: its own values, nested records, and lists by the paths that the mapping names. */
interface Node {
  readonly scalars: { readonly name: string; readonly read: ValueReader; readonly isGiven: boolean }[];
  readonly records: Map<string, Node>;
  readonly lists: Map<string, Map<number, Node>>;
}

function newNode(): Node {
  return { scalars: [], records: new Map(), lists: new Map() };
}

/** Puts a field at its place in the tree, along its path. */
function addField(node: Node, way: string, rule: ValueRule, fields: Fields, path: Path, compiling: Compiling): void {
  const [name = '', ...rest] = way.split('.');
  const field = fieldNamed(name, fields, path, compiling);
  if (field === null) return;
  if (isScalar(field)) {
    if (rest.length > 0) fault(compiling.faults, path, `goes on behind ${quoted(name)}, which is a value.`);
    else node.scalars.push({ name, read: valueReader(rule, field, path, compiling), isGiven: !isFixed(rule) });
    return;
  }
  if (field.kind === 'object') {
    const record = node.records.get(name) ?? newNode();
    node.records.set(name, record);
    if (rest.length === 0)
      fault(compiling.faults, path, `is a record: name a field in it, such as ${name}.${firstOf(field.fields)}.`);
    else addField(record, rest.join('.'), rule, field.fields, path, compiling);
    return;
  }
  const [place = '', ...inside] = rest;
  if (!/^\d{1,3}$/.test(place) || inside.length === 0) {
    const example = `${name}.0.${firstOf(field.fields)}`;
    fault(compiling.faults, path, `is a list: name a field of an element, such as ${example}, or use "lists".`);
    return;
  }
  const elements = node.lists.get(name) ?? new Map<number, Node>();
  node.lists.set(name, elements);
  const element = elements.get(Number(place)) ?? newNode();
  elements.set(Number(place), element);
  addField(element, inside.join('.'), rule, field.fields, path, compiling);
}

/** Whether a value does not depend on the line: an element consisting only of such values does not count. */
function isFixed(rule: ValueRule): boolean {
  return 'constant' in rule || 'position' in rule || ('firstOf' in rule && rule.firstOf.every(isFixed));
}

function firstOf(fields: Fields): string {
  return Object.keys(fields)[0] ?? '';
}

function fieldNamed(name: string, fields: Fields, path: Path, { faults }: Compiling): Field | null {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (field !== undefined) return field;
  const near = closestName(name, Object.keys(fields));
  const all = Object.keys(fields);
  const known = all.length > 20 ? `See docs/reference for its fields.` : `There are ${all.join(', ')}.`;
  fault(faults, path, `names no field: ${quoted(name)}. ${near === null ? known : `Did you mean ${quoted(near)}?`}`);
  return null;
}

interface Filled {
  readonly value: Record<string, unknown>;
  /** Whether anything came from the line. */
  readonly isGiven: boolean;
}

function fill(node: Node, values: readonly unknown[], prefix: string, place: ValuePlace): Filled {
  const value: Record<string, unknown> = {};
  let isGiven = false;
  for (const { name, read, isGiven: counts } of node.scalars) {
    place.pointer = `${prefix}/${name}`;
    place.isDefault = false;
    const found = read(values, place);
    if (found === undefined || found === null) continue;
    value[name] = found;
    isGiven ||= counts && !place.isDefault;
  }
  for (const [name, record] of node.records) {
    const found = fill(record, values, `${prefix}/${name}`, place);
    if (!found.isGiven) continue;
    value[name] = found.value;
    isGiven = true;
  }
  for (const [name, elements] of node.lists) {
    const found: Record<string, unknown>[] = [];
    for (const [, element] of [...elements].sort(([one], [other]) => one - other)) {
      const filled = fill(element, values, `${prefix}/${name}/${found.length}`, place);
      if (filled.isGiven) found.push(filled.value);
    }
    if (found.length === 0) continue;
    value[name] = found;
    isGiven = true;
  }
  return { value, isGiven };
}

type AddElements = (
  target: Record<string, unknown>,
  values: readonly unknown[],
  prefix: string,
  place: ValuePlace,
) => void;

interface ListContext {
  readonly fields: Fields;
  readonly node: Node;
  readonly path: Path;
  readonly compiling: Compiling;
}

/** Makes the function that adds the elements of a line to a list. */
function listMaker(name: string, rule: ListRule, { fields, node, path, compiling }: ListContext): AddElements {
  const field = fieldNamed(name, fields, path, compiling);
  if (field === null) return () => undefined;
  if (field.kind !== 'list') {
    fault(compiling.faults, path, `is no list: name it in "fields".`);
    return () => undefined;
  }
  if (node.lists.has(name)) fault(compiling.faults, path, 'has elements by "fields" already: use one of the two.');
  const isJson = compiling.file.format.kind === 'json' || compiling.file.format.kind === 'ndjson';
  if (rule.each !== undefined && !isJson)
    fault(compiling.faults, [...path, 'each'], 'is for JSON; elsewhere a line is an element.');
  const inner = rule.each === undefined ? compiling : { ...compiling, columns: newColumns(), known: null };
  const rows = rowsOf(rule, path, compiling, inner);
  const asks: RowCondition = rule.when === undefined ? () => true : rowCondition(rule.when, [...path, 'when'], inner);
  const element = newNode();
  for (const [way, each] of rule.fields) addField(element, way, each, field.fields, [...path, 'fields', way], inner);
  const nested = [...(rule.lists ?? [])].map(([below, each]) =>
    listMaker(below, each, { fields: field.fields, node: element, path: [...path, 'lists', below], compiling: inner }),
  );
  return (target, values, prefix, place) => {
    const known = target[name];
    const list: unknown[] = Array.isArray(known) ? known : [];
    for (const row of rows(values)) {
      if (!asks(row)) continue;
      const here = `${prefix}${pointer([name, list.length])}`;
      place.position = list.length + 1;
      const { value, isGiven } = fill(element, row, here, place);
      for (const add of nested) add(value, row, here, place);
      if (isGiven || (rule.each !== undefined && Object.keys(value).length > 0)) list.push(value);
    }
    if (list.length > 0) target[name] = list;
  };
}

/** The rows from which elements are made: the line itself, or the objects of an array in it. */
function rowsOf(
  { each }: ListRule,
  path: Path,
  outer: Compiling,
  { columns }: Compiling,
): (values: readonly unknown[]) => readonly (readonly unknown[])[] {
  if (each === undefined) return (values) => [values];
  const place = placeOf(each, [...path, 'each'], outer);
  let valuesOf: ReturnType<typeof objectValues> | null = null;
  return (values) => {
    // All columns are known when the first line comes.
    valuesOf ??= objectValues(columns.names, new Map());
    const array = values[place];
    if (array === null || array === undefined || array === '') return [];
    return (Array.isArray(array) ? array : [array]).map(valuesOf);
  };
}

/** A field that holds a text of any length: for keys. */
export const keyField: ScalarField = { kind: 'text', max: Number.MAX_SAFE_INTEGER, meaning: 'Key.' };
