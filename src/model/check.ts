// From untrusted JSON to a record in canonical form, or to the reasons why it is refused; one checker per definition.
import type { Checked, Reason } from './record.ts';
import {
  type CheckContext,
  newPass,
  newReasonBudget,
  noObject,
  type Pass,
  type ReasonBudget,
  refuse,
  refuseUnknown,
} from './reasons.ts';
import { type Canonical, placeComparison, siblingComparison } from './list-rules.ts';
import { readOnlyAdvice, type ReadOnlyValue, readOwn, readReadOnly } from './service-fields.ts';
import { type Field, type Fields, isScalar, type ListField, type Resource, type ScalarField } from './resource.ts';
import { isObject, kindOf, type Scalar, scalarReader } from './scalar.ts';
import { submittedReader } from './submitted-values.ts';
import { contentHash, identityHash, sourceFields } from './text-form.ts';

export type { CheckContext } from './reasons.ts';
export { isObject } from './scalar.ts';

export type Checker = (input: unknown, context: CheckContext) => Checked;

/** A record that a client submitted. */
interface Submitted {
  readonly checked: Checked;
  /** The activity's code and the values of the key; null where one of them cannot be read. */
  readonly identity: readonly string[] | null;
  /** What it says of read-only fields: to be compared with what is stored. */
  readonly readOnlyValues: readonly ReadOnlyValue[];
}

/**
 * Checks what a client submits.
 * @param activities name by code of the activities that the client may write for
 * @param place where the record stands in the body (pointers start with it), what is wrong with it already, and what
 * may still be said of it
 */
export type SubmissionChecker = (
  input: unknown,
  activities: ReadonlyMap<string, string>,
  place: SubmittedPlace,
) => Submitted;

export interface SubmittedPlace {
  readonly path: readonly (string | number)[];
  readonly faults: readonly Reason[];
  readonly budget: ReasonBudget;
}

/** Most elements that a list may have (decision D4). */
export const maxElements = 1000;

/**
 * Makes the checker of a resource. A checker takes parsed JSON in the shape that the interface publishes, plus the
 * unpublished fields. What the service assigns may be there (an exported file) and is ignored, with one exception:
 * where the definition has no key, the record's own id identifies it.
 */
export function createChecker(resource: Resource): Checker {
  const read = recordReader({ ...resource.fields, ...resource.unpublished }, { resource, submission: null });
  const sourceId =
    resource.key.length > 0
      ? undefined
      : Object.keys(resource.fields).find((name) => resource.fields[name]?.assigned === 'number');
  return (input, context) => {
    const pass = newPass(context, [], newReasonBudget(1));
    if (!isObject(input)) return { ok: false, reasons: [noObject(input, pass)], unlisted: 0 };
    const value = read(input, pass);
    const id = sourceId === undefined ? null : (input[sourceId] ?? null);
    if (sourceId !== undefined && id !== null && !Number.isSafeInteger(id))
      refuse(pass, sourceId, 'wrong-type', 'must be a whole number, null or absent');
    if (pass.reasons.length > 0) return refusedBy(pass);
    const naturalKey =
      resource.key.length > 0
        ? JSON.stringify(resource.key.map((name) => value[name]))
        : id === null
          ? `#${leadOf(resource, value)}${identityHash(pass.compact)}`
          : `id:${String(id).padStart(16, '0')}`;
    return { ok: true, record: { value, naturalKey, contentHash: contentHash(resource, pass.compact) } };
  };
}

/**
 * Makes the checker of what clients submit (interface 4.4; decision D3): a record names its activity, what is read-only
 * is noted, elements of a list differ in its key, and unknown properties are refused. The service's own dates are
 * ignored. The canonical form and its hash are those that the same record has when it is imported.
 * @throws Error for a resource without an activity field or without a key, of which clients can submit nothing
 */
export function createSubmissionChecker(resource: Resource): SubmissionChecker {
  const { activityField, key } = resource;
  if (activityField === null || key.length === 0) throw new Error(`clients cannot submit ${resource.name}`);
  const submission: Submission = { readOnly: readOnlyAdvice(resource) };
  const read = recordReader(resource.fields, { resource, submission });
  const comparePlaces = placeComparison(resource.fields);
  const identifying = [activityField, ...key];
  return (input, activities, { path, faults, budget }) => {
    const activity = isObject(input) ? input[activityField] : null;
    const activityName = typeof activity === 'string' ? activities.get(activity) : undefined;
    const pass = newPass(
      typeof activity === 'string' && activityName !== undefined
        ? { activity, activityName }
        : { activity: '', activityName: '' },
      path,
      budget,
      faults,
    );
    if (!isObject(input))
      return {
        checked: { ok: false, reasons: [...faults, noObject(input, pass)], unlisted: 0 },
        identity: null,
        readOnlyValues: [],
      };
    const value = read(input, pass);
    comparePlaces(value, pass);
    const readable = identifying.map((name) => value[name]).filter((part) => typeof part === 'string');
    const identity = readable.length === identifying.length ? readable : null;
    if (pass.reasons.length > 0) return { checked: refusedBy(pass), identity, readOnlyValues: [] };
    const naturalKey = JSON.stringify(key.map((name) => value[name]));
    return {
      checked: { ok: true, record: { value, naturalKey, contentHash: contentHash(resource, pass.compact) } },
      identity,
      readOnlyValues: pass.readOnlyValues,
    };
  };
}

function refusedBy({ reasons, unlisted }: Pass): Checked {
  return { ok: false, reasons, unlisted };
}

/**
 * Nine characters that sort like the instant of the leading field; instants before 1970 and missing ones come first.
 */
function leadOf({ keyLead }: Resource, value: Canonical): string {
  const lead = keyLead === undefined ? null : value[keyLead];
  const instant = typeof lead === 'string' ? Date.parse(lead) : 0;
  return Math.max(instant, 0).toString(36).padStart(9, '0');
}

type RecordReader = (input: Readonly<Record<string, unknown>>, pass: Pass) => Canonical;
type FieldReader = (given: unknown, pass: Pass) => Scalar | object | null;

/** What a reader is made for. */
interface Purpose {
  /** Null for nested records. */
  readonly resource: Resource | null;
  /** Null for records that are imported. */
  readonly submission: Submission | null;
}

/** `readOnly` continues a sentence that starts with the name of a read-only property. */
interface Submission {
  readonly readOnly: string;
}

function recordReader(fields: Fields, purpose: Purpose): RecordReader {
  const { submission } = purpose;
  const kept = sourceFields(fields);
  const parts = kept.map(({ name, field, place }) => ({
    place,
    name,
    read: fieldReader(name, field, purpose),
    nested: !isScalar(field),
  }));
  const blank: Canonical = Object.fromEntries(kept.map(({ name, field }) => [name, field.kind === 'list' ? [] : null]));
  // What the service assigns is known, but has no place: it is ignored.
  const places = new Map<string, number | Field | null>([
    ...Object.keys(fields).map((name) => [name, null] as const),
    ...kept.map(({ name, place }) => [name, place] as const),
  ]);
  if (submission !== null)
    for (const [name, field] of Object.entries(fields)) if (field.readOnly) places.set(name, field);
  const nothing: readonly unknown[] = kept.map(() => undefined);
  return (input, pass) => {
    const given = nothing.slice();
    for (const name in input) {
      const place = places.get(name);
      if (place === undefined) refuseUnknown(name, places, pass);
      else if (typeof place === 'number') given[place] = input[name];
      else if (place !== null)
        readReadOnly(name, input[name], { field: place, advice: submission?.readOnly ?? '' }, pass);
    }
    const value = { ...blank };
    const compact: unknown[] = [];
    for (const { place, name, read, nested } of parts) {
      const canonical = read(given[place], pass);
      if (canonical === null) continue;
      value[name] = canonical;
      compact.push(place, nested ? pass.compact : canonical);
    }
    pass.compact = compact;
    return value;
  };
}

function fieldReader(name: string, field: Field, purpose: Purpose): FieldReader {
  const { resource, submission } = purpose;
  if (field.kind === 'list') return listReader(name, field, submission);
  if (field.kind === 'object') return objectReader(name, field.fields, submission);
  if (resource !== null && name === resource.activityField)
    return submission === null
      ? (given, pass) => readOwn(name, given, pass.context.activity, 'code', pass)
      : submittedActivityReader(name, field, submission);
  const readAny = scalarFieldReader(name, field, submission);
  if (resource === null || name !== resource.activityNameField) return readAny;
  // The name of an activity that is not the caller's is nobody's business.
  return (given, pass) =>
    pass.context.activity === '' ? readAny(given, pass) : readOwn(name, given, pass.context.activityName, 'name', pass);
}

function scalarFieldReader(
  name: string,
  field: ScalarField,
  submission: Submission | null,
): (given: unknown, pass: Pass) => Scalar | null {
  const read = submission === null ? scalarReader(field) : submittedReader(field);
  return (given, pass) => {
    if (given === undefined || given === null) {
      if (field.required) refuse(pass, name, 'required', 'is required');
      return null;
    }
    const value = read(given);
    if (typeof value !== 'object') return value;
    refuse(pass, name, value.code, value.detail);
    return null;
  };
}

/** An activity that does not exist is refused in the same words as one of somebody else. */
function submittedActivityReader(name: string, field: ScalarField, submission: Submission): FieldReader {
  const read = scalarFieldReader(name, { ...field, required: true }, submission);
  return (given, pass) => {
    const code = read(given, pass);
    if (code !== null && code !== pass.context.activity)
      refuse(pass, name, 'activity-forbidden', 'must be the code of an activity that your access token covers');
    return code;
  };
}

function objectReader(name: string, fields: Fields, submission: Submission | null): FieldReader {
  const read = recordReader(fields, { resource: null, submission });
  return (given, pass) => {
    if (given === undefined || given === null) return null;
    if (!isObject(given)) {
      refuse(pass, name, 'wrong-type', `must be an object, not ${kindOf(given)}`);
      return null;
    }
    pass.path.push(name);
    const value = read(given, pass);
    pass.path.pop();
    return value;
  };
}

function listReader(name: string, field: ListField, submission: Submission | null): FieldReader {
  const read = recordReader(field.fields, { resource: null, submission });
  const comparison = submission === null ? null : siblingComparison(name, field);
  return (given, pass) => {
    // Null is what many exports write for a list without elements.
    if (given === undefined || given === null) return null;
    if (!Array.isArray(given)) {
      refuse(pass, name, 'wrong-type', `must be a list, not ${kindOf(given)}`);
      return null;
    }
    if (given.length > maxElements) {
      refuse(pass, name, 'too-many', `has ${given.length} elements; at most ${maxElements} are allowed`);
      return null;
    }
    if (given.length === 0) return null;
    const values: (Canonical | null)[] = [];
    const compact: (readonly unknown[])[] = [];
    const elements: readonly unknown[] = given;
    const compare = comparison?.();
    pass.path.push(name);
    for (const [index, element] of elements.entries()) {
      if (!isObject(element)) {
        refuse(pass, index, 'wrong-type', `must be an object, not ${kindOf(element)}`);
        // Keeps the places of those behind it; the record is refused.
        values.push(null);
        continue;
      }
      pass.path.push(index);
      const value = read(element, pass);
      values.push(value);
      compact.push(pass.compact);
      compare?.(value, index, pass);
      pass.path.pop();
    }
    pass.path.pop();
    pass.compact = compact;
    return values;
  };
}
