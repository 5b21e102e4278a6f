// The outbox over HTTP: the warehouse side collects what clients wrote, and acknowledges what it has taken in.
import { actorOf } from '../http/actor.ts';
import { textBlock } from '../model/text-block.ts';
import { setTimeout as pause } from 'node:timers/promises';
import type { Answer, BodyLimits, Call } from '../http/route.ts';
import { invalidParameter, readWhole, singleParameters } from '../model/parameters.ts';
import type { ChangePosition } from '../model/plan.ts';
import { Problem } from '../model/problem.ts';
import { maxCountedEntries } from '../store/outbox-progress.ts';
import type { ConsumerPosition, ConsumerCreator, Outbox } from '../store/outbox-contract.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';
import { consumerOf } from './consumers.ts';
import { jsonObject, invalidBody } from './json-object.ts';
import { outboxEntryText } from './outbox-entry.ts';
import { beyond, invalidPosition, parsePosition, positionText } from './positions.ts';

export interface OutboxDependencies {
  readonly store: Store;
  /** Base URL of the platform interface, without a slash at the end. */
  readonly platformUrl: string;
  /** Aborted when the server is stopping, so that nobody waits any longer. */
  readonly stopping: AbortSignal;
}

/** Name of an acknowledgement in the audit trail. */
export const acknowledgeAction = 'outbox.acknowledge';
export const acknowledgementBody: BodyLimits = { types: ['application/json'], limit: 65_536, encodings: [] };
/** The most entries of one answer. */
export const maxEntries = 100;
/** The most consumers that one key may register. */
export const maxConsumers = 20;
/** The longest wait for entries: shorter than what proxies allow. */
export const maxWaitSeconds = 25;
/** An answer adds no further entries once it has this many characters: an article can have a megabyte. */
const maxAnswerCharacters = 8_388_608;
/** Entries read at a time. */
const readAtOnce = 20;
/** How often the outbox is checked while a consumer waits. */
const lookEveryMs = 250;

/**
 * `GET /platform/outbox`: entries after a position, at once or as soon as there are any. Records what was delivered to
 * the consumer.
 * @throws Problem `invalid-position`, `not-delivered`, `position-gone`, `too-many-consumers`, `invalid-parameter`,
 *   `unknown-parameter`
 */
export function readOutbox({ store, platformUrl, stopping }: OutboxDependencies): (call: Call) => Promise<Answer> {
  const { outbox } = store;
  return async (call) => {
    const given = singleParameters(call.query, ['after', 'consumer', 'limit', 'wait']);
    const consumer = consumerOf(given.get('consumer'), call.principal, (expected) =>
      invalidParameter('consumer', `Parameter 'consumer': ${expected}`),
    );
    const limit = readWhole('limit', given.get('limit'), { min: 1, max: maxEntries, otherwise: maxEntries });
    const wait = readWhole('wait', given.get('wait'), { min: 0, max: maxWaitSeconds, otherwise: 0 });
    const activities = call.principal.activityCodes;
    const asked = parsePosition(given.get('after') ?? '', activities);
    const by = { keyId: call.principal.clientId, max: maxConsumers };
    const after = await startOf(outbox, { consumer, activities, asked, by });
    if (wait > 0) call.standAside();
    await waitForEntries(outbox, after, activities, wait * 1000, () => stopping.aborted || call.isGone(), stopping);
    await call.confirmAccess();
    const open = activities.filter((activity) => call.principal.activityCodes.includes(activity));
    const { texts, next, more } = await readPage(outbox, open, after, limit, platformUrl);
    // Checked last: an entry that is removed before it is read would leave an unnoticed gap.
    refuseRemoved(asked, await outbox.removedTo(Object.keys(asked)));
    // A HEAD request delivers nothing, and neither does an answer whose client has gone.
    if (call.method !== 'HEAD' && !call.isGone() && !(await outbox.noteDelivered(consumer, next, by)))
      throw tooManyConsumers((await outbox.consumersInTheWay(consumer, by)) ?? []);
    return answer(`{"entries":[${texts.join(',')}],"position":${JSON.stringify(positionText(next))},"more":${more}}`);
  };
}

/**
 * `POST /platform/outbox/ack`: records what a consumer has taken in; repeating it changes nothing. Activities that the
 * position does not name are unaffected.
 * @throws Problem `not-delivered`, `invalid-position`, `validation-failed`, `malformed-json`
 */
export function acknowledgeOutbox({ store }: OutboxDependencies): (call: Call) => Promise<Answer> {
  const { outbox } = store;
  return async (call) => {
    singleParameters(call.query, []);
    const body = jsonObject(await call.body(), { consumer: 'optional', position: 'required' });
    const consumer = consumerOf(body.consumer, call.principal, (expected) => {
      throw invalidBody(new Map([['consumer', `consumer: ${expected}`]]));
    });
    const activities = call.principal.activityCodes;
    const position = parsePosition(body.position ?? '', activities);
    if (Object.keys(position).length === 0)
      throw invalidPosition('The position is empty: send the position of the last entry that was taken in.');
    refuseBeyondEnd(position, await outbox.ends(activities));
    const delivered = await outbox.acknowledge(consumer, position, acknowledgement(call, consumer, position));
    if (delivered !== null) throw notDelivered(consumer, delivered);
    const progress = await outbox.progress(consumer, activities);
    const acknowledged = acknowledgedIn(progress);
    return answer(
      JSON.stringify({
        consumer,
        acknowledged: positionText(acknowledged),
        waiting: Math.min(
          progress.reduce((sum, { waiting }) => sum + waiting, 0),
          maxCountedEntries,
        ),
      }),
    );
  };
}

/** As many entries as requested, or as fit. */
async function readPage(
  outbox: Outbox,
  activities: readonly string[],
  after: ChangePosition,
  limit: number,
  platformUrl: string,
): Promise<{ readonly texts: readonly string[]; readonly next: ChangePosition; readonly more: boolean }> {
  const texts: string[] = [];
  let next = after;
  let more = true;
  for (let length = 0; more && texts.length < limit && length < maxAnswerCharacters; ) {
    const read = await outbox.read(activities, next, Math.min(readAtOnce, limit - texts.length));
    for (const entry of read.entries) {
      const text = outboxEntryText(entry, { platformUrl });
      texts.push(text);
      length += text.length;
    }
    ({ next, more } = read);
  }
  return { texts, next, more };
}

interface Reading {
  readonly consumer: string;
  readonly activities: readonly string[];
  readonly asked: ChangePosition;
  readonly by: ConsumerCreator;
}

/** Where a consumer continues: at the requested position, otherwise after what it has acknowledged. */
async function startOf(outbox: Outbox, { consumer, activities, asked, by }: Reading): Promise<ChangePosition> {
  const reached = await outbox.positions(consumer, activities);
  // Reported before anybody waits for entries.
  const inTheWay = reached.some(({ updatedAt }) => updatedAt === 0)
    ? await outbox.consumersInTheWay(consumer, by)
    : null;
  if (inTheWay !== null) throw tooManyConsumers(inTheWay);
  refuseBeyondEnd(asked, await outbox.ends(Object.keys(asked)));
  const delivered = Object.fromEntries(reached.map((each) => [each.activity, each.delivered]));
  if (beyond(asked, delivered).length > 0) throw notDelivered(consumer, delivered);
  return { ...acknowledgedIn(reached), ...asked };
}

function acknowledgedIn(reached: readonly ConsumerPosition[]): ChangePosition {
  return Object.fromEntries(reached.map((each) => [each.activity, each.acknowledged]));
}

function acknowledgement({ principal, address }: Call, consumer: string, position: ChangePosition): NewAuditEntry {
  return {
    ...actorOf(principal),
    action: acknowledgeAction,
    activityCodes: Object.keys(position),
    target: consumer,
    operationId: null,
    outcome: 'accepted',
    address,
    details: { position: positionText(position) },
  };
}

function refuseBeyondEnd(position: ChangePosition, ends: ChangePosition): void {
  const ahead = beyond(position, ends);
  if (ahead.length > 0)
    throw invalidPosition(`The position lies beyond the end of the outbox in activity ${ahead.join(', ')}.`, {
      end: positionText(ends),
    });
}

function refuseRemoved(position: ChangePosition, removed: ChangePosition): void {
  const gone = beyond(removed, position);
  if (gone.length === 0) return;
  const oldest = Object.fromEntries(
    Object.entries(position).map(([activity, number]) => [activity, Math.max(number, removed[activity] ?? 0)]),
  );
  throw new Problem(
    'position-gone',
    `What follows this position in activity ${gone.join(', ')} has been acknowledged and removed.`,
    { oldest: positionText(oldest) },
  );
}

function tooManyConsumers(consumers: readonly string[]): Problem {
  const detail = textBlock`
    This key reads as ${consumers.length} consumers already, the most that it may. Go on under one of their names, or
    ask the operator to forget one that is not in use: \`outbox forget NAME\`.
  `;
  return new Problem('too-many-consumers', detail, { consumers });
}

function notDelivered(consumer: string, delivered: ChangePosition): Problem {
  const detail = textBlock`
    Consumer ${consumer} was not given the entries up to this position. Read them first, with the parameter
    consumer=${consumer}.
  `;
  return new Problem('not-delivered', detail, { delivered: positionText(delivered) });
}

/** @param isOver true when nobody waits any longer */
async function waitForEntries(
  outbox: Outbox,
  after: ChangePosition,
  activities: readonly string[],
  maxWaitMs: number,
  isOver: () => boolean,
  stopping: AbortSignal,
): Promise<void> {
  const until = performance.now() + maxWaitMs;
  while (performance.now() < until && !isOver()) {
    if (beyond(await outbox.ends(activities), after).length > 0) return;
    await pause(Math.min(lookEveryMs, Math.max(until - performance.now(), 0)), undefined, { signal: stopping }).catch(
      () => undefined,
    );
  }
}

function answer(body: string): Answer {
  return { status: 200, headers: { 'cache-control': 'no-store' }, body, type: null };
}
