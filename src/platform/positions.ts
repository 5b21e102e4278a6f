// Positions of the outbox as text: the change number of the last entry of each activity, such as `ACM:1042,BIO:77`.
import type { ChangePosition } from '../model/plan.ts';
import { Problem } from '../model/problem.ts';

/** Longest text of a position: as many activities as fit in a URL. */
export const longestPosition = 7000;

/** Writes a position, activities in the order of their codes. Without activities it is empty. */
export function positionText(position: ChangePosition): string {
  return Object.entries(position)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([owner, number]) => `${owner}:${number}`)
    .join(',');
}

/**
 * Reads a position; it need not name every activity.
 * @param owners activities that the key opens
 * @throws Problem `invalid-position` for anything but activities of the key, each once, with a number
 */
export function parsePosition(text: string, owners: readonly string[]): ChangePosition {
  if (text.length > longestPosition) throw invalidPosition(`A position has at most ${longestPosition} characters.`);
  const position: Record<string, number> = {};
  for (const part of text === '' ? [] : text.split(',')) {
    const [, owner = '', digits = ''] = /^([A-Z0-9]{1,3}):(\d{1,15})$/.exec(part) ?? [];
    if (owner === '')
      throw invalidPosition(
        `A position is written like ACM:1042,BIO:77; "${part.slice(0, 40).toWellFormed()}" is no such part.`,
      );
    if (!owners.includes(owner))
      throw invalidPosition(`The position names activity ${owner}, which this key does not open.`);
    if (Object.hasOwn(position, owner)) throw invalidPosition(`The position names activity ${owner} twice.`);
    position[owner] = Number(digits);
  }
  return position;
}

/** @param extra members that say what would be right, such as where the outbox ends */
export function invalidPosition(detail: string, extra: Readonly<Record<string, unknown>> = {}): Problem {
  return new Problem('invalid-position', detail, { ...extra, errors: { position: [detail] } });
}

/** The activities in which the first position lies beyond the second. */
export function beyond(position: ChangePosition, other: ChangePosition): readonly string[] {
  return Object.entries(position)
    .filter(([owner, number]) => number > (other[owner] ?? 0))
    .map(([owner]) => owner);
}
