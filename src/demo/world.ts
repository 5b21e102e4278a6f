// The demonstration warehouse as a state machine: from the instant at which it was filled it always plays in the same
// way. Its state follows from that instant, from how far it was played, and from its inputs.
import { dayMs } from '../model/instant.ts';
import { type DemoActivity, demoActivities } from './activities.ts';
import { historyDays, midnight, minuteMs } from './calendar.ts';
import { isStocked, type PlainRecord } from './catalogue.ts';
import { itemOfClient } from './client-article.ts';
import { articleRecord } from './article-record.ts';
import type { DemoFault } from './faults.ts';
import { planDay } from './floor.ts';
import { type DemoMessage, tickMs, type Wanted } from './messages.ts';
import { enclose } from './order-life.ts';
import { createSite, type Site } from './site.ts';
import { imageRows } from './stock-image.ts';
import { fillShelves, planReviews, procureNew } from './supply.ts';
import { type DemoNote, type Telling, telling } from './telling.ts';

/** An input of the warehouse from outside. */
export type DemoInput =
  | { readonly kind: 'fault'; readonly activity: string; readonly fault: DemoFault }
  /** An article written by a client. */
  | { readonly kind: 'article'; readonly activity: string; readonly article: PlainRecord }
  /** A document attached to an order by a client. */
  | { readonly kind: 'document'; readonly activity: string; readonly order: string; readonly slug: string };

export interface World {
  /** The instant up to which it has been played. */
  readonly now: () => number;
  /**
   * Plays on, and returns what the warehouse reports meanwhile, in order of time. The result does not depend on how the
   * way is divided into calls.
   * @param wanted which records are made; others are left out. Records may be requested from any instant that is a
   *   multiple of `tickMs`
   */
  readonly advance: (until: number, wanted?: Wanted) => readonly DemoMessage[];
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
export const worldVersion = 2;
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
export function createWorld(filledAt: number, activities: readonly DemoActivity[] = demoActivities): World {
  const start = historyStart(filledAt);
  const notes: DemoNote[] = [];
  let unread: DemoNote[] = [];
  const noteOf = (activityCode: string, at: number, what: Telling): void => {
    const note = { at, activityCode, ...what };
    notes.push(note);
    if (notes.length > maxNotes) notes.shift();
    unread.push(note);
  };
  const siteOf = (activity: DemoActivity): Site =>
    opened(
      createSite(activity, (at, what) => noteOf(activity.code, at, what)),
      start,
    );
  const sites = new Map(activities.map((activity) => [activity.code, siteOf(activity)]));
  let now = start;
  return {
    now: () => now,
    advance: (until, wanted = () => true) => {
      const messages = [...sites.values()].flatMap(({ agenda, messages: sent }) => {
        sent.want(wanted);
        agenda.runUntil(until);
        return sent.taken();
      });
      now = Math.max(now, until);
      return messages.sort((one, other) => one.at - other.at);
    },
    take: (input) => {
      const site = sites.get(input.activity);
      if (site !== undefined) takeIn(site, input, now);
    },
    notes: () => notes,
    newNotes: () => {
      const found = unread;
      unread = [];
      return found;
    },
    pendingFaults: () =>
      [...sites].flatMap(([activity, { faults }]) => faults.list().map((fault) => ({ activity, fault }))),
    upcoming: (count) =>
      [...sites]
        .flatMap(([activityCode, { agenda }]) =>
          agenda.upcoming(count).map(({ at, title }) => ({ at, activityCode, ...title })),
        )
        .sort((one, other) => one.at - other.at)
        .slice(0, count),
    stock: (activity) => {
      const site = sites.get(activity);
      return site === undefined ? [] : imageRows(site.ledger, activity, now);
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

function opened(site: Site, start: number): Site {
  const { activity, assortment, messages, agenda } = site;
  fillShelves(site, start);
  for (const item of assortment.all())
    messages.add('articles', start, () => articleRecord(item, activity.code, activity.prefix), item.reference);
  messages.addAll('stock', start, false, () => imageRows(site.ledger, activity.code, start));
  planReviews(site, start);
  agenda.plan(start, () => planDay(site, start, 0));
  return site;
}

function takeIn(site: Site, input: DemoInput, at: number): void {
  switch (input.kind) {
    case 'document':
      enclose(site, input.order, input.slug, at);
      break;
    case 'article':
      takeArticle(site, input.article, at);
      break;
    case 'fault':
      site.note(at, telling('fault-asked', { fault: input.fault }));
      if (input.fault === 'carrier-down') site.messages.carrierDown(at);
      else site.faults.add(input.fault, at);
  }
}

function takeArticle(site: Site, article: PlainRecord, at: number): void {
  const { activity, assortment, note } = site;
  const item = itemOfClient(activity, article, assortment.all().length + 1);
  if (item.reference === '') return;
  if (assortment.find(item.reference) !== null) {
    assortment.setDiscontinued(item.reference, article.disableProduit === true);
    return;
  }
  assortment.add({ ...item, popularity: item.kind === 'goods' ? item.popularity : 0 });
  if (!isStocked(item) || item.discontinued) return;
  note(at, telling('article-new', { articleReference: item.reference }));
  procureNew(site, item, at);
}
