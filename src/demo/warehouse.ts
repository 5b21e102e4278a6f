// The demonstration warehouse as a state machine: from the instant at which it was filled it always plays in the same
// way. Its state follows from that instant, from how far it was played, and from its inputs.
import { dayMs } from '../model/instant.ts';
import { type DemoActivity, demoActivities } from './activities.ts';
import { historyDays, midnight, minuteMs } from './calendar.ts';
import { isStocked, type PlainRecord } from './catalogue.ts';
import { itemOfClient } from './client-article.ts';
import { articleRecord } from './article-record.ts';
import type { DemoFault } from './faults.ts';
import { planDay } from './daily-work.ts';
import { type DemoMessage, tickMs, type RecordFilter } from './messages.ts';
import { enclose } from './order-life.ts';
import { createActivityState, type ActivityState } from './activity-state.ts';
import { imageRows } from './stock-image.ts';
import { fillShelves, planReviews, procureNew } from './supply.ts';
import { type DemoNote, type NoteText, noteText } from './notes.ts';

/** An input of the warehouse from outside. */
export type DemoInput =
  | { readonly kind: 'fault'; readonly activity: string; readonly fault: DemoFault }
  /** An article written by a client. */
  | { readonly kind: 'article'; readonly activity: string; readonly article: PlainRecord }
  /** A document attached to an order by a client. */
  | { readonly kind: 'document'; readonly activity: string; readonly order: string; readonly slug: string };

export interface Warehouse {
  /** The instant up to which it has been played. */
  readonly now: () => number;
  /**
   * Plays on, and returns what the warehouse reports meanwhile, in order of time. The result does not depend on how the
   * way is divided into calls.
   * @param wanted which records are made; others are left out. Records may be requested from any instant that is a
   *   multiple of `tickMs`
   */
  readonly advance: (until: number, wanted?: RecordFilter) => readonly DemoMessage[];
  /** Takes an input now. */
  readonly take: (input: DemoInput) => void;
  /** The last notes: what happened on request. */
  readonly notes: () => readonly DemoNote[];
  /** The notes since the last call. */
  readonly newNotes: () => readonly DemoNote[];
  /** Requested faults that have not happened yet. */
  readonly pendingFaults: () => readonly { readonly activity: string; readonly fault: DemoFault }[];
  /** The next events, in order of time. */
  readonly upcoming: (count: number) => readonly DemoNote[];
  /** The stock of an activity as an image taken now would show it. */
  readonly stock: (activity: string) => readonly PlainRecord[];
}

/** Version of the rules of the warehouse: a warehouse played by other rules cannot be continued. */
export const warehouseVersion = 2;
/** Notes that are kept. */
const maxNotes = 200;

/** Where the history of a warehouse begins, given the instant at which it was filled. */
function historyStart(filledAt: number): number {
  return midnight(filledAt) - historyDays * dayMs;
}

/**
 * A warehouse at the beginning of its history.
 * @param filledAt milliseconds; the history begins sixty days before
 */
export function createWarehouse(filledAt: number, activities: readonly DemoActivity[] = demoActivities): Warehouse {
  const start = historyStart(filledAt);
  const notes: DemoNote[] = [];
  let unread: DemoNote[] = [];
  const noteOf = (activityCode: string, at: number, what: NoteText): void => {
    const note = { at, activityCode, ...what };
    notes.push(note);
    if (notes.length > maxNotes) notes.shift();
    unread.push(note);
  };
  const stateOf = (activity: DemoActivity): ActivityState =>
    opened(
      createActivityState(activity, (at, what) => noteOf(activity.code, at, what)),
      start,
    );
  const states = new Map(activities.map((activity) => [activity.code, stateOf(activity)]));
  let now = start;
  return {
    now: () => now,
    advance: (until, wanted = () => true) => {
      const messages = [...states.values()].flatMap(({ events, messages: sent }) => {
        sent.want(wanted);
        events.runUntil(until);
        return sent.taken();
      });
      now = Math.max(now, until);
      return messages.sort((one, other) => one.at - other.at);
    },
    take: (input) => {
      const state = states.get(input.activity);
      if (state !== undefined) takeIn(state, input, now);
    },
    notes: () => notes,
    newNotes: () => {
      const found = unread;
      unread = [];
      return found;
    },
    pendingFaults: () =>
      [...states].flatMap(([activity, { faults }]) => faults.list().map((fault) => ({ activity, fault }))),
    upcoming: (count) =>
      [...states]
        .flatMap(([activityCode, { events }]) =>
          events.upcoming(count).map(({ at, title }) => ({ at, activityCode, ...title })),
        )
        .sort((one, other) => one.at - other.at)
        .slice(0, count),
    stock: (activity) => {
      const state = states.get(activity);
      return state === undefined ? [] : imageRows(state.ledger, activity, now);
    },
  };
}

/**
 * The last instant from which records must be made so that all messages after another instant are complete: messages
 * contain what was gathered in the quarter of an hour before at most.
 */
export function gatheredFrom(instant: number): number {
  return Math.floor((instant - 15 * minuteMs) / tickMs) * tickMs;
}

function opened(state: ActivityState, start: number): ActivityState {
  const { activity, assortment, messages, events } = state;
  fillShelves(state, start);
  for (const item of assortment.all())
    messages.add('articles', start, () => articleRecord(item, activity.code, activity.prefix), item.reference);
  messages.addAll('stock', start, false, () => imageRows(state.ledger, activity.code, start));
  planReviews(state, start);
  events.plan(start, () => planDay(state, start, 0));
  return state;
}

function takeIn(state: ActivityState, input: DemoInput, at: number): void {
  switch (input.kind) {
    case 'document':
      enclose(state, input.order, input.slug, at);
      break;
    case 'article':
      takeArticle(state, input.article, at);
      break;
    case 'fault':
      state.note(at, noteText('fault-asked', { fault: input.fault }));
      if (input.fault === 'carrier-down') state.messages.carrierDown(at);
      else state.faults.add(input.fault, at);
  }
}

function takeArticle(state: ActivityState, article: PlainRecord, at: number): void {
  const { activity, assortment, note } = state;
  const item = itemOfClient(activity, article, assortment.all().length + 1);
  if (item.reference === '') return;
  if (assortment.find(item.reference) !== null) {
    assortment.setDiscontinued(item.reference, article.disableProduit === true);
    return;
  }
  assortment.add({ ...item, popularity: item.kind === 'goods' ? item.popularity : 0 });
  if (!isStocked(item) || item.discontinued) return;
  note(at, noteText('article-new', { articleReference: item.reference }));
  procureNew(state, item, at);
}
