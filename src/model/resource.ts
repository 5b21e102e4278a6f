// What a published resource IS: its fields, key, activity and default order, as plain data that would survive JSON.
import type { Measure } from './units.ts';

/** What every kind of field may say of itself. */
interface FieldFacts {
  /** One sentence for the reference: what the field means; its unit is told by `measure`. */
  readonly meaning: string;
  /** Name of the code list whose codes the field holds: see `src/resources/code-lists.ts`. */
  readonly codes?: string;
  /** The form of the resource in which the field was added (default: 0, the first); `npm run migration` says which. */
  readonly since?: number;
  /** The value is never null in a response (default: it is null when unknown). */
  readonly notNull?: true;
  /** The record is refused on import and on creation without it. */
  readonly required?: true;
  /**
   * The service gives the value; one that is sent is ignored (dates) or refused (ids) as decision D3 says.
   * `number`: integer id; `uuid`: UUIDv7; `created`/`updated`: the service's own dates;
   * `parent-id`: the `id` of the record that this one is nested in.
   */
  readonly assigned?: 'number' | 'uuid' | 'parent-id' | 'created' | 'updated';
  /** Clients may filter by it: it has a typed column (top level) or a row of its own per element (nested). */
  readonly filterable?: true;
  /** Clients may sort by it (top level only; a sortable field is filterable too). */
  readonly sortable?: true;
  /** Part of the resource's create request is everything but these; they may come back as they were read. */
  readonly readOnly?: true;
}

/** Text of `min` to `max` code points (UTF-8, no control characters but line breaks and tabs). */
export interface TextField extends FieldFacts {
  readonly kind: 'text';
  readonly max: number;
  readonly min?: number;
  /**
   * `code`: names something, so it has no tabs and line breaks; what clients submit is words with one blank between
   * them, without invisible characters, so that two codes that look alike are one.
   */
  readonly format?: 'email' | 'uri' | 'country' | 'code';
  /** All that clients may submit. The warehouse's own records may hold others. */
  readonly values?: readonly string[];
  /** What clients must follow; the warehouse is warned where its own records do not. */
  readonly standard?: 'gtin' | 'country';
}
/** A whole number: `bits` 32 is int32, 53 an integer that JSON numbers carry exactly. */
export interface IntegerField extends FieldFacts, Bounds, Measured {
  readonly kind: 'integer';
  readonly bits: 32 | 53;
  /** All that clients may submit. The warehouse's own records may hold others. */
  readonly values?: readonly number[];
}
/** Any finite JSON number. */
export interface DecimalField extends FieldFacts, Bounds, Measured {
  readonly kind: 'decimal';
}
interface Measured {
  /** What the number counts or measures, and so the unit that the reference tells. */
  readonly measure?: Measure;
}
/** What numbers clients may submit. The warehouse's own records may hold others. */
interface Bounds {
  /** The least one. */
  readonly least?: number;
  /** All must be more than this. */
  readonly above?: number;
}
export interface BooleanField extends FieldFacts {
  readonly kind: 'boolean';
  /** Of the elements of one list that a client submits, at most one may have it true. */
  readonly atMostOne?: true;
}
/** An instant; written as RFC 3339 UTC with milliseconds, stored in columns as milliseconds since 1970. */
export interface DateTimeField extends FieldFacts {
  readonly kind: 'date-time';
  /** A day that no calendar has is refused to clients, and taken from the warehouse for none, with a warning. */
  readonly standard?: 'calendar';
}
/** One nested record, or null. */
export interface ObjectField extends FieldFacts {
  readonly kind: 'object';
  readonly record: string;
  readonly fields: Fields;
}
/**
 * A list of nested records (never null: empty when there are none), at most 1000.
 * `key` names the fields that identify an element among its siblings, so that its id survives an update.
 */
export interface ListField extends FieldFacts {
  readonly kind: 'list';
  readonly record: string;
  readonly fields: Fields;
  readonly key: readonly string[];
  /**
   * Another place for such elements: the list `elements` in each element of `list`, a list beside this one. What
   * clients submit there and here together has each key once, unless an element here names the one of `list` that holds
   * its like, by that one's key in its field `names`.
   */
  readonly alsoIn?: { readonly list: string; readonly elements: string; readonly names: string };
}

export type ScalarField = TextField | IntegerField | DecimalField | BooleanField | DateTimeField;
export type Field = ScalarField | ObjectField | ListField;
/** Fields in the order in which the interface lists them and responses write them. */
export interface Fields {
  readonly [name: string]: Field;
}

/** One resource of part 2 of the interface. */
export interface Resource {
  /**
   * Name on the command line and in tables: `articles`, `stock`, `movements`, `orders`, `order-reports`,
   * `procurements`, `procurement-reports`.
   */
  readonly name: string;
  /** Record name in the interface, e.g. `ArticleStockMovement`. */
  readonly record: string;
  /** Clause of the interface, such as `2.1`; null for a record that the interface does not have. */
  readonly clause: string | null;
  /** Table name. */
  readonly table: string;
  /** `records`: written one by one, each with its change number. `images`: swapped whole (stock). */
  readonly storage: 'records' | 'images';
  /**
   * Field that publishes the code of the activity, or null where none does (a movement's `activityCode` is an
   * event code).
   */
  readonly activityField: string | null;
  /** Field that publishes the name of the activity, or null. */
  readonly activityNameField: string | null;
  /**
   * Fields (published or unpublished) whose values identify a record within its activity; null counts as a value.
   * Empty: a record is identified by the `id` that its source gave it, else by its whole content
   * (and by how often that content occurs in one file).
   */
  readonly key: readonly string[];
  /**
   * Only without a key: the date field that leads the identity, so that records of one time lie together in the index
   * and a large import does not jump through the whole of it.
   */
  readonly keyLead?: string;
  /** Instant of the image that a record belongs to; only with storage `images`. */
  readonly imageField: string | null;
  readonly fields: Fields;
  /** Fields that are stored and can be asked for by path, but are never published. */
  readonly unpublished: Fields;
  /** No further properties may ever be added to the record (interface 2.1). */
  readonly closed: boolean;
  /** Column lists with an index for change order; each begins with the activity and ends with the change number. */
  readonly indexes: readonly (readonly string[])[];
  /**
   * Column lists with an index for value order, where each begins with the activity and ends with the id: those of
   * which many records may have the same value. With storage `images` the others serve both.
   */
  readonly sortIndexes: readonly (readonly string[])[];
  /**
   * Column lists by which the engine adds records up, each with an index that has all that is asked of a record: it
   * begins with the activity and ends with when the record was withdrawn. Only with storage `records`.
   */
  readonly sumIndexes?: readonly (readonly string[])[];
  /**
   * Raised where more is stored of each record though no field was added: one of them became filterable (default: 0; a
   * field that is added says so itself, by `since`).
   */
  readonly form?: number;
  /**
   * The resource whose records these belong to, and the field in which both name one: they go with it (decision 53).
   */
  readonly parent?: { readonly resource: string; readonly field: string };
  /** Field whose value names the record that documents of clients belong to; absent: none do. */
  readonly documentsBy?: string;
  /** One example record in published form, complete enough for the documentation. */
  readonly example: Readonly<Record<string, unknown>>;
}

/** A filterable nested field: `orderEntries.articleReference`. */
export interface NestedSelector {
  readonly selector: string;
  readonly path: readonly string[];
  readonly field: ScalarField;
}

/** True for a field whose value is a single text, number, boolean or instant. */
export function isScalar(field: Field): field is ScalarField {
  return field.kind !== 'object' && field.kind !== 'list';
}

/** The fields that have a typed column: filterable or sortable ones and the unpublished ones, in definition order. */
export function columnFields(resource: Resource): ReadonlyMap<string, ScalarField> {
  const columns = new Map<string, ScalarField>();
  for (const [name, field] of [...Object.entries(resource.fields), ...Object.entries(resource.unpublished)]) {
    if (isScalar(field) && (field.filterable || field.sortable || name in resource.unpublished))
      columns.set(name, field);
  }
  return columns;
}

/** The filterable nested fields, each with its dotted selector. */
export function nestedSelectors(resource: Resource): readonly NestedSelector[] {
  const found: NestedSelector[] = [];
  const visit = (fields: Fields, path: readonly string[]): void => {
    for (const [name, field] of Object.entries(fields)) {
      const here = [...path, name];
      if (!isScalar(field)) visit(field.fields, here);
      else if (path.length > 0 && field.filterable) found.push({ selector: here.join('.'), path: here, field });
    }
  };
  visit(resource.fields, []);
  return found;
}
