// Compiles a mapping from its file and the definitions of resources, or reports all of its faults.
import { namingFields } from '../../model/withdrawal.ts';
import { OperatorError } from '../../model/operator-error.ts';
import type { Resource, ScalarField } from '../../model/resource.ts';
import { closestName } from '../../model/closest-name.ts';
import { quoted } from '../../model/text.ts';
import { type Compiling, rowCondition, type RowCondition, expression, type Path } from './compiling.ts';
import {
  type ConditionRule,
  type FormatRule,
  type MappingFile,
  mappingShape,
  type ResourceRule,
} from './mapping-file.ts';
import { keyField, type RecordMaker, recordMaker } from './record-maker.ts';
import { aroundArray, type UsedColumns, newColumns } from './rows.ts';
import { type Fault, fault } from './shape.ts';
import { type ValueReader, valueReader } from './values.ts';

type Differences = 'first' | 'warn' | 'refuse';

/** How the records of one resource are made from a file. */
export interface ResourceMapping {
  readonly resource: Resource;
  /** The used columns, in the order in which rows return their values. */
  readonly columns: UsedColumns;
  readonly skip: readonly { readonly rule: string; readonly asks: RowCondition }[];
  readonly maker: RecordMaker;
  readonly group: {
    readonly by: readonly ValueReader[];
    readonly apart: 'refuse' | 'gather';
    readonly differences: Differences;
  } | null;
  readonly distinct: { readonly differences: Differences } | null;
  readonly withdraw: RowCondition | null;
}

/** What the source says about a message. */
interface MessageMapping {
  readonly columns: UsedColumns;
  readonly id: ValueReader | null;
  readonly sequence: ValueReader | null;
  readonly extractionDate: ValueReader | null;
}

export interface Mapping {
  readonly file: MappingFile;
  readonly format: FormatRule;
  /** Pattern for the name of a file. */
  readonly fileName: RegExp | null;
  readonly message: MessageMapping;
  /** Columns for values around the array of a JSON file, without duplicates. */
  readonly around: readonly string[];
  /** In the order in which they are written. */
  readonly resources: readonly ResourceMapping[];
}

/** The most faults reported at once. */
const maxFaults = 20;

/**
 * Reads a mapping file.
 * @param text its JSON
 * @param name for error messages
 * @param definitions all existing resources
 * @throws OperatorError that lists every fault with its place
 */
export function readMapping(text: string, name: string, definitions: readonly Resource[]): Mapping {
  let given: unknown;
  try {
    given = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    throw new OperatorError(
      `The mapping ${name} is not JSON: ${error instanceof Error ? error.message : String(error)}.`,
      'See docs/feeds.md.',
    );
  }
  const faults: Fault[] = [];
  const file = mappingShape.read(given, [], faults);
  const mapping = file === undefined || faults.length > 0 ? null : compile(file, definitions, faults);
  if (mapping !== null && faults.length === 0) return mapping;
  const told = faults.slice(0, maxFaults).map(({ place, detail }) => `${place === '' ? 'The file' : place} ${detail}`);
  const more = faults.length > maxFaults ? ` There are ${faults.length - maxFaults} more.` : '';
  throw new OperatorError(`The mapping ${name} is wrong. ${told.join(' ')}${more}`, 'See docs/feeds.md.');
}

function compile(file: MappingFile, definitions: readonly Resource[], faults: Fault[]): Mapping {
  checkFormat(file.format, faults);
  const isText = file.format.kind === 'csv' || file.format.kind === 'fixed';
  for (const name of ['header', 'trailer'] as const) {
    const rule = file[name];
    if (rule === undefined) continue;
    if (!isText) fault(faults, [name], 'is for csv and fixed files.');
    expression(rule.pattern, [name, 'pattern'], faults);
  }
  if (file.resources.size === 0) fault(faults, ['resources'], 'must name a resource.');
  const message = messageMapping(file, faults);
  const resources = resourceMappings(file, definitions, faults);
  const columns = [message.columns, ...resources.map((each) => each.columns)].flatMap(({ names }) => names);
  return {
    file,
    format: file.format,
    fileName: file.fileName === undefined ? null : expression(file.fileName, ['fileName'], faults),
    message,
    around: [...new Set(columns.filter((name) => name.startsWith(aroundArray)))],
    resources,
  };
}

function resourceMappings(
  file: MappingFile,
  definitions: readonly Resource[],
  faults: Fault[],
): readonly ResourceMapping[] {
  return [...file.resources].flatMap(([name, rule]) => {
    const resource = definitions.find((each) => each.name === name);
    if (resource !== undefined) return [resourceMapping(resource, rule, file, faults)];
    const names = definitions.map((each) => each.name);
    const near = closestName(name, names);
    const advice = near === null ? `There are ${names.join(', ')}.` : `Did you mean ${quoted(near)}?`;
    fault(faults, ['resources', name], `is no resource. ${advice}`);
    return [];
  });
}

function checkFormat(format: FormatRule, faults: Fault[]): void {
  if (format.kind === 'csv') {
    if (format.header !== false && format.columns !== undefined)
      fault(faults, ['format', 'columns'], 'is for files without a line that names the columns: say "header": false.');
    twice(format.columns ?? [], ['format', 'columns'], faults);
  }
  if (format.kind === 'fixed')
    twice(
      format.columns.map(({ name }) => name),
      ['format', 'columns'],
      faults,
    );
}

function twice(names: readonly string[], path: Path, faults: Fault[]): void {
  const again = names.find((name, index) => names.indexOf(name) < index);
  if (again !== undefined) fault(faults, path, `names ${quoted(again)} twice.`);
}

/** The column names that the mapping itself defines; null when the file defines them. */
function knownColumns(format: FormatRule): ReadonlySet<string> | null {
  if (format.kind === 'fixed') return new Set(format.columns.map(({ name }) => name));
  if (format.kind !== 'csv' || format.header !== false) return null;
  if (format.columns !== undefined) return new Set(format.columns);
  return new Set(Array.from({ length: maxNumberedColumns }, (_, index) => String(index + 1)));
}

const maxNumberedColumns = 1000;

function messageMapping(file: MappingFile, faults: Fault[]): MessageMapping {
  const columns = newColumns();
  const compiling: Compiling = { faults, file, columns, known: new Set() };
  const reader = (name: 'id' | 'sequence' | 'extractionDate', field: ScalarField): ValueReader | null => {
    const rule = file.message?.[name];
    return rule === undefined ? null : valueReader(rule, field, ['message', name], compiling);
  };
  return {
    columns,
    id: reader('id', keyField),
    sequence: reader('sequence', { kind: 'integer', bits: 53, meaning: 'Sequence number.' }),
    extractionDate: reader('extractionDate', { kind: 'date-time', meaning: 'Instant of the image.' }),
  };
}

function resourceMapping(resource: Resource, rule: ResourceRule, file: MappingFile, faults: Fault[]): ResourceMapping {
  const path: Path = ['resources', resource.name];
  const compiling: Compiling = { faults, file, columns: newColumns(), known: knownColumns(file.format) };
  if (rule.group !== undefined && rule.distinct !== undefined)
    fault(faults, [...path, 'distinct'], 'cannot stand beside "group": a group is distinct.');
  if (rule.distinct !== undefined && resource.key.length === 0)
    fault(faults, [...path, 'distinct'], `cannot be: ${resource.name} have no key.`);
  const withdraw = rule.withdraw?.when;
  if (withdraw !== undefined) checkWithdrawal(resource, rule, [...path, 'withdraw'], faults);
  const fields = { ...resource.fields, ...resource.unpublished };
  return {
    resource,
    columns: compiling.columns,
    skip: [...skipRules(file.skip, ['skip'], compiling), ...skipRules(rule.skip, [...path, 'skip'], compiling)],
    group:
      rule.group === undefined
        ? null
        : {
            by: rule.group.by.map((each, index) =>
              valueReader(each, keyField, [...path, 'group', 'by', index], compiling),
            ),
            apart: rule.group.apart ?? 'refuse',
            differences: rule.group.differences ?? 'first',
          },
    distinct: rule.distinct === undefined ? null : { differences: rule.distinct.differences ?? 'first' },
    withdraw: withdraw === undefined ? null : rowCondition(withdraw, [...path, 'withdraw', 'when'], compiling),
    maker: recordMaker(rule, fields, path, compiling),
  };

  function skipRules(
    rules: readonly { readonly rule: string; readonly when: ConditionRule }[] | undefined,
    at: Path,
    within: Compiling,
  ): ResourceMapping['skip'] {
    return (rules ?? []).map((each, index) => {
      if (reserved.has(each.rule))
        fault(faults, [...at, index, 'rule'], `is a name that the program uses: choose another.`);
      return { rule: each.rule, asks: rowCondition(each.when, [...at, index, 'when'], within) };
    });
  }
}

/** Names under which the program itself counts lines. */
const reserved: ReadonlySet<string> = new Set(['blank', 'comment', 'structure', 'same']);

function checkWithdrawal(resource: Resource, { fields }: ResourceRule, path: Path, faults: Fault[]): void {
  const lacking = namingFields(resource).filter((name) => !fields.has(name));
  if (lacking.length > 0) fault(faults, path, `needs the key in "fields": ${lacking.join(', ')}.`);
}
