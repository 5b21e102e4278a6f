// Feeds and their messages over HTTP: what came in, its outcome, and what is missing.
import { formatInstant } from '../model/instant.ts';
import type { Answer, Call } from '../http/route.ts';
import { invalidParameter, readChoice, readWhole, singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import { resources } from '../resources/index.ts';
import type { Feed, FeedMessage, FeedKey } from '../store/feed-contract.ts';
import type { Store } from '../store/store.ts';
import { feedKey, messageRef, parseFeedKey, parseMessageRef } from './feed-ids.ts';
import { json, lineAudit } from './feed-lines.ts';

interface MessageDependencies {
  readonly store: Pick<Store, 'feeds'>;
}

/** The most feeds of one answer. */
export const maxListedFeeds = 500;
/** The most messages of one answer. */
export const maxMessages = 100;
export const messageStates = ['open', 'interrupted', 'done', 'refused', 'duplicate'] as const;
const resourceNames: readonly string[] = resources.map(({ name }) => name);

/**
 * `GET /platform/feeds`: each feed with its last message and its gaps, by activity, resource and name.
 * @throws Problem `invalid-parameter`, `unknown-parameter`
 */
export function listFeeds({ store }: MessageDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const given = singleParameters(call.query, ['activity', 'missing', 'after', 'limit']);
    const activity = activityOf(call, given.get('activity'));
    const limit = readWhole('limit', given.get('limit'), { min: 1, max: maxListedFeeds, otherwise: maxListedFeeds });
    const found = await store.feeds.page({
      activities: activity === null ? call.principal.activityCodes : [activity],
      missingOnly: readChoice('missing', given.get('missing'), ['true', 'false'], 'false') === 'true',
      after: feedAfter(given.get('after')),
      limit: limit + 1,
    });
    const page = found.slice(0, limit);
    const last = found.length > limit ? page.at(-1) : undefined;
    return json({
      feeds: page.map(({ feed, message }) => publishedFeed(feed, message)),
      after: last === undefined ? null : feedKey(last.feed),
    });
  };
}

function feedAfter(after: string | undefined): FeedKey | null {
  if (after === undefined) return null;
  return parseFeedKey(after) ?? invalidParameter('after', "Parameter 'after': expected `after` of an answer.");
}

/**
 * `GET /platform/feeds/messages`: newest first.
 * @throws Problem `invalid-parameter`, `unknown-parameter`
 */
export function listFeedMessages({ store }: MessageDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const given = singleParameters(call.query, ['activity', 'resource', 'feed', 'state', 'after', 'limit']);
    const activity = activityOf(call, given.get('activity'));
    const limit = readWhole('limit', given.get('limit'), { min: 1, max: maxMessages, otherwise: maxMessages });
    const before = await placeOf(store, call, given.get('after'));
    const feed = given.get('feed');
    const messages = await store.feeds.messages({
      activities: activity === null ? call.principal.activityCodes : [activity],
      limit,
      ...(given.has('resource') && { resource: readChoice('resource', given.get('resource'), resourceNames, '') }),
      ...(feed !== undefined && { feed }),
      ...(given.has('state') && { state: readChoice('state', given.get('state'), messageStates, 'done') }),
      ...(before !== null && { before }),
    });
    const last = messages.length === limit ? messages.at(-1) : undefined;
    return json({
      messages: messages.map(publishedMessage),
      after: last === undefined ? null : messageRef({ activity: last.activity, message: last.id }),
    });
  };
}

/** `GET /platform/feeds/messages/{messageId}`. @throws Problem `resource-not-found` */
export function readMessage({ store }: MessageDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    const place = parseMessageRef(call.params.messageId ?? '');
    const isOpen = place !== null && call.principal.activityCodes.includes(place.activity);
    const message = isOpen ? await store.feeds.message(place.activity, place.message) : null;
    if (message === null)
      throw new Problem('resource-not-found', 'There is no message with this id among the activities of this key.');
    return json(publishedMessage(message));
  };
}

export const endAction = 'feed.end';

/**
 * `POST /platform/feeds/messages/{messageId}/end`: ends an open message that nobody will continue. One that has already
 * ended is returned unchanged.
 * @throws Problem `resource-not-found`, `feed-in-progress` while a process works on it
 */
export function endMessage({ store }: MessageDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    const place = parseMessageRef(call.params.messageId ?? '');
    const isOpen = place !== null && call.principal.activityCodes.includes(place.activity);
    const named = { activity: place?.activity ?? '', id: place?.message ?? 0 };
    const outcome = isOpen ? await store.feeds.end(named, lineAudit(call, endAction, place, {})) : 'unknown';
    const message = isOpen ? await store.feeds.message(named.activity, named.id) : null;
    if (outcome === 'held')
      throw new Problem('feed-in-progress', 'Somebody is at work on the message.', {}, { 'Retry-After': '15' });
    if (message === null)
      throw new Problem('resource-not-found', 'There is no message with this id among the activities of this key.');
    return json(publishedMessage(message));
  };
}

/** A message as it is published. */
export function publishedMessage(message: FeedMessage): Readonly<Record<string, unknown>> {
  const { added, changed, unchanged, refused, warned, withdrawn, read, lines, skipped } = message;
  return {
    id: messageRef({ activity: message.activity, message: message.id }),
    activityCode: message.activity,
    resource: message.resource,
    feed: message.feed,
    channel: message.channel,
    source: message.source,
    messageId: message.messageId,
    sequence: message.sequence,
    mapping: message.mapping,
    replayOf: message.replayOf === null ? null : messageRef({ activity: message.activity, message: message.replayOf }),
    state: message.state,
    fault: parsed(message.fault),
    counts: { lines, skipped, read, new: added, changed, unchanged, refused, warned, withdrawn },
    skippedBy: parsed(message.skippedBy) ?? {},
    lineCounts: parsed(message.lineCounts),
    warnings: parsed(message.warnings) ?? [],
    note: parsed(message.notes),
    firstKey: message.firstKey,
    lastKey: message.lastKey,
    bytes: message.bytes,
    actor: message.actor,
    receivedAt: formatInstant(message.receivedAt),
    touchedAt: formatInstant(message.touchedAt),
    finishedAt: message.finishedAt === null ? null : formatInstant(message.finishedAt),
    countsOnly: message.countsOnly,
  };
}

/** A feed as it is published. @param message its last message */
export function publishedFeed(feed: Feed, message: FeedMessage | null): object {
  return {
    activityCode: feed.activity,
    resource: feed.resource,
    feed: feed.feed,
    receivedAt: formatInstant(feed.receivedAt),
    lastSequence: feed.lastSequence,
    missing: feed.missing,
    lastMessage: message === null ? null : publishedMessage(message),
  };
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

function activityOf({ principal }: Call, given: string | undefined): string | null {
  if (given === undefined || principal.activityCodes.includes(given)) return given ?? null;
  return invalidParameter('activity', "Parameter 'activity': this key does not open such an activity.");
}

async function placeOf(store: MessageDependencies['store'], call: Call, after: string | undefined) {
  if (after === undefined) return null;
  const place = parseMessageRef(after);
  const isOpen = place !== null && call.principal.activityCodes.includes(place.activity);
  const message = isOpen ? await store.feeds.message(place.activity, place.message) : null;
  if (message === null) return invalidParameter('after', "Parameter 'after': expected `after` of an answer.");
  return { receivedAt: message.receivedAt, activity: message.activity, id: message.id };
}
