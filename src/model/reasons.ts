// Collects the reasons against records while these are read, each with its place, up to a bound.
import type { ReasonCode } from './reason-codes.ts';
import type { Reason } from './record.ts';
import { kindOf } from './scalar.ts';
import type { ReadOnlyValue } from './service-fields.ts';
import { closestName } from './closest-name.ts';
import { quoted } from './text.ts';

/**
 * The activity that the record is written for: its code and name; both '' when a client names an activity that is not
 * its own.
 */
export interface CheckContext {
  readonly activity: string;
  readonly activityName: string;
  /** Lengths of digit codes that are checked as a GTIN; default: all lengths that a GTIN can have. */
  readonly gtinLengths?: readonly number[] | undefined;
}

/** How much may still be reported about the records of one answer together. */
export interface ReasonBudget {
  /** Bytes of JSON for reasons after the first of each record. */
  bytes: number;
  /** Mistyped names for which a similar one is still looked for. */
  suggestions: number;
}

/** The state of one check. */
export interface Pass {
  readonly context: CheckContext;
  /** Path of the record being read. */
  readonly path: (string | number)[];
  /** The listed reasons, and the number of unlisted ones. */
  readonly reasons: Reason[];
  unlisted: number;
  /** Faults of values that are accepted nevertheless; bounded in the same way as reasons. */
  readonly warnings: Reason[];
  readonly budget: ReasonBudget;
  /**
   * The last record or list that was read, without names and nulls: the content hash is made from it, at half the cost.
   */
  compact: readonly unknown[];
  /** Values that a client sent for read-only fields. */
  readonly readOnlyValues: ReadOnlyValue[];
}

/** The most reasons listed per record: the answer to a hostile record must not be many times its length. */
const maxReasons = 100;

/**
 * The most bytes of JSON for the reasons of one answer, whatever the request; reasons beyond that are counted and not
 * kept.
 */
const maxReasonBytes = 1_000_000;

/**
 * The most bytes that a record's first reason and the entry for its unlisted ones take: every refused record has these
 * two.
 */
const floorBytes = 800;

/**
 * The most searches for similar names per answer: each costs some 30 microseconds, and a body can hold very many
 * unknown names.
 */
const maxSuggestions = 200;

/** @param records how many records the answer covers */
export function newReasonBudget(records: number): ReasonBudget {
  return { bytes: maxReasonBytes - records * floorBytes, suggestions: maxSuggestions };
}

/**
 * @param path place of the record: pointers start with it
 * @param faults faults already found in it
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
 * The last entry of an incomplete list of reasons.
 * @param count how many reasons of this record are not listed
 * @param inAll the same, for all records of the answer
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

/** The reason for refusing something that is not a record at all. */
export function noObject(input: unknown, pass: Pass): Reason {
  return {
    code: 'wrong-type',
    pointer: pointer(pass.path),
    detail: `A record must be an object, not ${kindOf(input)}.`,
  };
}

/**
 * Refuses a property or an element of the record being read.
 * @param detail continues a sentence that starts with the name of the property
 */
export function refuse(pass: Pass, name: string | number, code: ReasonCode, detail: string): void {
  if (isFull(pass)) return;
  const subject = typeof name === 'number' ? `Element ${name + 1}` : name;
  add(pass, { code, pointer: pointer(pass.path, name), detail: `${subject} ${detail}.` });
}

/** Warns about a property of the record being read, which is accepted nevertheless. */
export function warn(pass: Pass, name: string, code: ReasonCode, detail: string): void {
  if (pass.warnings.length < maxReasons)
    pass.warnings.push({ code, pointer: pointer(pass.path, name), detail: `${name} ${detail}.` });
}

/** Refuses a property that the record does not define. */
export function refuseUnknown(name: string, known: ReadonlyMap<string, unknown>, pass: Pass): void {
  if (isFull(pass)) return;
  const near = suggestion(name, known, pass);
  const advice = near === null ? 'leave it out.' : `did you mean ${near}?`;
  // A name that is too long for any property would only lengthen the pointer.
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

/** True for a name that is short enough for a pointer, as every property's name is. */
export function isShown(name: string): boolean {
  return name.length <= 64 && Buffer.byteLength(JSON.stringify(name)) <= 160;
}

function suggestion(name: string, known: ReadonlyMap<string, unknown>, pass: Pass): string | null {
  // A record with many unknown names is not merely mistyped.
  if (pass.reasons.length >= 20 || pass.budget.suggestions === 0) return null;
  pass.budget.suggestions -= 1;
  return closestName(name, known.keys());
}

/** True when one more reason would only be counted. */
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
