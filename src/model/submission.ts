// What a client submits in one request: each item is checked, identified by its key and compared with the others, and
// its outcome decided.
import { type CheckContext, createChecker, createSubmissionChecker, isObject, type Submitted } from './check.ts';
import { derived } from './derived.ts';
import type { IncomingRecord, Reason } from './record.ts';
import { moreErrors, newReasonBudget, type ReasonBudget } from './reasons.ts';
import type { Pause } from './record-reader.ts';
import type { Resource } from './resource.ts';
import { foreignValues, type ReadOnlyValue } from './service-fields.ts';

/** One item of a request. */
export interface SubmittedItem {
  /**
   * Name of the item in the answer: `activityCode/articleReference`, or `#<index>` when that cannot be read or is
   * already taken.
   */
  readonly key: string;
  /** The activity that it names, if it is one of the client's; null if it is not or cannot be read. */
  readonly activity: string | null;
  /** Why it is refused; empty when it is not. */
  readonly reasons: readonly Reason[];
  /** The number of reasons beyond these. */
  readonly unlisted: number;
  /** Null when it is refused. */
  readonly accepted: AcceptedItem | null;
}

/** An item without faults of its own. */
interface AcceptedItem {
  readonly activity: string;
  readonly record: IncomingRecord;
  /** The values that it holds for read-only fields (see `readOnlyResolver`). */
  readonly readOnlyValues: readonly ReadOnlyValue[];
}

/** How a request is to be resolved (decision D12). */
export interface SubmissionMode {
  /** What happens to an item that already exists. */
  readonly onExisting: 'replace' | 'reject' | 'skip';
  /** One refused item refuses all. */
  readonly atomic: boolean;
}

/** The outcome of the items; by key, in the order of the request. */
export interface Resolution {
  readonly errors: ReadonlyMap<string, readonly Reason[]>;
  readonly passed: readonly string[];
  /** The passed items that have to be written. */
  readonly writes: readonly { readonly activity: string; readonly record: IncomingRecord }[];
}

/** Reads an item at once, or in turns (see `SubmissionChecker`); `faults` were found in it before. */
interface SubmissionReader {
  (input: unknown, index: number, faults?: readonly Reason[]): SubmittedItem;
  readonly inTurns: (input: unknown, index: number, faults: readonly Reason[], turn: Pause) => Promise<SubmittedItem>;
  /** What is left for reasons: all that is found in the items of the request shares it. */
  readonly budget: ReasonBudget;
}

/**
 * Makes the reader for one request's items, to be called for each in order (decisions D3, D16). A second occurrence of
 * a record is refused, whatever the outcome of the first. The size of all reasons together is bounded.
 * @param activities names, by code, of the activities that the client may write for
 * @param count number of items
 * @param gtinLengths see `CheckContext`
 */
export function submissionReader(
  resource: Resource,
  activities: ReadonlyMap<string, string>,
  count: number,
  gtinLengths?: CheckContext['gtinLengths'],
): SubmissionReader {
  const check = submissionChecker(resource);
  const firstOf = new Map<string, number>();
  const budget = newReasonBudget(count);
  const itemOf = ({ checked, identity, readOnlyValues }: Submitted, index: number): SubmittedItem => {
    const { reasons, unlisted } = checked.ok ? { reasons: [], unlisted: 0 } : checked;
    const [named = ''] = identity ?? [];
    const activity = activities.has(named) ? named : null;
    // No activity code contains a slash, and two keys must never look alike.
    if (identity === null || named.includes('/'))
      return { key: `#${index}`, activity, reasons, unlisted, accepted: null };
    const key = identity.join('/');
    const first = firstOf.get(key);
    if (first !== undefined)
      return {
        key: `#${index}`,
        activity,
        reasons: [...reasons, repeated(resource, index, first)],
        unlisted,
        accepted: null,
      };
    firstOf.set(key, index);
    return {
      key,
      activity,
      reasons,
      unlisted,
      accepted: checked.ok && reasons.length === 0 ? { activity: named, record: checked.record, readOnlyValues } : null,
    };
  };
  const read = (input: unknown, index: number, faults: readonly Reason[] = []): SubmittedItem =>
    itemOf(check(input, activities, { path: [index], faults, budget, gtinLengths }), index);
  return Object.assign(read, {
    inTurns: async (input: unknown, index: number, faults: readonly Reason[], turn: Pause): Promise<SubmittedItem> =>
      itemOf(await check.inTurns(input, activities, { path: [index], faults, budget, gtinLengths }, turn), index),
    budget,
  });
}

/**
 * Makes the function that checks the values of read-only fields in one request (decision D3): an item whose values
 * differ from the stored ones is refused.
 * @param budget that of the reader of the items
 * @returns function of an item and the published record that it replaces, null when it is new
 */
export function readOnlyResolver(
  resource: Resource,
  budget: ReasonBudget,
): (item: SubmittedItem, stored: unknown) => SubmittedItem {
  return (item, stored) => {
    const { reasons, unlisted } = foreignValues(resource, item.accepted?.readOnlyValues ?? [], stored, budget);
    return reasons.length === 0 ? item : { ...item, reasons, unlisted, accepted: null };
  };
}

/**
 * Decides the outcome of each item (decisions D12, D15, D16).
 * @param stored natural keys of the existing records, by activity
 */
export function resolve(
  resource: Resource,
  items: readonly SubmittedItem[],
  stored: ReadonlyMap<string, Pick<ReadonlySet<string>, 'has'>>,
  { onExisting, atomic }: SubmissionMode,
): Resolution {
  const exists = ({ accepted }: SubmittedItem): boolean =>
    accepted !== null && stored.get(accepted.activity)?.has(accepted.record.naturalKey) === true;
  const resolved = items.map((item, index) =>
    onExisting === 'reject' && exists(item) ? { ...item, reasons: [existing(resource, index)] } : item,
  );
  const inAll = resolved.reduce((sum, { unlisted }) => sum + unlisted, 0);
  const refused = resolved.some(({ reasons }) => reasons.length > 0);
  const errors = new Map<string, readonly Reason[]>();
  const passed: string[] = [];
  const writes: NonNullable<SubmittedItem['accepted']>[] = [];
  for (const [index, item] of resolved.entries()) {
    if (item.unlisted > 0) errors.set(item.key, [...item.reasons, moreErrors([index], item.unlisted, inAll)]);
    else if (item.reasons.length > 0) errors.set(item.key, item.reasons);
    else if (refused && atomic) errors.set(item.key, [notAttempted(index)]);
    else {
      passed.push(item.key);
      if (item.accepted !== null && !(onExisting === 'skip' && exists(item))) writes.push(item.accepted);
    }
  }
  return { errors, passed, writes };
}

/**
 * Makes the function that copies the stored read-only fields, which only the warehouse may set, into a submitted
 * record. So a full replacement does not lose them, and resubmitting a record is no change.
 * @returns function of the record and of the published body that it replaces
 */
export const readOnlyKeeper = derived((resource: Resource) => {
  const check = createChecker(resource);
  const names = Object.entries(resource.fields)
    .filter(([, field]) => field.readOnly && field.assigned === undefined)
    .map(([name]) => name);
  const { activityField, activityNameField } = resource;
  return (record: IncomingRecord, stored: string): IncomingRecord => {
    // Usually there is nothing to keep, and finding that out needs no parsing: no nested record has fields of these
    // names.
    if (names.every((name) => stored.includes(`"${name}":null`))) return record;
    const before: unknown = JSON.parse(stored);
    const kept = Object.fromEntries(names.map((name) => [name, isObject(before) ? before[name] : null]));
    const checked = check(
      { ...record.value, ...kept },
      { activity: textOf(record, activityField), activityName: textOf(record, activityNameField) },
    );
    if (!checked.ok)
      throw new Error(
        `a stored record of ${resource.name} does not fit its definition: ${JSON.stringify(checked.reasons)}`,
      );
    return checked.record;
  };
});

const submissionChecker = derived(createSubmissionChecker);

function textOf({ value }: IncomingRecord, name: string | null): string {
  return name === null ? '' : String(value[name]);
}

function repeated({ record }: Resource, index: number, first: number): Reason {
  return {
    code: 'duplicate-in-request',
    pointer: `/${index}`,
    detail: `The item at /${first} is the same ${record}. Send each one once.`,
  };
}

function existing({ record, key }: Resource, index: number): Reason {
  return {
    code: 'exists',
    pointer: `/${index}/${key[0] ?? ''}`,
    detail: `There is such an ${record} already, and the request is to create new ones only (onExisting=reject).`,
  };
}

function notAttempted(index: number): Reason {
  return {
    code: 'not-attempted',
    pointer: `/${index}`,
    detail: 'Nothing is wrong with this item, but others were refused and the request is all or nothing (atomic=true).',
  };
}
