// The demonstration warehouse as a state machine: from the instant at which it was filled it plays on, always in one
// way. Where it stands is known from that instant, from how far it was played, and from what came in from outside.
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

/** What comes into the warehouse from outside. */
export type DemoInput =
  | { readonly kind: 'fault'; readonly activity: string; readonly fault: DemoFault }
  /** An article that a client has written. */
  | { readonly kind: 'article'; readonly activity: string; readonly article: PlainRecord }
  /** A document that a client has attached to an order. */
  | { readonly kind: 'document'; readonly activity: string; readonly order: string; readonly slug: string };

export interface World {
  /** Up to which instant it has been played. */
  readonly now: () => number;
  /**
   * Plays on, and gives what the warehouse tells meanwhile in the order of time. However the way is divided, the same
   * comes of it.
   * @param wanted which records are made; those of others are left out. To begin with wanting records is possible at
   * any instant that is a whole number of `tickMs`
   */
  readonly advance: (until: number, wanted?: Wanted) => readonly DemoMessage[];
  /** Something comes in, now. */
  readonly take: (input: DemoInput) => void;
  /** What happened that was asked for, the last ones. */
  readonly notes: () => readonly DemoNote[];
  /** The same since the last call. */
  readonly newNotes: () => readonly DemoNote[];
  /** Faults that were asked for and have not happened yet. */
  readonly pendingFaults: () => readonly { readonly activity: string; readonly fault: DemoFault }[];
  /** What comes next, in the order of time. */
  readonly upcoming: (count: number) => readonly DemoNote[];
  /** The stock of an activity as an image of now would have it. */
  readonly stock: (activity: string) => readonly PlainRecord[];
}

/** Version of the rules that the warehouse is played by: what was played by others cannot be played on. */
export const worldVersion = 2;
/** Lines for people that are kept. */
const maxNotes = 200;

/** Where the history of a warehouse begins that was filled at an instant. */
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
 * The last instant from which on records must be made so that all messages after another one are whole: what is sent
 * was gathered a quarter of an hour before at most.
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
