// Where the page after one begins, as a client would be told: the cursor and the query of its Link.
import type { PlannedList } from '../../src/model/list.ts';
import type { ListPlan, WalkStarts } from '../../src/model/plan.ts';

/** The query of the page after one that ended at `next`. */
export function nextQuery(
  planned: PlannedList,
  next: ListPlan['after'],
  walkStarts: WalkStarts | null = null,
): readonly (readonly [name: string, value: string])[] {
  const { nextQuery: query } = planned.continuation({ more: true, next, walkStarts });
  return [...new URLSearchParams(query ?? '')];
}

/** The cursor of the page after one that ended at `next`. */
export function nextCursor(
  planned: PlannedList,
  next: ListPlan['after'],
  walkStarts: WalkStarts | null = null,
): string {
  return Object.fromEntries(nextQuery(planned, next, walkStarts)).cursor ?? '';
}
