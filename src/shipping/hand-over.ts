// Hands over the parcels of a day: puts labels that are on no list yet on lists, transmits them to the carrier, and
// keeps its paper, so that the driver gets one paper per parcel and nobody has to guess which parcels it covers.
import { v7 as uuidv7 } from 'uuid';
import { instantOf, parisTime } from '../carriers/paris-time.ts';
import { Problem } from '../model/problem.ts';
import { textBlock } from '../model/text-block.ts';
import type { DayOfAccount, DayPortion, HandedLabel } from '../store/handover-labels.ts';
import { type Handover, maxHandoverMs } from '../store/handovers.ts';
import type { OpenAccount } from './accounts.ts';
import { type HandoverDependencies, type HandoverRequest, makeList } from './make-list.ts';
import { requestOf } from './parcel-path.ts';

/** The state of a day. */
export interface HandoverDay {
  /** Oldest first, including lists that could not be made. */
  readonly lists: readonly Handover[];
  /** Number of labels that are on no list. */
  readonly open: number;
  /** Number of labels that are on no list because it is unknown whether there is a parcel. */
  readonly doubtful: number;
}

/** No further list is begun after this time: the caller is waiting for the answer. */
const maxBeginningMs = 20_000;
/** The approximate number of labels that one request puts on lists; the next one continues. */
const maxOpen = 10_000;

/** The state of a day; changes nothing. */
export async function handoverDay(
  { store }: Pick<HandoverDependencies, 'store'>,
  opened: OpenAccount,
  day: string,
): Promise<HandoverDay> {
  const span = spanOf(opened, day);
  const lists = await store.handovers.ofDay({ activity: span.activity, accountId: span.accountId, day });
  let [open, doubtful] = [0, 0];
  for await (const portion of store.handovers.portionsOfDay(span)) {
    open += withoutReturns(opened, portion.open).length;
    doubtful += portion.doubtful;
  }
  return { lists, open, doubtful };
}

/**
 * Makes lists of a day's labels that are on none, as many as the carrier requires and time permits: if labels remain
 * open, repeat the request. With nothing open, it makes none. A list whose outcome is unknown is requested first, with
 * the same parcels.
 * @throws Problem `handover-in-progress`, `carrier-rejected`, `carrier-unavailable`, `carrier-timeout`, `unavailable`;
 *   lists that were made before the failure remain
 */
export async function handOver(dependencies: HandoverDependencies, wish: HandoverRequest): Promise<HandoverDay> {
  const { opened, day } = wish;
  const { store, now } = dependencies;
  const span = spanOf(opened, day);
  const begunAt = now();
  const lists = await store.handovers.ofDay({ activity: span.activity, accountId: span.accountId, day });
  refuseWhileRunning(lists, begunAt);
  for (const list of lists.filter(({ state }) => state === 'asked' || state === 'unknown')) {
    const attempt = { attempt: uuidv7(), askedAt: now() };
    if (!(await store.handovers.beginAgain(list, attempt))) throw inProgress(maxHandoverMs);
    await makeList(dependencies, wish, { ...list, ...attempt, state: 'asked' }, 'again');
  }
  for (const labels of inLists(await openLabels(store, opened, span), opened.carrier.desk.handover.maxParcels)) {
    if (now() - begunAt > maxBeginningMs) break;
    const list = newList(span, opened, day, now());
    if (!(await store.handovers.begin(list, labels))) continue;
    await makeList(dependencies, wish, { ...list, labels: 0, parcels: 0 }, 'first');
  }
  const after = await handoverDay(dependencies, opened, day);
  refuseWhileRunning(after.lists, now());
  return after;
}

/** @throws Problem `handover-in-progress` while another request makes a list of the day */
function refuseWhileRunning(lists: readonly Handover[], now: number): void {
  for (const { state, askedAt } of lists)
    if (state === 'asked' && askedAt + maxHandoverMs > now && askedAt <= now)
      throw inProgress(askedAt + maxHandoverMs - now);
}

function inProgress(waitMs: number): Problem {
  return new Problem(
    'handover-in-progress',
    textBlock`
      Another request is making a list of this day, or the process that made it has died. Send it again after the time
      in Retry-After.
    `,
    {},
    { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1000))) },
  );
}

/** The span of an account's labels of a day: from midnight to midnight in France. */
function spanOf({ stored: { activity, id } }: OpenAccount, day: string): DayOfAccount {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return { activity, accountId: id, since: instantOf(midnight), until: instantOf(midnight + 86_400_000) };
}

/** The first labels of a day that have to be handed over. */
async function openLabels(
  { handovers }: HandoverDependencies['store'],
  opened: OpenAccount,
  span: DayOfAccount,
): Promise<readonly HandedLabel[]> {
  const labels: HandedLabel[] = [];
  for await (const { open } of handovers.portionsOfDay(span)) {
    labels.push(...(await handovers.withParcels(span.activity, withoutReturns(opened, open))));
    if (labels.length >= maxOpen) break;
  }
  return labels;
}

/** Returns are handed in by their senders. */
function withoutReturns({ carrier }: OpenAccount, labels: DayPortion['open']): DayPortion['open'] {
  return labels.filter((label) => {
    const request = requestOf(label);
    return request === null || !carrier.desk.handover.isReturn(request);
  });
}

/** The labels in order, split at the maximum number of parcels per list. */
function inLists(labels: readonly HandedLabel[], maxParcels: number): readonly (readonly HandedLabel[])[] {
  const lists: HandedLabel[][] = [];
  let parcels = 0;
  for (const label of labels) {
    const list = lists.at(-1);
    if (list !== undefined && parcels + label.parcelNumbers.length <= maxParcels) list.push(label);
    else {
      lists.push([label]);
      parcels = 0;
    }
    parcels += label.parcelNumbers.length;
  }
  return lists;
}

function newList(
  { activity, accountId }: DayOfAccount,
  { stored: { context }, carrier }: OpenAccount,
  day: string,
  now: number,
): Omit<Handover, 'labels' | 'parcels'> {
  return {
    ...{ activity, id: uuidv7(), accountId, context, carrier: carrier.name, day },
    ...{ state: 'asked', attempt: uuidv7(), askedAt: now, endedAt: null, detail: '', number: null, createdAt: now },
  };
}

/** Today's date in France. @param now milliseconds since 1970 */
export function today(now: number): string {
  return parisTime(now).date;
}

/** Whether a text is a date that has begun in France, such as 2026-11-23. */
export function isPastDay(text: string, now: number): boolean {
  const at = /^20\d\d-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) && text <= today(now);
}
