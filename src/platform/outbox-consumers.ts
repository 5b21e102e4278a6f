// Outbox consumers over HTTP: who collects what clients wrote, how far each has come, and what waits for it.
import type { Answer, Call } from '../http/route.ts';
import { shareResult } from '../http/memoize.ts';
import { formatInstant } from '../model/instant.ts';
import { singleParameters } from '../model/parameters.ts';
import type { ConsumerProgress } from '../store/outbox-contract.ts';
import type { Store } from '../store/store.ts';
import { json } from './feed-lines.ts';

/** The most rows of one answer: those that are furthest behind. */
const maxConsumerRows = 1000;

/**
 * `GET /platform/outbox/consumers`: a row per consumer and activity, those that have waited longest first. An activity
 * without a consumer has a row without a name when something is waiting.
 */
export function listConsumers({ store }: { readonly store: Pick<Store, 'outbox'> }): (call: Call) => Promise<Answer> {
  const known = shareResult(() => store.outbox.consumers());
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
    // Ties stay in the order of names.
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
