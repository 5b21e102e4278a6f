// Refused lines over HTTP: listed, downloaded, corrected and discarded.
import { actorOf } from '../http/actor.ts';
import { formatInstant } from '../model/instant.ts';
import { jsonLine } from '../model/json-line.ts';
import type { MaybePromise } from '../model/maybe-promise.ts';
import type { Answer, Call } from '../http/route.ts';
import { invalidParameter, readChoice, readWhole, singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import { refusedText } from '../feeds/refused-file.ts';
import { resources } from '../resources/index.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { FeedLine, FeedLinePlace, FeedLineQuery } from '../store/feed-lines.ts';
import type { Store } from '../store/store.ts';
import { lineId, messageRef, parseLineId, parseMessageRef } from './feed-ids.ts';

/** The most lines of one answer. */
export const maxFeedLines = 100;
/** An answer adds no further lines once it has this many characters; the first line is always included. */
const maxCharacters = { list: 1_048_576, download: 8_388_608 } as const;

export const feedLineStates = ['refused', 'dropped', 'replayed'] as const;
const listParameters = ['activity', 'message', 'resource', 'state', 'after', 'limit'] as const;

const resourceNames: readonly string[] = resources.map(({ name }) => name);

interface LineDependencies {
  readonly store: Pick<Store, 'feedLines'>;
}

/**
 * `GET /platform/feeds/lines`: lines in the order of activity, message and record, without the texts of long ones; as
 * many as fit. `after` leads to the next page.
 * @throws Problem `invalid-parameter`, `unknown-parameter`
 */
export function listFeedLines({ store }: LineDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const query = lineQuery(call);
    const { texts, after } = await pageOf(store, query, maxCharacters.list, publishedLine);
    return jsonText(`{"lines":[${texts.join(',')}],"after":${JSON.stringify(after)}}`);
  };
}

/**
 * `GET /platform/feeds/lines.ndjson`: the same lines as a file that `import` and feeds accept: one object per line,
 * with `reasons` and the whole `record` or `text`. It contains as many lines as fit; `Link` leads to the next page.
 * @param platformUrl base URL of the platform interface, without a slash at the end
 * @throws Problem `invalid-parameter`, `unknown-parameter`
 */
export function downloadFeedLines({
  store,
  platformUrl,
}: LineDependencies & { readonly platformUrl: string }): (call: Call) => Promise<Answer> {
  return async (call) => {
    const { texts, after } = await pageOf(store, lineQuery(call), maxCharacters.download, async (line) =>
      downloadedLine(line.isLong ? ((await store.feedLines.find(line)) ?? line) : line),
    );
    return {
      status: 200,
      headers: {
        'cache-control': 'no-store',
        ...(after !== null && { link: nextLink(call, platformUrl, after) }),
      },
      body: texts.join(''),
      type: null,
    };
  };
}

/**
 * The texts of as many lines as fit.
 * @returns `after`: the id of the last one, if there may be more
 */
async function pageOf(
  { feedLines }: LineDependencies['store'],
  query: FeedLineQuery,
  mostCharacters: number,
  textOf: (line: FeedLine) => MaybePromise<string>,
): Promise<{ readonly texts: readonly string[]; readonly after: string | null }> {
  const texts: string[] = [];
  let after: string | null = null;
  let length = 0;
  for await (const line of feedLines.each(query)) {
    if (length >= mostCharacters) return { texts, after };
    const text = await textOf(line);
    texts.push(text);
    length += text.length;
    after = lineId(line);
  }
  return { texts, after: texts.length === query.limit ? after : null };
}

/** `GET /platform/feeds/lines/{lineId}`: one complete line. @throws Problem `resource-not-found` */
export function readFeedLine({ store }: LineDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    return jsonText(publishedLine(await lineOf(store, call)));
  };
}

/**
 * The line that the path names.
 * @throws Problem `resource-not-found`, also for one of an activity that the key has no access to
 */
export async function lineOf(store: Pick<Store, 'feedLines'>, call: Call): Promise<FeedLine> {
  const place = parseLineId(call.params.lineId ?? '');
  const isOpen = place !== null && call.principal.activityCodes.includes(place.activity);
  const line = isOpen ? await store.feedLines.find(place) : null;
  if (line === null)
    throw new Problem('resource-not-found', 'There is no refused line with this id among the activities of this key.');
  return line;
}

/** The audit entry of a change. */
export function lineAudit(
  { principal, address }: Call,
  action: string,
  { activity, message }: Pick<FeedLinePlace, 'activity' | 'message'>,
  details: Readonly<Record<string, unknown>>,
): NewAuditEntry {
  return {
    ...actorOf(principal),
    action,
    activityCodes: [activity],
    target: messageRef({ activity, message }),
    operationId: null,
    outcome: 'accepted',
    address,
    details,
  };
}

/** JSON text of a line as it is published. What is stored as JSON is not parsed: of a page that would take long. */
export function publishedLine(line: FeedLine): string {
  const { record, element, resource, feed, source, state, reasons, content, isLong, edited, actor } = line;
  const head = {
    id: lineId(line),
    activityCode: line.activity,
    message: messageRef(line),
    record,
    line: line.line,
    element,
    resource,
    feed,
    source,
    state,
  };
  const tail = {
    replayedBy: line.replayedBy === null ? null : messageRef({ activity: line.activity, message: line.replayedBy }),
    actor,
    changedAt: formatInstant(line.changedAt),
  };
  const contentText = content !== null && line.kind === 'record' ? jsonLine(content) : JSON.stringify(content);
  const texts = `"reasons":${reasons},"content":${contentText},"isLong":${isLong},"edited":${edited ?? 'null'}`;
  return `${JSON.stringify(head).slice(0, -1)},${texts},${JSON.stringify(tail).slice(1)}`;
}

export function json(value: unknown): Answer {
  return jsonText(JSON.stringify(value));
}

export function jsonText(body: string): Answer {
  return { status: 200, headers: { 'cache-control': 'no-store' }, body, type: null };
}

/** A line of a download; must not be `isLong`. */
export function downloadedLine({ line, element, reasons, kind, content, edited }: FeedLine): string {
  const text = edited ?? content;
  const original = kind === 'record' || edited !== null ? { record: text } : { text };
  return `${refusedText({ line, element, reasons, ...original })}\n`;
}

function lineQuery(call: Call): FeedLineQuery {
  const given = singleParameters(call.query, listParameters);
  const { activityCodes } = call.principal;
  const activity = given.get('activity');
  if (activity !== undefined && !activityCodes.includes(activity))
    invalidParameter('activity', "Parameter 'activity': this key does not open such an activity.");
  const message = messageOf(given.get('message'), activityCodes);
  const after = given.get('after');
  const place = after === undefined ? null : parseLineId(after);
  if (after !== undefined && place === null)
    invalidParameter('after', "Parameter 'after': expected the id of a line, such as ACM:17:4.");
  if (message !== null && activity !== undefined && message.activity !== activity)
    invalidParameter('message', `Parameter 'message': message ${message.message} is not one of ${activity}.`);
  const only = activity ?? message?.activity;
  return {
    activities: only === undefined ? activityCodes : [only],
    message: message?.message ?? null,
    resource: given.has('resource') ? readChoice('resource', given.get('resource'), resourceNames, '') : null,
    state: readChoice('state', given.get('state'), feedLineStates, 'refused'),
    after: place,
    limit: readWhole('limit', given.get('limit'), { min: 1, max: maxFeedLines, otherwise: maxFeedLines }),
  };
}

function messageOf(
  text: string | undefined,
  activities: readonly string[],
): { readonly activity: string; readonly message: number } | null {
  if (text === undefined) return null;
  const found = parseMessageRef(text);
  if (found === null || !activities.includes(found.activity))
    return invalidParameter('message', "Parameter 'message': expected a message of this key's activities: ACM:17.");
  return found;
}

function nextLink(call: Call, platformUrl: string, after: string): string {
  const query = new URLSearchParams();
  for (const [name, value] of call.query) if (name !== 'after') query.append(name, value);
  query.append('after', after);
  return `<${platformUrl}/feeds/lines.ndjson?${query}>; rel="next"`;
}
