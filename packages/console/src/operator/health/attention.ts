// What needs attention in the health of a service, as sentences with the page for dealing with it.
import type { FeedList, Health, OutboxConsumers } from '../../../../client/src/index.ts';
import { placeAddress } from '../../route.ts';
import type { SayWord } from '../words/words.ts';

export interface Attention {
  readonly text: string;
  /** Page for dealing with it; null: none. */
  readonly address: string | null;
}

interface Known {
  readonly health: Health;
  readonly consumers: OutboxConsumers['consumers'];
  /** Feeds with missing messages. */
  readonly feeds: FeedList['feeds'];
  /** There are more of them. */
  readonly hasMoreFeeds: boolean;
}

interface Says {
  readonly say: SayWord;
  readonly number: (value: number) => string;
  readonly instant: (value: string) => string;
  readonly bytes: (value: number) => string;
  readonly resource: (name: string) => string;
}

/** Entries of the outbox that have waited longer need attention. */
const maxWaitMs = 3_600_000;
/** Smallest share of a disk that should be free. */
const minFreeShare = 0.1;

/** Everything, most urgent first. */
export function attentionOf(known: Known, says: Says): readonly Attention[] {
  return [...ofService(known.health, says), ...ofFeeds(known, says), ...ofOutbox(known, says)];
}

function ofService({ labelsUnknown, service }: Health, { say, number, bytes }: Says): readonly Attention[] {
  const failed = service?.requests.find(({ status }) => status === '5xx')?.count ?? 0;
  const disks = (service?.disks ?? []).filter(({ freeBytes, sizeBytes }) => freeBytes < minFreeShare * sizeBytes);
  const carriers = (service?.carrierCalls ?? []).filter(({ calls, failed: without }) => without * 10 > calls);
  return [
    ...disks.map(({ place, freeBytes }) => told(say('diskFull', { place, free: bytes(freeBytes) }))),
    ...(failed === 0 ? [] : [told(say('someRequestsFailed', { count: number(failed) }))]),
    ...(service?.taskFailures ?? []).map(({ failure, count }) =>
      told(say('taskFailed', { failure, count: number(count) })),
    ),
    ...carriers.map(({ host, calls, failed: without }) =>
      told(say('carrierFailed', { host, calls: number(calls), failed: number(without) })),
    ),
    ...(labelsUnknown === null || labelsUnknown === 0
      ? []
      : [told(say('labelsDoubtful', { count: number(labelsUnknown) }))]),
  ];
}

function ofFeeds({ health, feeds, hasMoreFeeds }: Known, { say, number, resource: named }: Says): readonly Attention[] {
  return [
    ...health.activities
      .filter(({ refusedLines }) => refusedLines > 0)
      .map(({ activityCode, refusedLines }) => ({
        text: say('refusedWaiting', { activity: activityCode, count: number(refusedLines) }),
        address: placeAddress(['operator', 'lines'], { activity: activityCode }),
      })),
    ...health.unfinished.map(({ activityCode, resource, feed, state, messages }) => ({
      text: say(state === 'open' ? 'unfinishedOpen' : 'unfinishedInterrupted', {
        ...{ activity: activityCode, resource: named(resource), feed },
        count: number(messages),
      }),
      address: placeAddress(['operator', 'messages'], { activity: activityCode, resource, feed, state }),
    })),
    ...feeds
      .filter(({ missing }) => missing.length > 0)
      .map(({ activityCode, resource, feed, missing }) => ({
        text: say('missingMessages', {
          ...{ activity: activityCode, resource: named(resource), feed },
          count: number(missing.reduce((sum, [from = 0, to = 0]) => sum + to - from + 1, 0)),
        }),
        address: placeAddress(['operator', 'messages'], { activity: activityCode, resource, feed }),
      })),
    ...(hasMoreFeeds
      ? [{ text: say('missingElsewhere'), address: placeAddress(['operator', 'feeds'], { missing: 'true' }) }]
      : []),
  ];
}

function ofOutbox({ health, consumers }: Known, { say, number, instant }: Says): readonly Attention[] {
  return consumers
    .filter(({ waitingSince }) => waitingSince !== null && Date.parse(health.at) - Date.parse(waitingSince) > maxWaitMs)
    .map(({ consumer, activityCode, waiting, waitingSince }) => ({
      text: say(consumer === null ? 'outboxUntaken' : 'outboxWaits', {
        ...{ activity: activityCode, consumer: consumer ?? '' },
        count: number(waiting),
        since: instant(waitingSince ?? ''),
      }),
      address: placeAddress(['operator', 'outbox']),
    }));
}

function told(text: string): Attention {
  return { text, address: null };
}
