// Reads the fields of a record, nested records included, from parsed JSON into canonical form; faults are noted in the
// pass.
import { type Pass, refuse, refuseUnknown, warn } from './reasons.ts';
import { type Canonical, siblingComparison } from './list-rules.ts';
import { readOwn, readReadOnly } from './service-fields.ts';
import {
  type Field,
  type Fields,
  isScalar,
  type ListField,
  type ObjectField,
  type Resource,
  type ScalarField,
} from './resource.ts';
import { isObject, kindOf, type Scalar, scalarReader } from './scalar.ts';
import { calendarFault, standardFault } from './standards.ts';
import { submittedReader } from './submitted-values.ts';
import { sourceFields } from './body-form.ts';

/** The most elements of a list (decision D4). */
export const maxElements = 1000;

/** To be awaited between pieces of work: waits, when it is time, for other work to have its turn. */
export type Pause = () => Promise<void> | undefined;

type Given = Readonly<Record<string, unknown>>;

/** Reads a record at once, or one list element at a time. Both return and note the same. */
interface RecordReader {
  readonly read: (input: Given, pass: Pass) => Canonical;
  readonly readInTurns: (input: Given, pass: Pass, turn: Pause) => Promise<Canonical>;
}

/** The canonical value of a field; null when there is none. */
type FieldValue = Scalar | object | null;

interface FieldReader {
  readonly read: (given: unknown, pass: Pass) => FieldValue;
  /** Only for fields that may take long. */
  readonly readInTurns?: (given: unknown, pass: Pass, turn: Pause) => Promise<FieldValue>;
}

/** What a reader is for. */
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

export function recordReader(fields: Fields, purpose: Purpose): RecordReader {
  const kept = sourceFields(fields);
  const parts = kept.map(({ name, field, place }) => ({
    place,
    name,
    reader: fieldReader(name, field, purpose),
    nested: !isScalar(field),
  }));
  const blank: Canonical = Object.fromEntries(kept.map(({ name, field }) => [name, field.kind === 'list' ? [] : null]));
  const sort = sorter(fields, purpose.submission);
  const put = (
    { value, compact }: { readonly value: Canonical; readonly compact: unknown[] },
    { name, place, nested }: (typeof parts)[number],
    canonical: FieldValue,
    pass: Pass,
  ): void => {
    if (canonical === null) return;
    value[name] = canonical;
    compact.push(place, nested ? pass.compact : canonical);
  };
  return {
    read: (input, pass) => {
      const given = sort(input, pass);
      const made = { value: { ...blank }, compact: [] };
      for (const part of parts) put(made, part, part.reader.read(given[part.place], pass), pass);
      pass.compact = made.compact;
      return made.value;
    },
    readInTurns: async (input, pass, turn) => {
      const given = sort(input, pass);
      const made = { value: { ...blank }, compact: [] };
      for (const part of parts) {
        const { read, readInTurns } = part.reader;
        const sent = given[part.place];
        put(made, part, readInTurns === undefined ? read(sent, pass) : await readInTurns(sent, pass, turn), pass);
      }
      pass.compact = made.compact;
      return made.value;
    },
  };
}

/** Makes the function that assigns given properties to the fields' places and refuses unknown ones. */
function sorter(fields: Fields, submission: Submission | null): (input: Given, pass: Pass) => readonly unknown[] {
  const kept = sourceFields(fields);
  // Names of assigned values are known but have no place: they are ignored.
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
    return given;
  };
}

function fieldReader(name: string, field: Field, purpose: Purpose): FieldReader {
  if (field.kind === 'list') return listReader(name, field, purpose.submission);
  return { read: singleReader(name, field, purpose) };
}

function singleReader(name: string, field: ScalarField | ObjectField, purpose: Purpose): FieldReader['read'] {
  const { resource, submission } = purpose;
  if (field.kind === 'object') return objectReader(name, field.fields, submission);
  if (resource !== null && name === resource.activityField)
    return submission === null
      ? (given, pass) => readOwn(name, given, pass.context.activity, 'code', pass)
      : submittedActivityReader(name, field, submission);
  const readAny = scalarFieldReader(name, field, submission);
  if (resource === null || name !== resource.activityNameField) return readAny;
  // The name of another client's activity must not be revealed.
  return (given, pass) => {
    const { activity, activityName } = pass.context;
    if (activity === '') return readAny(given, pass);
    // It may be the name that the activity had when the record was written: compared with what is stored.
    if (submission === null || typeof given !== 'string') return readOwn(name, given, activityName, 'name', pass);
    if (given !== activityName) pass.readOnlyValues.push({ path: [...pass.path, name], value: given });
    return activityName;
  };
}

function scalarFieldReader(
  name: string,
  field: ScalarField,
  submission: Submission | null,
): (given: unknown, pass: Pass) => Scalar | null {
  const read = submission === null ? scalarReader(field) : submittedReader(field);
  const { standard } = { standard: undefined, ...field };
  return (given, pass) => {
    if (given === undefined || given === null) {
      if (field.required) refuse(pass, name, 'required', 'is required');
      return null;
    }
    const value = read(given);
    if (typeof value !== 'object') {
      const fault = standard === undefined ? null : standardFault(standard, value, pass.context.gtinLengths);
      if (fault === null) return value;
      if (submission !== null) refuse(pass, name, fault.code, fault.detail);
      else warn(pass, name, fault.code, fault.detail);
      return submission === null ? value : null;
    }
    const fault = submission === null ? calendarFault(standard, given) : null;
    if (fault === null) refuse(pass, name, value.code, value.detail);
    else warn(pass, name, fault.code, fault.detail);
    return null;
  };
}

/** An activity that does not exist is refused in the same words as another client's. */
function submittedActivityReader(name: string, field: ScalarField, submission: Submission): FieldReader['read'] {
  const read = scalarFieldReader(name, { ...field, required: true }, submission);
  return (given, pass) => {
    const code = read(given, pass);
    if (code !== null && code !== pass.context.activity)
      refuse(pass, name, 'activity-forbidden', 'must be the code of an activity that your access token covers');
    return code;
  };
}

function objectReader(name: string, fields: Fields, submission: Submission | null): FieldReader['read'] {
  const { read } = recordReader(fields, { resource: null, submission });
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
  const record = recordReader(field.fields, { resource: null, submission });
  const comparison = submission === null ? null : siblingComparison(name, field);
  return {
    read: (given, pass) => {
      if (!isReadableList(name, given, pass)) return null;
      const list = startList(name, comparison, pass);
      for (const [index, element] of given.entries())
        if (list.enter(element, index)) list.leave(record.read(element, pass), index);
      return list.end();
    },
    readInTurns: async (given, pass, turn) => {
      if (!isReadableList(name, given, pass)) return null;
      const list = startList(name, comparison, pass);
      for (const [index, element] of given.entries()) {
        await turn();
        if (list.enter(element, index)) list.leave(await record.readInTurns(element, pass, turn), index);
      }
      return list.end();
    },
  };
}

/** False also for a list without elements; many exports write null for one. */
function isReadableList(name: string, given: unknown, pass: Pass): given is readonly unknown[] {
  if (given === undefined || given === null) return false;
  if (!Array.isArray(given)) refuse(pass, name, 'wrong-type', `must be a list, not ${kindOf(given)}`);
  else if (given.length > maxElements)
    refuse(pass, name, 'too-many', `has ${given.length} elements; at most ${maxElements} are allowed`);
  else return given.length > 0;
  return false;
}

/** A list being read: its elements are entered and left in order, with the pass positioned at each. */
interface ListInProgress {
  /** False when the element is not an object. */
  readonly enter: (element: unknown, index: number) => element is Given;
  readonly leave: (value: Canonical, index: number) => void;
  readonly end: () => readonly (Canonical | null)[];
}

function startList(name: string, comparison: ReturnType<typeof siblingComparison> | null, pass: Pass): ListInProgress {
  const values: (Canonical | null)[] = [];
  const compact: (readonly unknown[])[] = [];
  const compare = comparison?.();
  pass.path.push(name);
  return {
    enter: (element, index): element is Given => {
      if (isObject(element)) {
        pass.path.push(index);
        return true;
      }
      refuse(pass, index, 'wrong-type', `must be an object, not ${kindOf(element)}`);
      // Keeps the indices of the later elements; the record is refused anyway.
      values.push(null);
      return false;
    },
    leave: (value, index) => {
      values.push(value);
      compact.push(pass.compact);
      compare?.(value, index, pass);
      pass.path.pop();
    },
    end: () => {
      pass.path.pop();
      pass.compact = compact;
      return values;
    },
  };
}
