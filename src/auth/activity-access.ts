// The activities that a client and a user may act in: validated on input, intersected on output.
import { OperatorError } from '../model/operator-error.ts';
import type { Store } from '../store/store.ts';

/**
 * Checks activity codes given by an operator.
 * @returns the codes, sorted and unique
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

/** The codes that all lists have in common, sorted. */
export function sharedActivities(
  first: readonly string[],
  ...others: readonly (readonly string[])[]
): readonly string[] {
  return [...new Set(first)].filter((code) => others.every((other) => other.includes(code))).sort();
}

/** True for an array of strings. */
export function isTextList(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Activities to grant and to withdraw. */
export interface ActivityChange {
  readonly addedActivities?: readonly string[];
  readonly removedActivities?: readonly string[];
}

/**
 * Checks a change of activities. Withdrawing an activity that somebody does not have is allowed, so that repeating a
 * command is no error; withdrawing one that does not exist is refused as a typing mistake.
 * @param before the current activities
 * @throws OperatorError that names the codes which do not exist, or are both granted and withdrawn
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

/** The activities after a checked change: sorted and unique. */
export function changedActivities(
  before: readonly string[],
  { addedActivities: added = [], removedActivities: removed = [] }: ActivityChange,
): readonly string[] {
  return [...new Set([...before, ...added])].filter((code) => !removed.includes(code)).sort();
}
