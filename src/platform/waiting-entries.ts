// What waits in the outbox, for operators: which records, and since when. Looking takes no part: no position moves.
import type { Answer, Call } from '../http/route.ts';
import { formatInstant } from '../model/instant.ts';
import { invalidParameter, readWhole, singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import type { OutboxEntry } from '../store/outbox-contract.ts';
import type { Store } from '../store/store.ts';
import { consumerForm, isConsumerName } from './consumers.ts';
import { json } from './feed-lines.ts';

/** The most entries of one answer, and how many there are without a word. */
export const maxWaitingEntries = 100;
export const usualWaitingEntries = 50;

/**
 * `GET /platform/outbox/waiting`: the entries of an activity that a consumer has not acknowledged, oldest first;
 * without a consumer, all that are kept. Records nothing: looking makes no consumer known, and moves none.
 * @throws Problem `invalid-parameter`, `unknown-parameter`; `resource-not-found` when there is no such consumer
 */
export function listWaiting({ store }: { readonly store: Pick<Store, 'outbox'> }): (call: Call) => Promise<Answer> {
  const { outbox } = store;
  return async (call) => {
    const given = singleParameters(call.query, ['activity', 'consumer', 'after', 'limit']);
    const activity = given.get('activity') ?? '';
    if (!call.principal.activityCodes.includes(activity))
      return invalidParameter('activity', "Parameter 'activity': name an activity that is open to you.");
    const limits = { min: 1, max: maxWaitingEntries, otherwise: usualWaitingEntries };
    const limit = readWhole('limit', given.get('limit'), limits);
    const from = Math.max(await startOf(outbox, activity, given.get('consumer')), afterOf(given.get('after')));
    const { entries, more } = await outbox.read([activity], { [activity]: from }, limit);
    const last = entries.at(-1);
    return json({
      entries: entries.map(publishedEntry),
      after: more && last !== undefined ? String(last.changeNumber) : null,
    });
  };
}

async function startOf(outbox: Store['outbox'], activity: string, consumer: string | undefined): Promise<number> {
  if (consumer === undefined) return (await outbox.removedTo([activity]))[activity] ?? 0;
  if (!isConsumerName(consumer)) return invalidParameter('consumer', `Parameter 'consumer': expected ${consumerForm}.`);
  const [position] = await outbox.positions(consumer, [activity]);
  if (position === undefined || position.updatedAt === 0)
    throw new Problem('resource-not-found', 'Nobody of this name takes the outbox of this activity.');
  return position.acknowledged;
}

function afterOf(text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^\d{1,15}$/.test(text))
    return invalidParameter('after', "Parameter 'after': expected what the page before it says in `after`.");
  return Number(text);
}

function publishedEntry(entry: OutboxEntry): Readonly<Record<string, unknown>> {
  const { activity, changeNumber, kind, operationId, createdAt } = entry;
  return {
    position: `${activity}:${changeNumber}`,
    ...{ activityCode: activity, changeNumber, kind, key: keyOf(entry), operationId, at: formatInstant(createdAt) },
  };
}

/** What the record is found by: the reference of an article, the id of a document. */
function keyOf({ kind, body }: OutboxEntry): string {
  const record: unknown = JSON.parse(body);
  const name = kind === 'article' ? 'articleReference' : 'id';
  const key: unknown = typeof record === 'object' && record !== null ? Reflect.get(record, name) : undefined;
  return typeof key === 'string' ? key : '';
}
