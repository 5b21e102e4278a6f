// The storage difference between two states of the definitions: the content of a generated migration.
import { textBlock } from '../model/text-block.ts';
import { formOf, sourceFields } from '../model/body-form.ts';
import { type Fields, isScalar, nestedSelectors, type Resource } from '../model/resource.ts';
import { type ColumnType, type TableShape, recordTables } from './record-tables.ts';

/** How a resource is stored: plain data, as it is frozen beside the migrations. */
export interface StoredShape {
  readonly resource: string;
  readonly form: number;
  readonly tables: readonly TableShape[];
  /** Kind of each field by its dotted path, including unpublished ones. */
  readonly fields: Readonly<Record<string, string>>;
  /** Position of each field in the hash of a record, by its dotted path; fields that the service assigns have none. */
  readonly places: Readonly<Record<string, number>>;
  /** Fields of nested records that have rows of their own. */
  readonly selectors: readonly string[];
}

/** The changes that a migration makes to the tables of records. */
export interface ShapeChange {
  readonly tables: readonly TableShape[];
  readonly columns: readonly NewColumn[];
  readonly indexes: readonly TableIndex[];
  readonly droppedIndexes: readonly TableIndex[];
}
/** A new column: existing rows get the default, and the column is then not null; without a default they get null. */
export interface NewColumn {
  readonly table: string;
  readonly name: string;
  readonly type: ColumnType;
  readonly default?: string;
}
export interface TableIndex {
  readonly table: string;
  readonly fields: readonly string[];
}

export function storedShape(resource: Resource): StoredShape {
  return {
    resource: resource.name,
    form: formOf(resource),
    tables: recordTables(resource),
    fields: Object.fromEntries(kinds({ ...resource.fields, ...resource.unpublished }, '')),
    places: Object.fromEntries(places({ ...resource.fields, ...resource.unpublished }, '')),
    selectors: nestedSelectors(resource).map(({ selector }) => selector),
  };
}

/** True if storage has to be changed. */
export function isChange(
  { tables, columns, indexes, droppedIndexes }: ShapeChange,
  before: readonly StoredShape[],
  after: readonly StoredShape[],
): boolean {
  const forms = (shapes: readonly StoredShape[]): string =>
    JSON.stringify(shapes.map(({ resource, form }) => [resource, form]));
  return tables.length + columns.length + indexes.length + droppedIndexes.length > 0 || forms(before) !== forms(after);
}

/** The changes that lead from one state to the other. */
export function shapeChange(before: readonly StoredShape[], after: readonly StoredShape[]): ShapeChange {
  const known = new Map(before.flatMap(({ tables }) => tables).map((table) => [table.name, table]));
  const tables = after.flatMap((shape) => shape.tables);
  const kept = tables.flatMap((now) => {
    const then = known.get(now.name);
    return then === undefined ? [] : [{ then, now }];
  });
  return {
    tables: tables.filter(({ name }) => !known.has(name)),
    columns: kept.flatMap(({ then, now }) =>
      now.columns
        .filter(({ name }) => then.columns.every((column) => column.name !== name))
        .map(({ name, type, default: standard }) => ({
          table: now.name,
          name,
          type,
          ...(standard !== undefined && { default: standard }),
        })),
    ),
    indexes: kept.flatMap(({ then, now }) => indexesBeyond(now, then)),
    droppedIndexes: kept.flatMap(({ then, now }) => indexesBeyond(then, now)),
  };
}

/**
 * What a generated migration cannot do, or what a definition lacks.
 * @returns sentences for the developer who changed the definition
 */
export function shapeChangeFaults(before: readonly StoredShape[], after: readonly StoredShape[]): readonly string[] {
  return before.flatMap((then) => {
    const now = after.find(({ resource }) => resource === then.resource);
    return now === undefined ? [`${then.resource} is gone: write a migration by hand.`] : faultsOf(then, now);
  });
}

function faultsOf(then: StoredShape, now: StoredShape): readonly string[] {
  const faults: string[] = [];
  for (const [path, kind] of Object.entries(then.fields)) {
    if (now.fields[path] === undefined)
      faults.push(`${now.resource}: field ${path} is gone: write a migration by hand.`);
    else if (now.fields[path] !== kind)
      faults.push(`${now.resource}: field ${path} was ${kind} and is ${now.fields[path]}: write a migration by hand.`);
  }
  const added = Object.keys(now.fields).filter((path) => then.fields[path] === undefined);
  const found = now.selectors.filter(
    (selector) => !then.selectors.includes(selector) && then.fields[selector] !== undefined,
  );
  const columns = shapeChange([then], [now])
    .columns.map(({ name }) => name)
    .filter((name) => then.fields[name] !== undefined);
  if (now.form > then.form + 1) faults.push(`${now.resource}: the next form is ${then.form + 1}, not ${now.form}.`);
  const next = then.form + 1;
  const moved = Object.entries(then.places)
    .filter(([path, place]) => now.fields[path] !== undefined && now.places[path] !== place)
    .map(([path]) => path);
  if (moved.length > 0)
    faults.push(
      textBlock`
        ${now.resource}: ${moved.join(', ')} would no longer be compared as before: say { since: ${next} } of each new
        field, and keep the order of the others.
      `,
    );
  if (now.form > then.form) return faults;
  if (added.length > 0)
    faults.push(`${now.resource}: ${added.join(', ')} is new: say { since: ${next} } in its definition.`);
  if (found.length + columns.length > 0)
    faults.push(
      textBlock`
        ${now.resource}: clients may filter by ${[...columns, ...found].join(', ')} now: say form: ${next} in the
        definition of the resource.
      `,
    );
  return faults;
}

function indexesBeyond(here: TableShape, there: TableShape): readonly TableIndex[] {
  const others = new Set(there.indexes.map((fields) => fields.join()));
  return here.indexes.filter((fields) => !others.has(fields.join())).map((fields) => ({ table: here.name, fields }));
}

function kinds(fields: Fields, prefix: string): readonly (readonly [path: string, kind: string])[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = `${prefix}${name}`;
    return [[path, field.kind] as const, ...(isScalar(field) ? [] : kinds(field.fields, `${path}.`))];
  });
}

function places(fields: Fields, prefix: string): readonly (readonly [path: string, place: number])[] {
  return sourceFields(fields).flatMap(({ name, field, place }) => {
    const path = `${prefix}${name}`;
    return [[path, place] as const, ...(isScalar(field) ? [] : places(field.fields, `${path}.`))];
  });
}
