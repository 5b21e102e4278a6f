// Receives a message in the body of a request: imports it as it arrives, and returns the outcome.
import { actorOf } from '../http/actor.ts';
import { type ByteSource, streamSource } from '../feeds/byte-source.ts';
import type { FeedTurns } from '../feeds/feed-turns.ts';
import { MessageFault } from '../feeds/message-fault.ts';
import {
  MessageDiffers,
  MessageInterrupted,
  MessageRunning,
  type Received,
  type ReceiveOptions,
  receiveMessage,
} from '../feeds/receive.ts';
import type { Answer, AuditedFailure, Call } from '../http/route.ts';
import { Problem } from '../model/problem.ts';
import type { Reason } from '../model/record.ts';
import { type FeedMessage, MessageTaken } from '../store/feed-contract.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';
import { feedReading } from './feed-body.ts';
import type { FeedPlaces } from './feed-places.ts';
import { lineId, messageRef } from './feed-ids.ts';
import { json } from './feed-lines.ts';
import { publishedMessage } from './feed-messages.ts';
import { type FeedRequest, readFeedRequest } from './feed-request.ts';

export interface ReceiveDependencies {
  readonly store: Store;
  /** Base URL of the platform interface, without a slash at the end. */
  readonly platformUrl: string;
  /** Aborted when the server is stopping: messages end where they are, and can be continued. */
  readonly stopping: AbortSignal;
  /** Turns shared by all feeds of this process. */
  readonly turns: FeedTurns;
  /** Lengths of digit codes that are checked as a GTIN. */
  readonly gtinLengths: readonly number[];
  /** Places for feeds and replays that are received at a time. */
  readonly places: FeedPlaces;
  /** The most bytes of a body, after decompression. */
  readonly maxFeedBytes: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Its name in the audit trail. */
export const receiveAction = 'feed.receive';
/** The most refused lines shown in an answer; all of them can be listed. */
const maxShownLines = 100;
/**
 * `POST /platform/feeds/{resource}`: imports the records of the body in order, in batches. A message that ends before
 * its body does stays open, and is continued by repeating the request.
 * @throws Problem `message-refused`, `feed-in-progress`, `message-id-reused`, `idempotency-key-reused`,
 *   `too-many-feeds`, `quota-exceeded`, `unavailable`, those of `readFeedRequest` and of the body
 */
export function receiveFeed(dependencies: ReceiveDependencies): (call: Call) => Promise<Answer | AuditedFailure> {
  return async (call) => {
    const request = readFeedRequest(call, dependencies.now());
    const leave = await dependencies.places.take(call.principal.clientId);
    try {
      return await received(dependencies, call, request);
    } finally {
      leave();
    }
  };
}

async function received(
  dependencies: ReceiveDependencies,
  call: Call,
  request: FeedRequest,
): Promise<Answer | AuditedFailure> {
  const { stopping } = dependencies;
  const body = call.bodyStream();
  const stop = (): void => void body.destroy(stoppingProblem());
  if (stopping.aborted) throw stoppingProblem();
  stopping.addEventListener('abort', stop, { once: true });
  try {
    return await takenFrom(dependencies, call, request, await streamSource(body, request.strict));
  } finally {
    stopping.removeEventListener('abort', stop);
  }
}

async function takenFrom(
  dependencies: ReceiveDependencies,
  call: Call,
  request: FeedRequest,
  source: ByteSource,
): Promise<Answer | AuditedFailure> {
  const { store, platformUrl } = dependencies;
  const refused: ShownLine[] = [];
  try {
    const result = await receiveMessage({
      ...(await optionsOf(dependencies, call, request)),
      source: { read: () => feedReading(call, source.read()) },
      onRefused: ({ line, element = null }, reasons) => {
        if (refused.length < maxShownLines) refused.push({ line, element, reasons });
      },
    });
    const kept = await shownLines(store, platformUrl, result.message);
    // Of a message that is refused before anything of it was written no line is kept.
    const isKept = result.fault === null || kept.refusedLines.length > 0;
    const told = isKept ? kept : { refusedLines: refused, refusedLinesUrl: null };
    return result.fault === null ? await answerOf(store, result, told) : { error: refusal(result, told) };
  } catch (error) {
    throw (await isGone(store, error)) ? goneProblem() : problemOf(error, request);
  } finally {
    await source.close();
  }
}

async function optionsOf(
  { store, turns, gtinLengths }: ReceiveDependencies,
  call: Call,
  { resource, activity, feed, messageId, sequence, extractionDate, strict, requestKey }: FeedRequest,
): Promise<Omit<ReceiveOptions, 'source'>> {
  const [known] = await store.activities.named([activity]);
  // It has just been removed.
  if (known === undefined) throw new Problem('resource-not-found', 'There is no such activity any more.');
  return {
    ...{ store, resource, activity, strict, turns, gtinLengths },
    activityName: known.name,
    ...(extractionDate !== null && { extractionDate }),
    needsRecords: true,
    message: {
      ...{ feed, messageId, sequence, requestKey, channel: 'http', source: null, mapping: null, replayOf: null },
      actor: call.principal.clientId,
    },
    confirmAccess: () => call.confirmAccess(activity),
    audit: (message) => auditEntry(call, message),
  };
}

function auditEntry({ principal, address }: Call, message: FeedMessage): NewAuditEntry {
  const { read, added, changed, unchanged, refused, withdrawn, state } = message;
  return {
    ...actorOf(principal),
    action: receiveAction,
    activityCodes: [message.activity],
    target: messageRef({ activity: message.activity, message: message.id }),
    operationId: null,
    outcome: state === 'refused' ? 'refused' : refused > 0 ? 'partly' : 'accepted',
    address,
    details: { resource: message.resource, read, new: added, changed, unchanged, refused, withdrawn },
  };
}

/** A refused line of a message that was refused as a whole. */
interface ShownLine {
  readonly line: number;
  readonly element: number | null;
  readonly reasons: readonly Reason[];
}

/** The first refused lines of a message, and where to find the others. */
interface ShownLines {
  readonly refusedLines: readonly object[];
  readonly refusedLinesUrl: string | null;
}

async function shownLines(
  { feedLines }: Store,
  platformUrl: string,
  { activity, id, refused }: FeedMessage,
): Promise<ShownLines> {
  if (refused === 0) return { refusedLines: [], refusedLinesUrl: null };
  const query = { activities: [activity], message: id, resource: null, state: 'refused', after: null } as const;
  const lines = await feedLines.list({ ...query, limit: maxShownLines });
  return {
    refusedLines: lines.map((line) => ({
      id: lineId(line),
      record: line.record,
      line: line.line,
      element: line.element,
      reasons: JSON.parse(line.reasons),
    })),
    refusedLinesUrl: `${platformUrl}/feeds/lines?message=${encodeURIComponent(messageRef({ activity, message: id }))}`,
  };
}

/** A duplicate is answered with the counts of the first request. */
async function answerOf({ feeds }: Store, { message, of, images }: Received, lines: ShownLines): Promise<Answer> {
  const { activity, resource, feed, sequence } = message;
  const missing =
    sequence === null
      ? []
      : ((await feeds.list([activity])).find((each) => each.resource === resource && each.feed === feed)?.missing ??
        []);
  return json({
    message: publishedMessage(message),
    duplicateOf: of === null ? null : publishedMessage(of),
    images,
    missing,
    ...lines,
  });
}

function refusal({ message, fault }: Received, lines: ShownLines): Problem {
  const detail = fault === null ? '' : `${fault.message} ${fault.remedy}`.trim();
  return new Problem('message-refused', `${detail} Nothing was written.`, {
    fault: fault?.code,
    message: messageRef({ activity: message.activity, message: message.id }),
    ...lines,
  });
}

/** Whether the message no longer exists because its activity was emptied or removed while it came in. */
async function isGone({ feeds }: Store, error: unknown): Promise<boolean> {
  if (!(error instanceof MessageInterrupted && error.cause instanceof MessageTaken)) return false;
  const { activity, id } = error.row;
  return (await feeds.message(activity, id)) === null;
}

function goneProblem(): Problem {
  return new Problem(
    'unavailable',
    'All that was stored of the activity was removed while the message came in. Send the whole body again.',
    {},
    { 'Retry-After': '5' },
  );
}

/** What the client is told when a message could not be received to its end. */
function problemOf(error: unknown, request: FeedRequest): unknown {
  if (error instanceof MessageRunning)
    return new Problem(
      'feed-in-progress',
      `Message ${refOf(error.row)} is being taken in, or the process that did so has died.`,
      { message: refOf(error.row) },
      // A live process may finish at any moment, and renews its claim before it expires.
      { 'Retry-After': String(Math.max(1, Math.ceil(error.endsInMs / 1000))) },
    );
  if (error instanceof MessageDiffers) return differing(error);
  // The same message was accepted earlier, and this is not it.
  if (error instanceof MessageFault)
    return new Problem('message-refused', `${error.message} ${error.remedy}`.trim(), { fault: error.code });
  if (!(error instanceof MessageInterrupted)) return error;
  const { cause, row } = error;
  if (cause instanceof MessageTaken)
    return new Problem(
      'feed-in-progress',
      `Message ${refOf(row)} stood still for so long that another request goes on with it.`,
      { message: refOf(row) },
      { 'Retry-After': '1' },
    );
  if (!(cause instanceof Problem)) return cause;
  const counts = publishedMessage(row).counts;
  return new Problem(
    cause.slug,
    `${cause.detail} ${howToGoOn(row, request)}`,
    { ...cause.extra, message: refOf(row), counts },
    cause.headers,
    cause.cause,
  );
}

function howToGoOn(row: FeedMessage, { requestKey, messageId }: FeedRequest): string {
  const done = `${row.read} records of message ${refOf(row)} have been dealt with.`;
  if (requestKey !== null)
    return `${done} Send the whole body again with the same Idempotency-Key: it goes on after them.`;
  if (messageId !== null) return `${done} Send the whole body again with the same messageId: it goes on after them.`;
  return `${done} Send the whole body again: what is there already stays as it is.`;
}

function differing({ by, of }: MessageDiffers): Problem {
  const extra = { message: refOf(of) };
  if (by === 'message-id')
    return new Problem(
      'message-id-reused',
      `Message ${refOf(of)} of this feed had the same messageId and other records.`,
      extra,
    );
  return new Problem(
    'idempotency-key-reused',
    `This Idempotency-Key was used for message ${refOf(of)}, which was another one. Take a new key for a new message.`,
    extra,
  );
}

function refOf({ activity, id }: FeedMessage): string {
  return messageRef({ activity, message: id });
}

function stoppingProblem(): Problem {
  return new Problem('unavailable', 'The service is stopping.', {}, { 'Retry-After': '5' });
}
