// Consumers of the outbox on the wire: who takes what clients wrote, how far each has come, and what waits for it.
import type { Answer, Call } from '../http/route.ts';
import { shared } from '../http/memo.ts';
import { formatInstant } from '../model/instant.ts';
import { singleParameters } from '../model/parameters.ts';
import type { ConsumerProgress } from '../store/outbox-contract.ts';
import type { Store } from '../store/store.ts';
import { json } from './feed-lines.ts';

/** Most rows of one answer: those that are furthest behind. */
const maxConsumerRows = 1000;

/**
 * `GET /platform/outbox/consumers`: a row for each consumer and activity, those first that wait longest. An activity
 * that no consumer takes has a row without a name where something waits.
 */
export function listConsumers({ store }: { readonly store: Pick<Store, 'outbox'> }): (call: Call) => Promise<Answer> {
  const known = shared(() => store.outbox.consumers());
  return async (call) => {
    singleParameters(call.query, []);
    const { activityCodes } = call.principal;
    const open = new Set(activityCodes);
    const consumers = (await known()).filter(({ activity }) => open.has(activity));
    const taken = new Set(consumers.map(({ activity }) => activity));
    const untaken = await store.outbox.progress(
      '',
      activityCodes.filter((code) => !taken.has(code)),
    );
    const rows = [...consumers, ...untaken.filter(({ waiting }) => waiting > 0)];
    const since = ({ waitingSince }: ConsumerProgress): number => waitingSince ?? Number.POSITIVE_INFINITY;
    // The order of names stays between those that are as far.
    const ordered = rows.toSorted((a, b) => (since(a) === since(b) ? 0 : since(a) - since(b)));
    return json({
      consumers: ordered.slice(0, maxConsumerRows).map(publishedConsumer),
      more: ordered.length > maxConsumerRows,
    });
  };
}

function publishedConsumer(progress: ConsumerProgress): Readonly<Record<string, unknown>> {
  const { consumer, activity, delivered, acknowledged, waiting, waitingSince, updatedAt } = progress;
  return {
    consumer: consumer === '' ? null : consumer,
    activityCode: activity,
    delivered: `${activity}:${delivered}`,
    acknowledged: `${activity}:${acknowledged}`,
    waiting,
    waitingSince: waitingSince === null ? null : formatInstant(waitingSince),
    updatedAt: updatedAt === 0 ? null : formatInstant(updatedAt),
  };
}
