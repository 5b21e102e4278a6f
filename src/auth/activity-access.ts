// The activities that a client and a user may act in: checked on the way in, intersected on the way out.
import { OperatorError } from '../model/operator-error.ts';
import type { Store } from '../store/store.ts';

/**
 * Checks activity codes that an operator gives.
 * @returns the codes, sorted, each once
 * @throws OperatorError that names the codes which do not exist
 */
export async function existingActivities(
  { activities }: Pick<Store, 'activities'>,
  codes: readonly string[],
): Promise<readonly string[]> {
  const wanted = [...new Set(codes)].sort();
  if (wanted.length === 0) return [];
  const found = new Set((await activities.named(wanted)).map(({ code }) => code));
  const missing = wanted.filter((code) => !found.has(code));
  if (missing.length > 0) {
    throw new OperatorError(
      `There is no activity ${missing.map((code) => `"${code}"`).join(', ')}.`,
      'See `activity list`, or make it with `activity add`.',
    );
  }
  return wanted;
}

/** The codes that are in every list, sorted. */
export function sharedActivities(
  first: readonly string[],
  ...others: readonly (readonly string[])[]
): readonly string[] {
  return [...new Set(first)].filter((code) => others.every((other) => other.includes(code))).sort();
}

/** True for an array of texts. */
export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Activities that are granted to somebody and withdrawn. */
export interface ActivityChange {
  readonly addedActivities?: readonly string[];
  readonly removedActivities?: readonly string[];
}

/**
 * Checks a change of activities. One that somebody does not have may be withdrawn, so that the same again is no error;
 * one that does not exist may not, because it is a mistyped one.
 * @param before those that somebody has
 * @throws OperatorError that names the codes which do not exist, or are to come and go at once
 */
export async function checkActivityChange(
  store: Pick<Store, 'activities'>,
  before: readonly string[],
  { addedActivities: added = [], removedActivities: removed = [] }: ActivityChange,
): Promise<void> {
  const both = removed.find((code) => added.includes(code));
  if (both !== undefined)
    throw new OperatorError(`The activity ${both} cannot be granted and withdrawn at once.`, 'Nothing was changed.');
  await existingActivities(store, [...added, ...removed.filter((code) => !before.includes(code))]);
}

/** The activities after a change that was checked: sorted, each once. */
export function changedActivities(
  before: readonly string[],
  { addedActivities: added = [], removedActivities: removed = [] }: ActivityChange,
): readonly string[] {
  return [...new Set([...before, ...added])].filter((code) => !removed.includes(code)).sort();
}
