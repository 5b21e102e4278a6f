// Short notation for field definitions: each function returns plain data, with nothing executable left in it.
import type {
  BooleanField,
  DateTimeField,
  DecimalField,
  Field,
  Fields,
  IntegerField,
  ListField,
  ObjectField,
  TextField,
} from '../model/resource.ts';

type None = Record<never, never>;
type FactsOf<F extends Field> = Omit<F, 'kind' | 'max' | 'bits' | 'record' | 'fields' | 'key' | 'meaning'>;

/** Clients may filter by the field. */
export const FILTER = { filterable: true } as const;
/** Clients may filter and sort by the field. */
export const SORT = { filterable: true, sortable: true } as const;
/** Always present on import, and never null in a response. */
export const NEEDED = { required: true, notNull: true } as const;

/** An identifier: see `TextField.format`. */
export const CODE = { format: 'code' } as const;
/** A date whose day must exist in the calendar: see `DateTimeField.standard`. */
export const CALENDAR = { standard: 'calendar' } as const;
/** A measure or count for which clients may not submit negative values. */
export const NOT_NEGATIVE = { least: 0 } as const;

/** Text of at most `max` code points; `min` is among the facts. */
export function text<const F extends FactsOf<TextField> = None>(max: number, meaning: string, facts?: F) {
  return { kind: 'text', max, meaning, ...facts } as {
    readonly kind: 'text';
    readonly max: number;
    readonly meaning: string;
  } & F;
}

/** A whole number that a JSON number represents exactly (decision D1: ids, counters, ranks). */
export function integer<const F extends FactsOf<IntegerField> = None>(meaning: string, facts?: F) {
  return { kind: 'integer', bits: 53, meaning, ...facts } as {
    readonly kind: 'integer';
    readonly bits: 53;
    readonly meaning: string;
  } & F;
}

/** A whole number of 32 bits. */
export function int32<const F extends FactsOf<IntegerField> = None>(meaning: string, facts?: F) {
  return { kind: 'integer', bits: 32, meaning, ...facts } as {
    readonly kind: 'integer';
    readonly bits: 32;
    readonly meaning: string;
  } & F;
}

/** What a number counts or measures: see `standardUnits`. */
export const WEIGHT = { measure: 'weight' } as const;
export const LENGTH = { measure: 'length' } as const;
export const VOLUME = { measure: 'volume' } as const;
export const QUANTITY = { measure: 'quantity' } as const;
export const PERCENT = { measure: 'percent' } as const;
export const AMOUNT = { measure: 'amount' } as const;
export const PRICE = { measure: 'price' } as const;
export const COUNT = { measure: 'count' } as const;
/** An identifier, a rank, or a number for free use. */
export const PLAIN = { measure: 'plain' } as const;

/** Any finite number. */
export function decimal<const F extends FactsOf<DecimalField> = None>(meaning: string, facts?: F) {
  return { kind: 'decimal', meaning, ...facts } as { readonly kind: 'decimal'; readonly meaning: string } & F;
}

/** An instant. */
export function dateTime<const F extends FactsOf<DateTimeField> = None>(meaning: string, facts?: F) {
  return { kind: 'date-time', meaning, ...facts } as { readonly kind: 'date-time'; readonly meaning: string } & F;
}

/** True or false. */
export function flag<const F extends FactsOf<BooleanField> = None>(meaning: string, facts?: F) {
  return { kind: 'boolean', meaning, ...facts } as { readonly kind: 'boolean'; readonly meaning: string } & F;
}

/** A list of nested records; `key` names the fields that identify an element among its siblings. */
export function list<const N extends string, const C extends Fields, const F extends Pick<ListField, 'alsoIn'> = None>(
  record: N,
  key: readonly (string & keyof C)[],
  fields: C,
  meaning: string,
  facts?: F,
) {
  const made = { kind: 'list', record, fields, key, meaning, notNull: true } as const satisfies ListField;
  return { ...made, ...facts } as typeof made & F;
}

/** One nested record, or null. */
export function object<const N extends string, const C extends Fields, const F extends FactsOf<ObjectField> = None>(
  record: N,
  fields: C,
  meaning: string,
  facts?: F,
) {
  return { kind: 'object', record, fields, meaning, ...facts } as {
    readonly kind: 'object';
    readonly record: N;
    readonly fields: C;
    readonly meaning: string;
  } & F;
}

/** Several fields that differ only in their name, in the given order. */
export function each<const N extends string, F extends Field>(names: readonly N[], field: F): { readonly [K in N]: F } {
  return Object.fromEntries(names.map((name) => [name, field])) as { readonly [K in N]: F };
}

/** Integer id that the service assigns to a record; clients may filter and sort by it. */
export const recordId = integer('Identifier of the record, given by the service.', {
  assigned: 'number',
  notNull: true,
  ...SORT,
});
/** Integer id that the service assigns to a nested record. */
export const nestedId = integer(
  'Identifier, given by the service; it stays the same when the record is written again.',
  { assigned: 'number', notNull: true },
);
/** UUID that the service assigns to a record. */
export const recordUuid = text(36, 'Identifier of the record (a UUID), given by the service.', {
  assigned: 'uuid',
  notNull: true,
  ...SORT,
});
/** UUID that the service assigns to a nested record; never part of a create request. */
export const nestedUuid = text(
  36,
  'Identifier (a UUID), given by the service; it stays the same when the record is written again.',
  { assigned: 'uuid', notNull: true, readOnly: true },
);
/** When the service first stored a record, and when it last did; clients may filter and sort by both. */
export const created = dateTime('When the service first stored the record.', {
  assigned: 'created',
  notNull: true,
  ...SORT,
});
export const updated = dateTime('When the service last stored a change of the record.', {
  assigned: 'updated',
  notNull: true,
  ...SORT,
});
/** The same for nested records. */
export const nestedCreated = dateTime('When the service first stored this part of the record.', {
  assigned: 'created',
  notNull: true,
});
export const nestedUpdated = dateTime('When the service last stored a change of this part of the record.', {
  assigned: 'updated',
  notNull: true,
});
/** Code and name of the activity that a record belongs to; both default to those of the activity that imports it. */
export const activityCode = text(3, 'Code of the activity that the record belongs to.', { notNull: true, ...SORT });
export const activityName = text(30, 'Name of the activity that the record belongs to.', { min: 1, notNull: true });
