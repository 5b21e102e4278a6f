// Positions in the outbox as text: the change number of the last entry of each activity, such as `ACM:1042,BEL:77`.
import type { ChangePosition } from '../model/plan.ts';
import { Problem } from '../model/problem.ts';

/** Length of the longest position: as many activities as fit in a URL. */
export const maxPositionLength = 7000;

/** Formats a position, activities in the order of their codes. Without activities it is empty. */
export function positionText(position: ChangePosition): string {
  return Object.entries(position)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([activity, number]) => `${activity}:${number}`)
    .join(',');
}

/**
 * Parses a position; it need not name every activity.
 * @param activities activities that the key has access to
 * @throws Problem `invalid-position` for anything but activities of the key, each once, with a number
 */
export function parsePosition(text: string, activities: readonly string[]): ChangePosition {
  if (text.length > maxPositionLength) throw invalidPosition(`A position has at most ${maxPositionLength} characters.`);
  const position: Record<string, number> = {};
  for (const part of text === '' ? [] : text.split(',')) {
    const [, activity = '', digits = ''] = /^([A-Z0-9]{1,3}):(\d{1,15})$/.exec(part) ?? [];
    if (activity === '')
      throw invalidPosition(
        `A position is written like ACM:1042,BEL:77; "${part.slice(0, 40).toWellFormed()}" is no such part.`,
      );
    if (!activities.includes(activity))
      throw invalidPosition(`The position names activity ${activity}, which this key does not open.`);
    if (Object.hasOwn(position, activity)) throw invalidPosition(`The position names activity ${activity} twice.`);
    position[activity] = Number(digits);
  }
  return position;
}

/** @param extra members that say what is valid, such as where the outbox ends */
export function invalidPosition(detail: string, extra: Readonly<Record<string, unknown>> = {}): Problem {
  return new Problem('invalid-position', detail, { ...extra, errors: { position: [detail] } });
}

/** The activities in which the first position is beyond the second. */
export function beyond(position: ChangePosition, other: ChangePosition): readonly string[] {
  return Object.entries(position)
    .filter(([activity, number]) => number > (other[activity] ?? 0))
    .map(([activity]) => activity);
}
