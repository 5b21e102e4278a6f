// How an administration table is described: plain data that determines its row type and its creation.
import type { BulkTarget, Cell, Row, SqlValue } from './engine.ts';
import type { ColumnType, TableShape } from './record-tables.ts';
import { sql, type Statement } from './statement.ts';

/** `instant`: milliseconds since 1970. `texts`: a list, stored as JSON text. */
export interface Column {
  readonly kind: 'text' | 'one-of' | 'integer' | 'instant' | 'boolean' | 'texts';
  /** The texts of `one-of`. */
  readonly values?: readonly string[];
  readonly nullable?: true;
  /** The stored value for rows that existed before the column. */
  readonly default?: string;
  /** The column's name in the database, if it does not follow from the program's name for it. */
  readonly column?: string;
}
export type Columns = Readonly<Record<string, Column>>;

export const text = { kind: 'text' } as const;
export const integer = { kind: 'integer' } as const;
export const instant = { kind: 'instant' } as const;
export const boolean = { kind: 'boolean' } as const;
export const texts = { kind: 'texts' } as const;
/** Code of the activity that a row belongs to; its column is called `owner`, as in the tables of records. */
export const activity = { kind: 'text', column: 'owner' } as const;

/** One of these texts. */
export function oneOf<const Values extends readonly string[]>(...values: Values) {
  return { kind: 'one-of', values } as const;
}

/** The same, or null. */
export function optional<const Of extends Column>(column: Of) {
  return { ...column, nullable: true } as const;
}

/** The description of a table, apart from its name. */
export interface TableDefinition<Of extends Columns> {
  /** By the program's names for them; `createdAt` is stored as `created_at`, `activity` as `owner`. */
  readonly columns: Of;
  /** The unique key that identifies a row. */
  readonly key: readonly NameIn<Of>[];
  readonly unique?: readonly (readonly NameIn<Of>[])[];
  readonly indexes?: readonly (readonly NameIn<Of>[])[];
}

export interface Table<Of extends Columns> extends Required<TableDefinition<Of>> {
  readonly name: string;
  /** The table name for use in a statement. */
  readonly quoted: Statement;
  /** Its columns for use in a statement. */
  readonly column: Readonly<Record<NameIn<Of>, Statement>>;
  /** All columns, in the order of `toRow` and `toCells`. */
  readonly allColumns: Statement;
  readonly toRow: (cells: Row) => RowIn<Of>;
  readonly toCells: (row: NewRowIn<Of>) => readonly SqlValue[];
  /**
   * The target for `putRows` of a transaction, with rows as `toCells` returns them; a row with the same key is
   * replaced.
   */
  readonly target: BulkTarget;
}

export type NameIn<Of extends Columns> = keyof Of & string;
/** A row of a table in the program's form. */
export type RowIn<Of extends Columns> = { readonly [Name in keyof Of]: ValueOf<Of[Name]> };
/** A row as it is written: a column that may be null is null where nothing is said of it. */
export type NewRowIn<Of extends Columns> = {
  readonly [Name in keyof Of as Of[Name] extends Nullable ? never : Name]: ValueOf<Of[Name]>;
} & { readonly [Name in keyof Of as Of[Name] extends Nullable ? Name : never]?: ValueOf<Of[Name]> };
/** A row of a described table: `RowOf<typeof users>`. */
export type RowOf<Of extends { readonly columns: Columns }> = RowIn<Of['columns']>;
/** The same as it is written. */
export type NewRowOf<Of extends { readonly columns: Columns }> = NewRowIn<Of['columns']>;

type Nullable = { readonly nullable: true };
type ValueOf<Of extends Column> = Of extends Nullable ? KindValue<Of> | null : KindValue<Of>;
type KindValue<Of extends Column> = Of extends { readonly kind: 'one-of'; readonly values: readonly (infer Value)[] }
  ? Value
  : Of extends { readonly kind: 'text' }
    ? string
    : Of extends { readonly kind: 'boolean' }
      ? boolean
      : Of extends { readonly kind: 'texts' }
        ? readonly string[]
        : number;

/** Describes a table. */
export function table<const Of extends Columns>(name: string, definition: TableDefinition<Of>): Table<Of> {
  const entries = Object.entries(definition.columns);
  const quoted = entries.map(([field, column]) => [field, sql.quoted(columnName(field, column))] as const);
  return {
    unique: [],
    indexes: [],
    ...definition,
    name,
    quoted: sql.quoted(name),
    column: Object.fromEntries(quoted) as Table<Of>['column'],
    allColumns: sql.join(quoted.map(([, column]) => column)),
    // Each value is checked against the kind of its column, which determines its type.
    toRow: (cells) =>
      Object.fromEntries(
        entries.map(([field, column], index) => [field, readCell(name, field, column, cells[index] ?? null)]),
      ) as RowIn<Of>,
    toCells: (row: Readonly<Record<string, unknown>>) =>
      entries.map(([field, column]) => toCell(name, field, column, row[field] ?? null)),
    target: {
      table: name,
      columns: entries.map(([field, column]) => ({ name: columnName(field, column), type: columnType(column) })),
      conflict: definition.key.map((field) => columnName(field, definition.columns[field])),
    },
  };
}

/** The table as migrations create it. */
export function tableShape({
  name,
  columns,
  key,
  unique,
  indexes,
}: Required<TableDefinition<Columns>> & { readonly name: string }): TableShape {
  const namesOf = (fields: readonly string[]): readonly string[] =>
    fields.map((field) => columnName(field, columns[field]));
  return {
    name,
    columns: Object.entries(columns).map(([field, column]) => ({
      name: columnName(field, column),
      type: columnType(column),
      nullable: column.nullable === true,
      ...(column.default !== undefined && { default: column.default }),
    })),
    unique: [key, ...unique].map(namesOf),
    indexes: indexes.map(namesOf),
  };
}

/** A value in its stored form. @throws Error when it is not of the column's kind */
export function toCell(table: string, field: string, column: Column, value: unknown): SqlValue {
  if (value === null && column.nullable === true) return null;
  switch (column.kind) {
    case 'boolean':
      if (typeof value === 'boolean') return value ? 1 : 0;
      break;
    case 'texts':
      if (isTexts(value)) return JSON.stringify(value);
      break;
    case 'integer':
    case 'instant':
      if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
      break;
    default:
      if (typeof value === 'string' && isKnown(column, value)) return value;
  }
  throw new Error(`${table}.${field} cannot hold a value of type ${value === null ? 'null' : typeof value}`);
}

function readCell(table: string, field: string, column: Column, cell: Cell): unknown {
  if (cell === null && column.nullable === true) return null;
  switch (column.kind) {
    case 'boolean':
      if (cell === 0 || cell === 1) return cell === 1;
      break;
    case 'texts': {
      const value: unknown = typeof cell === 'string' ? JSON.parse(cell) : null;
      if (isTexts(value)) return value;
      break;
    }
    case 'integer':
    case 'instant':
      if (typeof cell === 'number') return cell;
      break;
    default:
      if (typeof cell === 'string' && isKnown(column, cell)) return cell;
  }
  throw new Error(`${table}.${field} holds what is not expected there`);
}

function isKnown({ values }: Column, value: string): boolean {
  return values === undefined || values.includes(value);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((element) => typeof element === 'string');
}

function columnType({ kind }: Column): ColumnType {
  return kind === 'text' || kind === 'one-of' || kind === 'texts' ? 'text' : 'integer';
}

/** `createdAt` → `created_at`, unless the column specifies otherwise. */
function columnName(field: string, column: Column | undefined): string {
  return column?.column ?? field.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
