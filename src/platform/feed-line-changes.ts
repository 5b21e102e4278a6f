// Changes of refused lines over HTTP: correcting a record, or discarding it.
import { checkEditedRecord } from '../feeds/edited-record.ts';
import type { Answer, BodyLimits, Call } from '../http/route.ts';
import { formatInstant, parseInstant } from '../model/instant.ts';
import { invalidParameter, singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import type { Reason } from '../model/record.ts';
import type { EditedLine, FeedLine } from '../store/feed-lines.ts';
import type { Store } from '../store/store.ts';
import { lineId, parseMessageRef } from './feed-ids.ts';
import { json, jsonText, lineAudit, lineOf, publishedLine } from './feed-lines.ts';

export const editAction = 'feed.edit';
export const dropAction = 'feed.drop';
/**
 * A record is parsed and checked in one go while others wait; the limit is far beyond what anybody corrects by hand.
 */
export const mendedRecordBody: BodyLimits = {
  types: ['application/json'],
  limit: 512 * 1024,
  whenTooLong: 'Download the line (lines.ndjson), mend it in the file, drop it here, and send the file as a feed.',
  encodings: [],
};

interface ChangeDependencies {
  readonly store: Pick<Store, 'feedLines' | 'activities'>;
}

/**
 * `POST /platform/feeds/lines/{lineId}/edit`: stores the record of the body in place of the refused one, after the same
 * checks as on import. With `changedAt` only if nobody has changed the line since.
 * @throws Problem `validation-failed` (its remaining faults), `resource-not-found`, `line-settled`, `line-changed`
 */
export function editFeedLine({ store }: ChangeDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    const since = instantIn(singleParameters(call.query, ['changedAt']));
    const line = await lineOf(store, call);
    const edited = await recordIn(call, store, line);
    const audit = lineAudit(call, editAction, line, { record: line.record });
    const isEdited = await store.feedLines.edit(line, edited, { actor: call.principal.clientId, audit }, since);
    const now = (await store.feedLines.find(line)) ?? line;
    if (!isEdited) throw now.state === 'refused' ? changedSince(now) : notRefused(line);
    return jsonText(publishedLine(now));
  };
}

/**
 * `POST /platform/feeds/lines/{lineId}/drop`.
 * @throws Problem `resource-not-found`, `line-settled` when it is no longer `refused`
 */
export function dropFeedLine({ store }: ChangeDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    const line = await lineOf(store, call);
    const audit = lineAudit(call, dropAction, line, { records: [line.record] });
    const by = { actor: call.principal.clientId, audit };
    if ((await store.feedLines.drop(line, [line.record], by)) === 0) throw notRefused(line);
    return json({ dropped: 1 });
  };
}

/**
 * `POST /platform/feeds/messages/{messageId}/drop`: all lines of a message that are still refused.
 * @throws Problem `resource-not-found` for a message of an activity that the key has no access to
 */
export function dropFeedLines({ store }: ChangeDependencies): (call: Call) => Promise<Answer> {
  return async (call) => {
    singleParameters(call.query, []);
    const message = parseMessageRef(call.params.messageId ?? '');
    if (message === null || !call.principal.activityCodes.includes(message.activity))
      throw new Problem('resource-not-found', 'There is no message with this id among the activities of this key.');
    const audit = lineAudit(call, dropAction, message, { records: 'all' });
    return json({ dropped: await store.feedLines.drop(message, null, { actor: call.principal.clientId, audit }) });
  };
}

/** The record in the body, if it has no faults. */
async function recordIn(call: Call, store: ChangeDependencies['store'], line: FeedLine): Promise<EditedLine> {
  const checked = await checkEditedRecord(store, line, new TextDecoder('utf-8').decode(await call.body()));
  if (!checked.ok) throw stillWrong(checked.reasons);
  return checked.edited;
}

function stillWrong(reasons: readonly Reason[]): Problem {
  const errors = Map.groupBy(reasons, ({ pointer }) => pointer || 'body');
  return new Problem('validation-failed', 'The record would be refused again: nothing was changed.', {
    errors: Object.fromEntries([...errors].map(([pointer, of]) => [pointer, of.map(({ detail }) => detail)])),
  });
}

/** @throws Problem `invalid-parameter` */
function instantIn(given: ReadonlyMap<string, string>): number | null {
  const text = given.get('changedAt');
  if (text === undefined) return null;
  return parseInstant(text) ?? invalidParameter('changedAt', "Parameter 'changedAt': expected that of the line.");
}

function changedSince(line: FeedLine): Problem {
  const by = line.actor === null ? '' : ` by ${line.actor}`;
  const at = formatInstant(line.changedAt);
  return new Problem('line-changed', `Line ${lineId(line)} was changed at ${at}${by}: nothing was changed now.`);
}

function notRefused(line: FeedLine): Problem {
  return new Problem('line-settled', `Line ${lineId(line)} is not refused any more: nothing was changed.`);
}
