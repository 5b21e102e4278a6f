// Handover lists over HTTP for the shipping desk: the state of a day, making its lists, and their papers.
import { actorOf } from '../http/actor.ts';
import type { Answer, Call } from '../http/route.ts';
import { formatInstant } from '../model/instant.ts';
import { invalidParameter, singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import { type AccountDependencies, accountFinder, type OpenAccount } from '../shipping/accounts.ts';
import { handOver, type HandoverDay, handoverDay, isPastDay, today } from '../shipping/hand-over.ts';
import type { HandoverDependencies } from '../shipping/make-list.ts';
import type { Handover } from '../store/handovers.ts';
import type { Store } from '../store/store.ts';
import type { DocumentSource } from './documents.ts';
import { json } from './feed-lines.ts';
import { isUuid } from './identifiers.ts';

export interface HandoverDeskDependencies extends AccountDependencies, Omit<HandoverDependencies, 'store'> {
  readonly store: Pick<Store, 'carrierAccounts' | 'handovers'>;
  readonly source: DocumentSource;
  /** Public address of the platform interface, without a slash at the end. */
  readonly platformUrl: string;
}

/**
 * `GET /platform/shippings/handovers/{context}/{carrier}`: the lists of a day, and what is on none of them.
 * @throws Problem `resource-not-found`, `invalid-parameter`
 */
export function readHandoverDay(dependencies: HandoverDeskDependencies): (call: Call) => Promise<Answer> {
  const findAccount = accountFinder(dependencies);
  return async (call) => {
    const day = dayOf(call, dependencies.now());
    const opened = await findAccount(call);
    return json(published(dependencies, opened, day, await handoverDay(dependencies, opened, day)));
  };
}

/**
 * `POST /platform/shippings/handovers/{context}/{carrier}`.
 * @throws Problem those of `handOver`
 */
export function handOverDay(dependencies: HandoverDeskDependencies): (call: Call) => Promise<Answer> {
  const findAccount = accountFinder(dependencies);
  return async (call) => {
    const day = dayOf(call, dependencies.now());
    const opened = await findAccount(call);
    const { principal, address } = call;
    const audit = { ...actorOf(principal), address };
    return json(published(dependencies, opened, day, await handOver(dependencies, { opened, day, audit })));
  };
}

/**
 * `GET /platform/shippings/handovers/{context}/{carrier}/{handoverId}/document`: the same bytes for as long as they are
 * kept.
 * @throws Problem `resource-not-found`
 */
export function readHandoverDocument(dependencies: HandoverDeskDependencies): (call: Call) => Promise<Answer> {
  const { store, source, now } = dependencies;
  const findAccount = accountFinder(dependencies);
  return async (call) => {
    singleParameters(call.query, []);
    const { stored } = await findAccount(call);
    const id = call.params.handoverId ?? '';
    const list = isUuid(id) ? await store.handovers.find({ activity: stored.activity, id }) : null;
    const isOfAccount = list?.context === stored.context && list.carrier === stored.carrier;
    const file = list === null || !isOfAccount ? null : await store.handovers.fileOf(list, now());
    if (file === null)
      throw new Problem('resource-not-found', 'There is no such list, it was not made, or it is not kept any more.');
    const { stream, size } = await source.open(file.storedAs);
    return {
      status: 200,
      headers: {
        'cache-control': 'no-store',
        'content-length': String(size),
        'content-disposition': `attachment; filename="${file.fileName}"`,
      },
      body: stream,
      type: file.mediaType,
    };
  };
}

/** @throws Problem `invalid-parameter` */
function dayOf(call: Call, now: number): string {
  const day = singleParameters(call.query, ['day']).get('day') ?? today(now);
  return isPastDay(day, now)
    ? day
    : invalidParameter('day', "Parameter 'day': expected a day that has begun in France, such as 2026-11-23.");
}

function published(
  { platformUrl }: HandoverDeskDependencies,
  { stored: { activity, context, carrier } }: OpenAccount,
  day: string,
  { lists, open, doubtful }: HandoverDay,
): Readonly<Record<string, unknown>> {
  const path = `${platformUrl}/shippings/handovers/${encodeURIComponent(context)}/${carrier}`;
  return {
    activityCode: activity,
    context,
    carrier,
    day,
    openLabels: open,
    doubtfulLabels: doubtful,
    handovers: lists.map((list) => publishedList(list, `${path}/${list.id}/document`)),
  };
}

function publishedList(
  { id, state, detail, number, labels, parcels, createdAt, endedAt }: Handover,
  document: string,
): Readonly<Record<string, unknown>> {
  return {
    handoverId: id,
    state,
    detail,
    number,
    labels,
    parcels,
    createdAt: formatInstant(createdAt),
    endedAt: endedAt === null ? null : formatInstant(endedAt),
    document: state === 'made' ? document : null,
  };
}
