// What needs attention in the health of a service, as sentences with the page for dealing with it.
import type { FeedList, Health, OutboxConsumers } from '../../../../client/src/index.ts';
import type { SayWord } from '../words/words.ts';

interface Attention {
  readonly text: string;
  /** Page for dealing with it; null: none. */
  readonly address: string | null;
}

/** Whether something has been read: `failed` also where what is shown was read before, `forbidden` without the role. */
export type Reading = 'read' | 'pending' | 'failed' | 'forbidden';

interface Known {
  readonly health: Health;
  readonly consumers: OutboxConsumers['consumers'];
  /** Feeds with missing messages. */
  readonly feeds: FeedList['feeds'];
  /** There are more of them. */
  readonly hasMoreFeeds: boolean;
  readonly readings: Readonly<Record<'health' | 'consumers' | 'feeds', Reading>>;
}

/**
 * What may be said of it all. `well`: everything was looked at, and nothing asks for attention; `well-as-seen`: some of
 * it is not for this operator.
 */
type Verdict = 'attention' | 'pending' | 'well-as-seen' | 'well';

interface Says {
  readonly say: SayWord;
  readonly number: (value: number) => string;
  readonly instant: (value: string) => string;
  readonly bytes: (value: number) => string;
  readonly resource: (name: string) => string;
  /** The address of a page, for links. */
  readonly addressOf: (parts: readonly string[], parameters?: Readonly<Record<string, string>>) => string;
}

/** Entries of the outbox that have waited longer need attention. */
const maxWaitMs = 3_600_000;
/** A failure is history when none has followed for this long; the tables below show it until the processes end. */
const maxFailureAgeMs = 3_600_000;
/** Smallest share of a disk that should be free. */
const minFreeShare = 0.1;

/** Everything, most urgent first. */
export function attentionOf(known: Known, says: Says): readonly Attention[] {
  return [...ofService(known.health, says), ...ofFeeds(known, says), ...ofOutbox(known, says), ...unread(known, says)];
}

/** @param found everything that needs attention */
export function verdictOf({ readings }: Pick<Known, 'readings'>, found: readonly Attention[]): Verdict {
  const states = Object.values(readings);
  if (found.length > 0) return 'attention';
  if (states.includes('pending')) return 'pending';
  return states.includes('forbidden') ? 'well-as-seen' : 'well';
}

/** What could not be read, and therefore may need attention. */
function unread({ readings }: Known, { say }: Says): readonly Attention[] {
  return [
    ...(readings.health === 'failed' ? [told(say('healthUnread'))] : []),
    ...(readings.feeds === 'failed' ? [told(say('missingUnread'))] : []),
    ...(readings.consumers === 'failed' ? [told(say('outboxUnread'))] : []),
  ];
}

function ofService(
  { at, labelsUnknown, service }: Health,
  { say, number, instant, bytes }: Says,
): readonly Attention[] {
  const isRecent = (failure: string | null | undefined): failure is string =>
    typeof failure === 'string' && Date.parse(at) - Date.parse(failure) < maxFailureAgeMs;
  const failed = service?.requests.find(({ status }) => status === '5xx')?.count ?? 0;
  const failedAt = service?.lastFailureAt;
  const disks = (service?.disks ?? []).filter(({ freeBytes, sizeBytes }) => freeBytes < minFreeShare * sizeBytes);
  const carriers = (service?.carrierCalls ?? []).filter(
    ({ calls, failed: without, lastFailureAt }) => without * 10 > calls && isRecent(lastFailureAt),
  );
  return [
    ...disks.map(({ place, freeBytes }) => told(say('diskFull', { place, free: bytes(freeBytes) }))),
    ...(isRecent(failedAt) ? [told(say('someRequestsFailed', { count: number(failed), at: instant(failedAt) }))] : []),
    ...(service?.taskFailures ?? []).flatMap(({ failure, count, lastAt }) =>
      isRecent(lastAt) ? [told(say('taskFailed', { failure, count: number(count), at: instant(lastAt) }))] : [],
    ),
    ...carriers.map(({ host, calls, failed: without }) =>
      told(say('carrierFailed', { host, calls: number(calls), failed: number(without) })),
    ),
    ...(labelsUnknown === null || labelsUnknown === 0
      ? []
      : [told(say('labelsDoubtful', { count: number(labelsUnknown) }))]),
  ];
}

function ofFeeds(
  { health, feeds, hasMoreFeeds }: Known,
  { say, number, resource: named, addressOf }: Says,
): readonly Attention[] {
  return [
    ...health.activities
      .filter(({ refusedLines }) => refusedLines > 0)
      .map(({ activityCode, refusedLines }) => ({
        text: say('refusedWaiting', { activity: activityCode, count: number(refusedLines) }),
        address: addressOf(['operator', 'lines'], { activity: activityCode }),
      })),
    ...health.unfinished.map(({ activityCode, resource, feed, state, messages }) => ({
      text: say(state === 'open' ? 'unfinishedOpen' : 'unfinishedInterrupted', {
        ...{ activity: activityCode, resource: named(resource), feed },
        count: number(messages),
      }),
      address: addressOf(['operator', 'messages'], { activity: activityCode, resource, feed, state }),
    })),
    ...feeds
      .filter(({ missing }) => missing.length > 0)
      .map(({ activityCode, resource, feed, missing }) => ({
        text: say('missingMessages', {
          ...{ activity: activityCode, resource: named(resource), feed },
          count: number(missing.reduce((sum, [from = 0, to = 0]) => sum + to - from + 1, 0)),
        }),
        address: addressOf(['operator', 'messages'], { activity: activityCode, resource, feed }),
      })),
    ...(hasMoreFeeds
      ? [{ text: say('missingElsewhere'), address: addressOf(['operator', 'feeds'], { missing: 'true' }) }]
      : []),
  ];
}

function ofOutbox({ health, consumers }: Known, { say, number, instant, addressOf }: Says): readonly Attention[] {
  return consumers
    .filter(({ waitingSince }) => waitingSince !== null && Date.parse(health.at) - Date.parse(waitingSince) > maxWaitMs)
    .map(({ consumer, activityCode, waiting, waitingSince }) => ({
      text: say(consumer === null ? 'outboxUntaken' : 'outboxWaits', {
        ...{ activity: activityCode, consumer: consumer ?? '' },
        count: number(waiting),
        since: instant(waitingSince ?? ''),
      }),
      address: addressOf(['operator', 'outbox']),
    }));
}

function told(text: string): Attention {
  return { text, address: null };
}
