// What a published resource IS: its fields, key, activity and default order, as plain data that could be written as
// JSON.
import type { Measure } from './units.ts';

/** Properties common to every kind of field. */
interface FieldFacts {
  /** One sentence for the reference: what the field means; its unit follows from `measure`. */
  readonly meaning: string;
  /** Name of the code list that the field's codes come from: see `src/resources/code-lists.ts`. */
  readonly codes?: string;
  /** The form of the resource in which the field was added (default: 0, the first); `npm run migration` says which. */
  readonly since?: number;
  /** The value is never null in a response (default: it is null when unknown). */
  readonly notNull?: true;
  /** Import and creation refuse a record without it. */
  readonly required?: true;
  /**
   * The service assigns the value; one that is sent is ignored (dates) or refused (ids) according to decision D3.
   * `number`: integer id; `uuid`: UUIDv7; `created`/`updated`: the service's own dates; `parent-id`: the `id` of the
   * record that this one is nested in.
   */
  readonly assigned?: 'number' | 'uuid' | 'parent-id' | 'created' | 'updated';
  /** Clients may filter by it: it has a typed column (top level) or a row of its own per element (nested). */
  readonly filterable?: true;
  /** Clients may sort by it (top level only; a sortable field is filterable too). */
  readonly sortable?: true;
  /** Not part of the resource's create request, though clients may send it back as they read it. */
  readonly readOnly?: true;
}

/** Text of `min` to `max` code points (UTF-8, no control characters except line breaks and tabs). */
export interface TextField extends FieldFacts {
  readonly kind: 'text';
  readonly max: number;
  readonly min?: number;
  /**
   * `code`: an identifier without tabs and line breaks. What clients submit consists of words with single blanks
   * between them and no invisible characters, so that two codes that look alike are the same.
   */
  readonly format?: 'email' | 'uri' | 'country' | 'code';
  /** The only values that clients may submit. The warehouse's own records may hold others. */
  readonly values?: readonly string[];
  /** A standard that binds clients; the warehouse gets a warning when its own records depart from it. */
  readonly standard?: 'gtin' | 'country';
}
/** A whole number: `bits` 32 is int32, 53 an integer that a JSON number represents exactly. */
export interface IntegerField extends FieldFacts, Bounds, Measured {
  readonly kind: 'integer';
  readonly bits: 32 | 53;
  /** The only values that clients may submit. The warehouse's own records may hold others. */
  readonly values?: readonly number[];
}
/** Any finite JSON number. */
export interface DecimalField extends FieldFacts, Bounds, Measured {
  readonly kind: 'decimal';
}
interface Measured {
  /** What the number counts or measures, and thereby the unit that the reference states. */
  readonly measure?: Measure;
}
/** Bounds for numbers that clients submit. The warehouse's own records may hold others. */
interface Bounds {
  /** Inclusive minimum. */
  readonly least?: number;
  /** Exclusive minimum. */
  readonly above?: number;
}
export interface BooleanField extends FieldFacts {
  readonly kind: 'boolean';
  /** At most one element of a list that a client submits may have this set to true. */
  readonly atMostOne?: true;
}
/** An instant; written as RFC 3339 UTC with milliseconds, stored in columns as milliseconds since 1970. */
export interface DateTimeField extends FieldFacts {
  readonly kind: 'date-time';
  /** A day that does not exist is refused from clients; from the warehouse it is accepted as null, with a warning. */
  readonly standard?: 'calendar';
}
/** One nested record, or null. */
export interface ObjectField extends FieldFacts {
  readonly kind: 'object';
  readonly record: string;
  readonly fields: Fields;
}
/**
 * A list of nested records, at most 1000; never null, but possibly empty. `key` names the fields that identify an
 * element among its siblings, so that its id survives an update.
 */
export interface ListField extends FieldFacts {
  readonly kind: 'list';
  readonly record: string;
  readonly fields: Fields;
  readonly key: readonly string[];
  /**
   * Another place for such elements: the list `elements` in each element of `list`, which is a sibling of this list. In
   * what clients submit, both places together contain each key once, unless an element of this list names, in its field
   * `names`, the key of the element of `list` that holds its counterpart.
   */
  readonly alsoIn?: { readonly list: string; readonly elements: string; readonly names: string };
}

export type ScalarField = TextField | IntegerField | DecimalField | BooleanField | DateTimeField;
export type Field = ScalarField | ObjectField | ListField;
/** Fields in the order in which the interface lists them and responses contain them. */
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
  /** Name of the record in the interface, e.g. `ArticleStockMovement`. */
  readonly record: string;
  /** Clause of the interface, such as `2.1`; null for a record that is not in the interface. */
  readonly clause: string | null;
  /** Table name. */
  readonly table: string;
  /** `records`: written one by one, each with its change number. `images`: replaced as a whole (stock). */
  readonly storage: 'records' | 'images';
  /** Field that publishes the activity code, or null if none does (a movement's `activityCode` is an event code). */
  readonly activityField: string | null;
  /** Field that publishes the activity name, or null. */
  readonly activityNameField: string | null;
  /**
   * Fields (published or unpublished) whose values identify a record within its activity; null counts as a value.
   * Empty: a record is identified by the `id` from its source, else by its whole content (and by how often that content
   * occurs in one file).
   */
  readonly key: readonly string[];
  /**
   * Only without a key: the date field that leads the identity, so that records of one time are adjacent in the index
   * and a large import does not touch the whole of it.
   */
  readonly keyLead?: string;
  /** Instant of the image that a record belongs to; only with storage `images`. */
  readonly imageField: string | null;
  readonly fields: Fields;
  /** Fields that are stored and can be requested by path, but are never published. */
  readonly unpublished: Fields;
  /** No further properties may ever be added to the record (interface 2.1). */
  readonly closed: boolean;
  /** Column lists indexed for change order; each begins with the activity and ends with the change number. */
  readonly indexes: readonly (readonly string[])[];
  /**
   * Column lists indexed for value order, for columns that many records may share a value of; each begins with the
   * activity and ends with the id. With storage `images`, `indexes` serve both orders.
   */
  readonly sortIndexes: readonly (readonly string[])[];
  /**
   * Column lists for sums, each with an index that covers all that is read of a record: it begins with the activity and
   * ends with the withdrawal time. Only with storage `records`.
   */
  readonly sumIndexes?: readonly (readonly string[])[];
  /**
   * Raised when more is stored for each record without a new field, because an existing one became filterable (default:
   * 0; an added field says so itself, by `since`).
   */
  readonly form?: number;
  /**
   * The resource that these records belong to, and the field by which both name a record: they are removed together
   * (decision 53).
   */
  readonly parent?: { readonly resource: string; readonly field: string };
  /** Field whose value names the record that clients' documents belong to; absent: the resource has no documents. */
  readonly documentsBy?: string;
  /** An example record in published form, complete enough for the documentation. */
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

/** The fields that have a typed column: filterable, sortable and unpublished ones, in definition order. */
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
