// In charge of what is wrong with records: collects the reasons, each with its place, while they are read, up to a
// bound.
import type { Reason } from './record.ts';
import { kindOf } from './scalar.ts';
import type { ReadOnlyValue } from './service-fields.ts';
import { closestName } from './closest-name.ts';
import { quoted } from './text.ts';

/**
 * The activity that the record is written for: its code and name; both '' where a client names one that is not its own.
 */
export interface CheckContext {
  readonly activity: string;
  readonly activityName: string;
  /** Lengths of codes of digits that are taken for a GTIN; default: all that a GTIN can have. */
  readonly gtinLengths?: readonly number[] | undefined;
}

/** What may still be said of the records of one answer together. */
export interface ReasonBudget {
  /** Bytes of JSON for reasons beyond the first of each record. */
  bytes: number;
  /** Mistyped names for which a near one is looked for. */
  suggestions: number;
}

/** State of one check. */
export interface Pass {
  readonly context: CheckContext;
  /** Where the record that is being read stands. */
  readonly path: (string | number)[];
  /** Those that are listed, and how many are not. */
  readonly reasons: Reason[];
  unlisted: number;
  /** What is wrong with values that are taken all the same; as many as there may be reasons. */
  readonly warnings: Reason[];
  readonly budget: ReasonBudget;
  /** The record or list read last, without names and nulls: what the content hash is made from, at half the cost. */
  compact: readonly unknown[];
  /** What a client sent for read-only fields. */
  readonly readOnlyValues: ReadOnlyValue[];
}

/** Most reasons that are listed of one record: a hostile one must not be answered by many times its length. */
const maxReasons = 100;

/**
 * Most bytes of JSON that the reasons of one answer come to, whatever the request: beyond, they are counted and not
 * kept.
 */
const maxReasonBytes = 1_000_000;

/**
 * What the first reason of a record, and the one that tells of those not listed, come to at most: every refused record
 * has them.
 */
const floorBytes = 800;

/**
 * Most searches for near names for one answer: each costs some 30 microseconds, and a body can hold very many unknown
 * names.
 */
const maxSuggestions = 200;

/** @param records how many the answer is about */
export function newReasonBudget(records: number): ReasonBudget {
  return { bytes: maxReasonBytes - records * floorBytes, suggestions: maxSuggestions };
}

/**
 * @param path where the record stands: pointers start with it
 * @param faults what is wrong with it already
 */
export function newPass(
  context: CheckContext,
  path: readonly (string | number)[],
  budget: ReasonBudget,
  faults: readonly Reason[] = [],
): Pass {
  return {
    context,
    path: [...path],
    reasons: [...faults],
    unlisted: 0,
    warnings: [],
    budget,
    compact: [],
    readOnlyValues: [],
  };
}

/**
 * The last entry of a list of reasons that does not hold all.
 * @param count how many of this record are not listed
 * @param inAll how many of all records of the answer are not
 */
export function moreErrors(path: readonly (string | number)[], count: number, inAll: number): Reason {
  const others = inAll > count ? `, and ${inAll} in all records together` : '';
  return {
    code: 'more-errors',
    pointer: pointer(path),
    detail: `There are ${count} more errors in this record${others} that are not listed. Correct these first.`,
    count,
  };
}

/** The reason for refusing what is no record at all. */
export function noObject(input: unknown, pass: Pass): Reason {
  return {
    code: 'wrong-type',
    pointer: pointer(pass.path),
    detail: `A record must be an object, not ${kindOf(input)}.`,
  };
}

/**
 * Refuses a property or an element of the record that is being read.
 * @param detail continues a sentence that starts with the name of the property
 */
export function refuse(pass: Pass, name: string | number, code: string, detail: string): void {
  if (isFull(pass)) return;
  const subject = typeof name === 'number' ? `Element ${name + 1}` : name;
  add(pass, { code, pointer: pointer(pass.path, name), detail: `${subject} ${detail}.` });
}

/** Notes that a property of the record that is being read is wrong, though it is taken. */
export function warn(pass: Pass, name: string, code: string, detail: string): void {
  if (pass.warnings.length < maxReasons)
    pass.warnings.push({ code, pointer: pointer(pass.path, name), detail: `${name} ${detail}.` });
}

/** Refuses a property that the record does not have. */
export function refuseUnknown(name: string, known: ReadonlyMap<string, unknown>, pass: Pass): void {
  if (isFull(pass)) return;
  const near = suggestion(name, known, pass);
  const advice = near === null ? 'leave it out.' : `did you mean ${near}?`;
  // A name that no property can have would only make the pointer long.
  const place = isShown(name) ? pointer(pass.path, name) : pointer(pass.path);
  add(pass, {
    code: 'unknown-property',
    pointer: place,
    detail: `There is no property ${quoted(name)} here; ${advice}`,
  });
}

/** JSON Pointer (RFC 6901). */
export function pointer(path: readonly (string | number)[], ...inside: readonly (string | number)[]): string {
  return [...path, ...inside].map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** True for a name that is short enough to stand in a pointer, as every property's is. */
export function isShown(name: string): boolean {
  return name.length <= 64 && Buffer.byteLength(JSON.stringify(name)) <= 160;
}

function suggestion(name: string, known: ReadonlyMap<string, unknown>, pass: Pass): string | null {
  // A record with many unknown names is no mistyped one.
  if (pass.reasons.length >= 20 || pass.budget.suggestions === 0) return null;
  pass.budget.suggestions -= 1;
  return closestName(name, known.keys());
}

/** True where one more reason is only counted. */
function isFull(pass: Pass): boolean {
  const { reasons, budget } = pass;
  if (reasons.length === 0 || (reasons.length < maxReasons && budget.bytes > 0)) return false;
  pass.unlisted += 1;
  return true;
}

function add({ reasons, budget }: Pass, reason: Reason): void {
  if (reasons.length > 0) budget.bytes -= Buffer.byteLength(JSON.stringify(reason)) + 1;
  reasons.push(reason);
}
