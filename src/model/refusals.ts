// In charge of what is wrong with a record: collects the reasons, each with its place, while the record is read.
import type { Reason } from './record.ts';
import { kindOf } from './scalar.ts';
import { closestName } from './spelling.ts';

/** The activity that the record is written for: its code and name; both '' where a client names one that is not its own. */
export interface CheckContext { readonly owner: string; readonly ownerName: string }

/** State of one check. */
export interface Pass {
  readonly context: CheckContext;
  /** Where the record that is being read stands. */
  readonly path: (string | number)[];
  readonly reasons: Reason[];
  /** Most reasons that are listed, and how many are not. */
  readonly most: number;
  unlisted: number;
  /** The record or list read last, without names and nulls: what the content hash is made from, at half the cost. */
  compact: readonly unknown[];
}

/** Most reasons that are listed of one submitted record: a hostile one must not be answered by many times its length. */
export const mostReasons = 100;

/** @param path where the record stands: pointers start with it */
export function newPass(context: CheckContext, path: readonly (string | number)[], most: number): Pass {
  return { context, path: [...path], reasons: [], most, unlisted: 0, compact: [] };
}

/** The reasons, with a last one for those that are not listed. */
export function listedReasons(pass: Pass): readonly Reason[] {
  if (pass.unlisted === 0) return pass.reasons;
  return [...pass.reasons, { code: 'more-errors', pointer: pointerTo(pass), detail: `There are more errors than these, by ${pass.unlisted}. Correct these first.` }];
}

/** The reason for refusing what is no record at all. */
export function noObject(input: unknown, pass: Pass): Reason {
  return { code: 'wrong-type', pointer: pointerTo(pass), detail: `A record must be an object, not ${kindOf(input)}.` };
}

/**
 * Refuses a property or an element of the record that is being read.
 * @param detail continues a sentence that starts with the name of the property
 */
export function refuse(pass: Pass, name: string | number, code: string, detail: string): void {
  if (isFull(pass)) return;
  const subject = typeof name === 'number' ? `Element ${name + 1}` : name;
  pass.reasons.push({ code, pointer: pointerTo(pass, name), detail: `${subject} ${detail}.` });
}

/** Refuses a property that the record does not have. */
export function refuseUnknown(name: string, known: ReadonlyMap<string, unknown>, pass: Pass): void {
  if (isFull(pass)) return;
  // A record with many unknown names is no mistyped one, and near names cost time.
  const near = pass.reasons.length < 20 ? closestName(name, known.keys()) : null;
  const shown = JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
  const advice = near === null ? 'leave it out.' : `did you mean ${near}?`;
  // A name that no property can have would only make the pointer long.
  const pointer = name.length > 255 ? pointerTo(pass) : pointerTo(pass, name);
  pass.reasons.push({ code: 'unknown-property', pointer, detail: `There is no property ${shown} here; ${advice}` });
}

/** True where one more reason is only counted. */
function isFull(pass: Pass): boolean {
  if (pass.reasons.length < pass.most) return false;
  pass.unlisted += 1;
  return true;
}

/** JSON Pointer (RFC 6901) to the record that is being read, or to a property or element of it. */
function pointerTo(pass: Pass, ...inside: readonly (string | number)[]): string {
  return [...pass.path, ...inside].map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
