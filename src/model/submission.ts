// What a client submits in one request: each item checked, named by its key and compared with the others, and what
// becomes of it.
import { type CheckContext, createChecker, createSubmissionChecker, isObject, type Submitted } from './check.ts';
import { derived } from './derived.ts';
import type { IncomingRecord, Reason } from './record.ts';
import { moreErrors, newReasonBudget } from './reasons.ts';
import type { Pause } from './record-reader.ts';
import type { Resource } from './resource.ts';
import { foreignValues, type ReadOnlyValue } from './service-fields.ts';

/** One item of a request. */
export interface SubmittedItem {
  /**
   * Name of the item in the answer: `activityCode/articleReference`, or `#<index>` where that cannot be read or was
   * taken before.
   */
  readonly key: string;
  /** Activity that it names, where that is one of the client's; null where it is not, or cannot be read. */
  readonly activity: string | null;
  /** Why it is refused; empty where it is not. */
  readonly reasons: readonly Reason[];
  /** How many reasons there are beyond these. */
  readonly unlisted: number;
  /** Null where it is refused. */
  readonly accepted: AcceptedItem | null;
}

/** An item that nothing is wrong with by itself. */
interface AcceptedItem {
  readonly activity: string;
  readonly record: IncomingRecord;
  /** What it says of read-only fields (see `readOnlyJudge`). */
  readonly readOnlyValues: readonly ReadOnlyValue[];
}

/** How a request wants to be resolved (decision D12). */
export interface SubmissionMode {
  /** What becomes of an item that exists already. */
  readonly onExisting: 'replace' | 'reject' | 'skip';
  /** One item that is refused refuses all. */
  readonly atomic: boolean;
}

/** What became of the items; by key, in the order of the request. */
export interface Resolution {
  readonly errors: ReadonlyMap<string, readonly Reason[]>;
  readonly passed: readonly string[];
  /** Those of the passed ones that are to be written. */
  readonly writes: readonly { readonly activity: string; readonly record: IncomingRecord }[];
}

/** Reads an item at once, or in turns (see `SubmissionChecker`); `faults` is what was wrong with it before. */
interface SubmissionReader {
  (input: unknown, index: number, faults?: readonly Reason[]): SubmittedItem;
  readonly inTurns: (input: unknown, index: number, faults: readonly Reason[], turn: Pause) => Promise<SubmittedItem>;
}

/**
 * Makes the reader of one request's items, to be called for each in their order (decisions D3, D16). The second
 * occurrence of a record in the request is refused, whatever the first one was worth. What is said of all items
 * together is bounded.
 * @param activities name by code of the activities that the client may write for
 * @param count how many items there are
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
    // Nobody has an activity with a slash in its code, and two keys must not look alike.
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
  });
}

/**
 * Makes the judge of what one request says of read-only fields (decision D3): an item that says of them what is not
 * stored is refused. What is said of all items together is bounded.
 * @param count how many items there are
 * @returns function of an item and of the published record that it is going to replace, null where it is a new one
 */
export function readOnlyJudge(
  resource: Resource,
  count: number,
): (item: SubmittedItem, stored: unknown) => SubmittedItem {
  const budget = newReasonBudget(count);
  return (item, stored) => {
    const { reasons, unlisted } = foreignValues(resource, item.accepted?.readOnlyValues ?? [], stored, budget);
    return reasons.length === 0 ? item : { ...item, reasons, unlisted, accepted: null };
  };
}

/**
 * Decides what becomes of each item (decisions D12, D15, D16).
 * @param stored natural keys of the records that exist, by activity
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
 * Makes the function that gives a submitted record what only the warehouse may say of it: its read-only fields as they
 * are stored. So a full replacement loses nothing of them, and the same record again is no change.
 * @returns function of the record and of the published body that it is going to replace
 */
export const readOnlyKeeper = derived((resource: Resource) => {
  const check = createChecker(resource);
  const names = Object.entries(resource.fields)
    .filter(([, field]) => field.readOnly && field.assigned === undefined)
    .map(([name]) => name);
  const { activityField, activityNameField } = resource;
  return (record: IncomingRecord, stored: string): IncomingRecord => {
    // Mostly there is nothing to keep, and to see that needs no parsing: no nested record has a field of these names.
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
