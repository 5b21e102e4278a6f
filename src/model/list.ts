// Turns a list request into a plan: combines the query with the cursor, and says where the next page continues.
import { textBlock } from './text-block.ts';
import { hashQuery, mayCarry, mismatchedCursor, readCursor, signCursor } from './cursor.ts';
import type { CursorContent, CursorKey, QueryPair } from './cursor.ts';
import { maxPageSize, readListQuery } from './list-parameters.ts';
import type { ListQuery } from './list-parameters.ts';
import { invalidParameter } from './parameters.ts';
import { isValuePosition } from './plan.ts';
import type { Condition, ListPlan, SortKey, StoredValue, WalkStarts } from './plan.ts';
import type { Resource } from './resource.ts';

/** One list request, as the handler sees it. */
export interface ListRequest extends CursorKey {
  readonly resource: Resource;
  /** Operation id: a cursor is valid for one endpoint only. */
  readonly endpoint: string;
  /** The client's activities; never empty. */
  readonly activities: readonly string[];
  /** Conditions from the path, such as the article of `/articles/{articleReference}/movements`. */
  readonly fixed: readonly Condition[];
  /** All query parameters, decoded. */
  readonly query: readonly QueryPair[];
  /** Milliseconds. */
  readonly now: number;
}

/** A list request, understood. */
export interface PlannedList {
  readonly plan: ListPlan;
  /** The activities that the request covers: the client's, or the one of them that `ownerActivity` names. */
  readonly activities: readonly string[];
  /** Says where to continue after a page that was read by the plan. */
  readonly continuation: (page: PageEnd) => Continuation;
}

/** Where a page ended; see `Page` of storage. */
interface PageEnd {
  readonly more: boolean;
  /** Null: the position is still where the page began. */
  readonly next: ListPlan['after'];
  /** Where the walk began; passed to the next page. */
  readonly walkStarts: WalkStarts | null;
}

interface Continuation {
  /** Text for `Sync-Cursor`; null for a list in value order, which has none. */
  readonly syncCursor: string | null;
  /** Encoded query of the next page, for `Link`; null after the last page. */
  readonly nextQuery: string | null;
}

/**
 * Interprets a list request (decisions D10 to D14, D19, D43, D44).
 *
 * With `cursor`, the query that it carries is continued. Parameters given beside it must be the same; only `limit` may
 * change. In change order, an activity that the client has gained since is read from its start.
 * @throws Problem `unknown-parameter`, `invalid-parameter`, `invalid-filter`, `invalid-sort`, `invalid-cursor`,
 *   `cursor-mismatch`, `cursor-expired`
 */
export function planList(request: ListRequest): PlannedList {
  const given = readListQuery(request.resource, request.query, request.now);
  const cursor = given.cursor === null ? null : readCursor(given.cursor, request.endpoint, request);
  const asked = cursor?.query ? goneOn(request, given, cursor.query) : given;
  const queryHash = hashQuery([request.fixed, asked.pairs]);
  if (cursor !== null && cursor.queryHash !== queryHash) {
    const reason = cursor.query === null ? ' The query that it came from was too long to be carried in it.' : '';
    throw mismatchedCursor(
      textBlock`
        The cursor belongs to another path or query: repeat the request that it came from, with its parameters
        unchanged.${reason}
      `,
    );
  }
  const { meanings } = asked;
  const sort = meanings.get('sort');
  const since = meanings.get('updatedSince');
  const date = meanings.get('date');
  const conditions = [...meanings.values()].flatMap((meaning) =>
    meaning.kind === 'condition' ? conjuncts(meaning.condition) : [],
  );
  const keys = sort?.kind === 'sort' ? sort.keys : [];
  if (cursor !== null) requireActivities(cursor, request.activities);
  const activities = askedActivities(meanings.get('ownerActivity'), request.activities);
  const reach = reachOf(request.resource, activities, [...request.fixed, ...conditions]);
  const plan: ListPlan = {
    resource: request.resource,
    ...reach,
    sort: keys,
    after: cursor === null ? null : positionIn(cursor, reach.activities, keys),
    updatedSince: since?.kind === 'instant' ? since.at : null,
    limit: asked.limit ?? maxPageSize,
    imageAt: date?.kind === 'instant' ? date.at : null,
    walkStarts: cursor?.walkStarts ?? null,
  };
  const query: readonly QueryPair[] =
    asked.limit === null ? asked.pairs : [...asked.pairs, ['limit', String(asked.limit)]];
  return { plan, activities, continuation: (page) => continuationOf(request, { plan, queryHash, query }, page) };
}

interface Walked {
  readonly plan: ListPlan;
  /** 16 characters; equal for equal path and query, ignoring `cursor` and `limit`. */
  readonly queryHash: string;
  /** The whole query being answered, even if a cursor carried it; without `cursor`, with `limit` if it was given. */
  readonly query: readonly QueryPair[];
}

/**
 * Both contain the cursor; a query that would make the cursor too long is repeated in the query of the next page.
 */
function continuationOf(request: ListRequest, { plan, queryHash, query }: Walked, page: PageEnd): Continuation {
  const isChangeOrder = plan.sort.length === 0;
  if (!isChangeOrder && !page.more) return { syncCursor: null, nextQuery: null };
  const reached = page.next ?? plan.after;
  const content: CursorContent = {
    endpoint: request.endpoint,
    queryHash,
    query,
    activities: plan.activities,
    position: isChangeOrder ? allActivities(plan.activities, reached) : reached,
    walkStarts: page.walkStarts,
  };
  const carrying = signCursor(content, request);
  const isCarried = mayCarry(query, carrying);
  const cursor = isCarried ? carrying : signCursor({ ...content, query: null }, request);
  const next: readonly QueryPair[] = [['cursor', cursor], ...(isCarried ? [] : query)];
  const text = next.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  return { syncCursor: isChangeOrder ? cursor : null, nextQuery: page.more ? text : null };
}

/** The carried query, unless a parameter beside the cursor contradicts it. */
function goneOn(request: ListRequest, given: ListQuery, carried: readonly QueryPair[]): ListQuery {
  const query = readListQuery(request.resource, carried, request.now, given);
  for (const [name, meaning] of given.meanings) {
    if (JSON.stringify(meaning) !== JSON.stringify(query.meanings.get(name))) {
      throw mismatchedCursor(
        textBlock`
          Parameter '${name}' is not what it was when the cursor was made: leave it out, or start anew without the
          cursor.
        `,
      );
    }
  }
  return { ...query, limit: given.limit ?? query.limit };
}

/** The most activities of a token that an error lists. */
const maxNamedActivities = 50;

/** @throws Problem `invalid-parameter` for an activity that is not the client's, whether or not it exists */
function askedActivities(
  meaning: ReturnType<ListQuery['meanings']['get']>,
  allowed: readonly string[],
): readonly string[] {
  if (meaning?.kind !== 'activity') return allowed;
  if (allowed.includes(meaning.code)) return [meaning.code];
  const own = allowed.toSorted();
  const named = own.slice(0, maxNamedActivities).join(', ');
  const more = own.length > maxNamedActivities ? `, and ${own.length - maxNamedActivities} more` : '';
  return invalidParameter(
    'ownerActivity',
    `Parameter 'ownerActivity': expected an activity of this token: ${named}${more}.`,
  );
}

/**
 * Which activities have to be read: conditions on the field that publishes the activity narrow them and are then
 * dropped. When none is left, an empty list of values means "nothing", so that storage need not search.
 */
function reachOf(
  resource: Resource,
  allowed: readonly string[],
  where: readonly Condition[],
): Pick<ListPlan, 'activities' | 'where'> {
  const activities = [...new Set(allowed)].toSorted();
  const { activityField } = resource;
  if (activityField === null) return { activities, where };
  const others = where.filter((condition) => activitiesIn(condition, activityField) === null);
  const narrowed = activities.filter((activity) =>
    where.every((condition) => activitiesIn(condition, activityField)?.includes(activity) ?? true),
  );
  return narrowed.length > 0
    ? { activities: narrowed, where: others }
    : { activities, where: [{ op: 'in', selector: activityField, values: [] }, ...where] };
}

/** The activities that a condition selects, or null when it is about something else. */
function activitiesIn(condition: Condition, activityField: string): readonly StoredValue[] | null {
  if (!('selector' in condition) || condition.selector !== activityField) return null;
  if (condition.op === '==') return [condition.value];
  return condition.op === 'in' ? condition.values : null;
}

function conjuncts(condition: Condition): readonly Condition[] {
  return condition.op === 'and' ? condition.of.flatMap(conjuncts) : [condition];
}

/** @throws Problem `cursor-mismatch` when the client has lost one of the activities that the cursor was made for */
function requireActivities(cursor: CursorContent, allowed: readonly string[]): void {
  if (cursor.activities.some((activity) => !allowed.includes(activity)))
    throw mismatchedCursor(
      'The cursor was made for activities that this token does not cover: start anew without the cursor.',
    );
}

/** The cursor's position for the activities to be read now, which are a subset of the client's. */
function positionIn(cursor: CursorContent, activities: readonly string[], sort: readonly SortKey[]): ListPlan['after'] {
  if (sort.length === 0) return allActivities(activities, cursor.position);
  if (activities.join() !== cursor.activities.join()) {
    throw mismatchedCursor(
      textBlock`
        This token covers activities that the cursor of this sorted list was not made for: start anew without the
        cursor.
      `,
    );
  }
  return cursor.position;
}

/** A change position that names every activity: 0 for one that has not been read yet. */
function allActivities(activities: readonly string[], position: ListPlan['after']): ListPlan['after'] {
  const known = position === null || isValuePosition(position) ? {} : position;
  return Object.fromEntries(activities.map((activity) => [activity, known[activity] ?? 0]));
}
