// Replays refused lines over HTTP: a single one, or all that are left of a message.
import type { FeedTurns } from '../feeds/feed-turns.ts';
import { replayLines } from '../feeds/replay.ts';
import type { Answer, Call } from '../http/route.ts';
import { NoSuchActivity, OperatorError } from '../model/operator-error.ts';
import { readChoice, singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import { resources } from '../resources/index.ts';
import { type FeedMessage, LinesSettled } from '../store/feed-contract.ts';
import type { Store } from '../store/store.ts';
import { messageRef, parseMessageRef } from './feed-ids.ts';
import { json, lineAudit, lineOf } from './feed-lines.ts';
import type { FeedPlaces } from './feed-places.ts';

export const replayAction = 'feed.replay';

interface ReplayDependencies {
  readonly store: Pick<Store, 'feeds' | 'feedLines' | 'activities'>;
  /** Turns shared by all feeds of this process. */
  readonly turns: FeedTurns;
  /** Lengths of digit codes that are checked as a GTIN. */
  readonly gtinLengths: readonly number[];
  /** Places for feeds and replays that are received at a time. */
  readonly places: FeedPlaces;
}

/**
 * `POST /platform/feeds/lines/{lineId}/replay`.
 * @throws Problem `resource-not-found`, `line-settled`, `not-replayable`, `quota-exceeded`, `unavailable`
 */
export function replayFeedLine(dependencies: ReplayDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const force = isForced(call);
    const { activity, message, record, state } = await lineOf(dependencies.store, call);
    if (state !== 'refused') throw settled();
    const found = await dependencies.store.feeds.message(activity, message);
    return replayed(dependencies, call, { message: found, records: [record], force });
  };
}

/**
 * `POST /platform/feeds/messages/{messageId}/replay`: all lines of a message that are still refused.
 * @throws Problem `resource-not-found`, `line-settled`, `not-replayable`
 */
export function replayFeedLines(dependencies: ReplayDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const force = isForced(call);
    const asked = parseMessageRef(call.params.messageId ?? '');
    const isOpen = asked !== null && call.principal.activityCodes.includes(asked.activity);
    const message = isOpen ? await dependencies.store.feeds.message(asked.activity, asked.message) : null;
    return replayed(dependencies, call, { message, records: null, force });
  };
}

interface MessageReplay {
  readonly message: FeedMessage | null;
  readonly records: readonly number[] | null;
  readonly force: boolean;
}

async function replayed(
  { store, turns, gtinLengths, places }: ReplayDependencies,
  call: Call,
  { message, records, force }: MessageReplay,
): Promise<Answer> {
  if (message === null)
    throw new Problem('resource-not-found', 'There is no message with this id among the activities of this key.');
  const resource = resources.find(({ name }) => name === message.resource);
  const activity = (await store.activities.named([message.activity]))[0];
  if (resource === undefined || activity === undefined)
    throw new Problem('resource-not-found', `Nothing is kept of ${message.resource} of ${message.activity} any more.`);
  const leave = await places.take(call.principal.clientId);
  try {
    const replay = await replayLines({
      ...{ store, turns, gtinLengths, resource, message, records, force },
      ...{ activity: activity.code, activityName: activity.name, actor: call.principal.clientId },
      confirmAccess: () => call.confirmAccess(activity.code),
      audit: (made) =>
        lineAudit(call, replayAction, { activity: message.activity, message: message.id }, replayDetails(made, force)),
    });
    return json(replayOutcome(replay));
  } catch (error) {
    if (error instanceof LinesSettled) throw settled();
    if (error instanceof OperatorError && !(error instanceof NoSuchActivity))
      throw new Problem('not-replayable', `${error.message} ${error.remedy}`);
    throw error;
  } finally {
    leave();
  }
}

/** The details of a replay in the audit trail. */
export function replayDetails(replay: FeedMessage, force: boolean): Readonly<Record<string, unknown>> {
  return { ...replayOutcome(replay), ...(force && { force }) };
}

/** The outcome of the lines: `read` is the sum of the four counts that follow. */
export function replayOutcome(replay: FeedMessage) {
  const { read, added, changed, unchanged, refused } = replay;
  const message = messageRef({ activity: replay.activity, message: replay.id });
  return { message, read, new: added, changed, unchanged, refused };
}

function isForced(call: Call): boolean {
  const given = singleParameters(call.query, ['force']);
  return readChoice('force', given.get('force'), ['true', 'false'], 'false') === 'true';
}

function settled(): Problem {
  return new Problem(
    'line-settled',
    'A line is not refused any more, or was edited meanwhile: read it again, and replay what is still refused.',
  );
}
