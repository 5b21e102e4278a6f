// Turns untrusted JSON into a record in canonical form, or into the reasons for refusing it; one checker per
// definition.
import type { Checked, Reason } from './record.ts';
import {
  type CheckContext,
  newPass,
  newReasonBudget,
  noObject,
  type Pass,
  type ReasonBudget,
  refuse,
} from './reasons.ts';
import { type Canonical, placeComparison } from './list-rules.ts';
import { recordReader, type Pause } from './record-reader.ts';
import { readOnlyAdvice, type ReadOnlyValue } from './service-fields.ts';
import type { Resource } from './resource.ts';
import { isObject } from './scalar.ts';
import { sourceKey } from './source-key.ts';
import { contentHash, identityHash } from './body-form.ts';

export type { CheckContext } from './reasons.ts';
export { isObject } from './scalar.ts';

type Checker = (input: unknown, context: CheckContext) => Checked;

/** A record that a client submitted. */
export interface Submitted {
  readonly checked: Checked;
  /** The activity's code and the key values; null when one of them cannot be read. */
  readonly identity: readonly string[] | null;
  /** The values sent for read-only fields, to be compared with what is stored. */
  readonly readOnlyValues: readonly ReadOnlyValue[];
}

/**
 * Checks what a client submits.
 * @param activities names, by code, of the activities that the client may write for
 * @param place where the record stands in the body (pointers start with it), the faults already found in it, and how
 *   much may still be reported
 */
interface SubmissionChecker {
  (input: unknown, activities: ReadonlyMap<string, string>, place: SubmittedPlace): Submitted;
  /** The same, one list element at a time, for very long records. */
  readonly inTurns: (
    input: unknown,
    activities: ReadonlyMap<string, string>,
    place: SubmittedPlace,
    turn: Pause,
  ) => Promise<Submitted>;
}

export interface SubmittedPlace {
  readonly path: readonly (string | number)[];
  readonly faults: readonly Reason[];
  readonly budget: ReasonBudget;
  /** See `CheckContext`. */
  readonly gtinLengths?: CheckContext['gtinLengths'];
}

/**
 * Makes the checker of a resource. A checker takes parsed JSON in the shape that the interface publishes, plus the
 * unpublished fields. Values that the service assigns may be present (as in an exported file) and are ignored, with one
 * exception: when the definition has no key, the record's own id identifies it.
 */
export function createChecker(resource: Resource): Checker {
  const { read } = recordReader({ ...resource.fields, ...resource.unpublished }, { resource, submission: null });
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
          : sourceKey(Number(id));
    const record = { value, naturalKey, contentHash: contentHash(resource, pass.compact) };
    return { ok: true, record, ...(pass.warnings.length === 0 ? {} : { warnings: pass.warnings }) };
  };
}

/**
 * Makes the checker of what clients submit (interface 4.4; decision D3). A record names its activity, values of
 * read-only fields are noted, the elements of a list must differ in its key, and unknown properties are refused. The
 * service's own dates are ignored. The canonical form and its hash equal those of the same record when it is imported.
 * @throws Error for a resource without an activity field or without a key: clients cannot submit such records
 */
export function createSubmissionChecker(resource: Resource): SubmissionChecker {
  const { activityField, key } = resource;
  if (activityField === null || key.length === 0) throw new Error(`clients cannot submit ${resource.name}`);
  const record = recordReader(resource.fields, { resource, submission: { readOnly: readOnlyAdvice(resource) } });
  const comparePlaces = placeComparison(resource.fields);
  const identifying = [activityField, ...key];
  const begin = (input: unknown, activities: ReadonlyMap<string, string>, place: SubmittedPlace): Pass => {
    const activity = isObject(input) ? input[activityField] : null;
    const activityName = typeof activity === 'string' ? activities.get(activity) : undefined;
    return newPass(
      {
        ...(typeof activity === 'string' && activityName !== undefined
          ? { activity, activityName }
          : { activity: '', activityName: '' }),
        gtinLengths: place.gtinLengths,
      },
      place.path,
      place.budget,
      place.faults,
    );
  };
  const end = (value: Canonical, pass: Pass): Submitted => {
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
  const check = (input: unknown, activities: ReadonlyMap<string, string>, place: SubmittedPlace): Submitted => {
    const pass = begin(input, activities, place);
    return isObject(input) ? end(record.read(input, pass), pass) : notARecord(input, place, pass);
  };
  return Object.assign(check, {
    inTurns: async (
      input: unknown,
      activities: ReadonlyMap<string, string>,
      place: SubmittedPlace,
      turn: Pause,
    ): Promise<Submitted> => {
      const pass = begin(input, activities, place);
      if (!isObject(input)) return notARecord(input, place, pass);
      const value = await record.readInTurns(input, pass, turn);
      await turn();
      return end(value, pass);
    },
  });
}

function notARecord(input: unknown, { faults }: SubmittedPlace, pass: Pass): Submitted {
  return {
    checked: { ok: false, reasons: [...faults, noObject(input, pass)], unlisted: 0 },
    identity: null,
    readOnlyValues: [],
  };
}

function refusedBy({ reasons, unlisted }: Pass): Checked {
  return { ok: false, reasons, unlisted };
}

/**
 * Nine characters that sort like the instant of the leading field; missing instants and those before 1970 sort first.
 */
function leadOf({ keyLead }: Resource, value: Canonical): string {
  const lead = keyLead === undefined ? null : value[keyLead];
  const instant = typeof lead === 'string' ? Date.parse(lead) : 0;
  return Math.max(instant, 0).toString(36).padStart(9, '0');
}
