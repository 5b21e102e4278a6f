// The shape of the records' own tables, derived from a definition; migrations freeze the result.
import type { Incoming, RenderedRecord } from '../model/record.ts';
import { type Resource, columnFields, nestedSelectors } from '../model/resource.ts';
import type { BulkColumn, BulkTarget, SqlValue } from './engine.ts';
import { orderColumn, tieBreakerColumn } from './list-sql.ts';

export type ColumnType = BulkColumn['type'];

/** A table as migrations create it: plain data. */
export interface TableShape {
  readonly name: string;
  readonly columns: readonly {
    readonly name: string;
    readonly type: ColumnType;
    readonly nullable: boolean;
    /** The value for rows that existed before the column. */
    readonly default?: string;
  }[];
  readonly unique: readonly (readonly string[])[];
  readonly indexes: readonly (readonly string[])[];
}

/** Tables of a resource: its own, and one for the filterable fields of nested records if it has any. */
export function recordTables(resource: Resource): readonly TableShape[] {
  const images = resource.storage === 'images';
  const own = columnsOf(resource).map((column) => ({ ...column, nullable: true }));
  const scope = images ? ['owner', 'image_id'] : ['owner'];
  const order = orderColumn(resource);
  const tieBreaker = tieBreakerColumn(resource);
  const main: TableShape = {
    name: resource.table,
    columns: [
      ...systemColumns(resource).map((column) => ({ ...column, nullable: false })),
      ...own,
      ...lineageColumns(resource).map((column) => ({ ...column, nullable: true })),
    ],
    unique: images
      ? [[...scope, order]]
      : [
          [...scope, 'natural_key'],
          [...scope, order],
        ],
    indexes: [
      ...resource.indexes.map((fields) => [...scope, ...fields, order]),
      ...resource.sortIndexes.map((fields) => [...scope, ...fields, tieBreaker]),
      ...(resource.sumIndexes ?? []).map((fields) => [...scope, ...fields, 'withdrawn_at']),
    ],
  };
  if (nestedSelectors(resource).length === 0) return [main];
  if (images) throw new Error(`${resource.name}: nested selectors need storage by records`);
  return [
    main,
    {
      name: nestedTable(resource),
      columns: [
        ...(['owner', 'natural_key', 'selector'] as const).map((name) => ({
          name,
          type: 'text' as const,
          nullable: false,
        })),
        { name: 'text_value', type: 'text', nullable: true },
        { name: 'number_value', type: 'decimal', nullable: true },
      ],
      unique: [],
      indexes: [
        ['owner', 'natural_key', 'selector'],
        ['owner', 'selector', 'text_value', 'natural_key'],
      ],
    },
  ];
}

/**
 * The target for writing rows of a resource, with all columns in order: system columns first, then the fields', then
 * those of its lineage.
 */
export function recordTarget(resource: Resource): BulkTarget {
  const target = bodyTarget(resource);
  return {
    ...target,
    columns: [...target.columns, ...lineageColumns(resource)],
    conflict: resource.storage === 'images' ? [] : target.conflict,
  };
}

/** The target for rewriting bodies: existing rows keep their lineage. */
export function bodyTarget(resource: Resource): BulkTarget {
  return {
    table: resource.table,
    columns: [...systemColumns(resource), ...columnsOf(resource)],
    conflict: resource.storage === 'images' ? ['owner', 'image_id', 'position'] : ['owner', 'natural_key'],
  };
}

/**
 * Where a row came from: message, line and, of a JSON array, element of its last write, null if a client wrote it (for
 * images the header holds the message); and since when (milliseconds) it is withdrawn (decision 49).
 */
function lineageColumns(resource: Resource): readonly BulkColumn[] {
  const place: readonly BulkColumn[] = [
    { name: 'feed_line', type: 'integer' },
    { name: 'feed_element', type: 'integer' },
  ];
  if (resource.storage === 'images') return place;
  return [{ name: 'feed_message', type: 'integer' }, ...place, { name: 'withdrawn_at', type: 'integer' }];
}

/** The cells of a place in a message: its line, and its element where the message is a JSON array. */
export function placeCells({ line, element }: Pick<Incoming, 'line' | 'element'>): readonly SqlValue[] {
  return [line ?? null, element ?? null];
}

/** The target for the values of nested selectors. */
export function nestedTarget(resource: Resource): BulkTarget {
  return {
    table: nestedTable(resource),
    columns: [
      { name: 'owner', type: 'text' },
      { name: 'natural_key', type: 'text' },
      { name: 'selector', type: 'text' },
      { name: 'text_value', type: 'text' },
      { name: 'number_value', type: 'decimal' },
    ],
    conflict: [],
  };
}

/** The rows of a record for `nestedTarget`. */
export function nestedRows(
  activity: string,
  naturalKey: string,
  nested: RenderedRecord['nested'],
): readonly (readonly SqlValue[])[] {
  return nested.map(({ selector, value }) => [
    activity,
    naturalKey,
    selector,
    typeof value === 'string' ? value : null,
    typeof value === 'number' ? value : null,
  ]);
}

export function nestedTable(resource: Resource): string {
  return `${resource.table}_nested`;
}

function systemColumns(resource: Resource): readonly BulkColumn[] {
  if (resource.storage === 'images') {
    return [
      { name: 'owner', type: 'text' },
      { name: 'image_id', type: 'text' },
      { name: 'position', type: 'integer' },
      { name: 'body', type: 'text' },
    ];
  }
  return [
    { name: 'owner', type: 'text' },
    { name: 'natural_key', type: 'text' },
    { name: 'change_number', type: 'integer' },
    { name: 'content_hash', type: 'text' },
    { name: 'body', type: 'text' },
  ];
}

function columnsOf(resource: Resource): readonly BulkColumn[] {
  return [...columnFields(resource)].map(([name, field]) => ({
    name,
    type: field.kind === 'text' ? 'text' : field.kind === 'decimal' ? 'decimal' : 'integer',
  }));
}
