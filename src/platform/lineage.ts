// Lineage over HTTP: which message, line and element a record came from.
import type { Answer, Call } from '../http/route.ts';
import { formatInstant } from '../model/instant.ts';
import { invalidParameter, singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import type { Resource } from '../model/resource.ts';
import { withdrawalReader } from '../model/withdrawal.ts';
import { resources } from '../resources/index.ts';
import type { Lineage, NamedRecord } from '../store/lineage.ts';
import type { Store } from '../store/store.ts';
import { messageRef } from './feed-ids.ts';
import { json } from './feed-lines.ts';

/** The parameters that identify records of any resource: their ids, and their key properties. */
export const recordNames = ['id', ...new Set(resources.flatMap(({ key }) => key))];

/**
 * `GET /platform/lineage`: the message, file and line of a record's last write.
 * @throws Problem `invalid-parameter`, `unknown-parameter`, `resource-not-found`
 */
export function readLineage({ store }: { readonly store: Store }): (call: Call) => Promise<Answer> {
  return async (call) => {
    const given = singleParameters(call.query, ['activity', 'resource', ...recordNames]);
    const activity = given.get('activity') ?? '';
    if (!call.principal.activityCodes.includes(activity))
      invalidParameter('activity', "Parameter 'activity': name an activity that this key opens.");
    const resource = resourceNamed(given.get('resource'));
    const names = Object.fromEntries([...given].filter(([name]) => recordNames.includes(name)));
    const named = recordNamed(resource, activity, names);
    if ('fault' in named) throw new Problem('invalid-parameter', named.fault, { errors: { id: [named.fault] } });
    const lineage = await store.lineageOf(resource, activity, named, {
      client: call.principal.clientId,
      gone: call.gone,
    });
    if (lineage === null)
      throw new Problem('resource-not-found', `There is no such record of ${resource.name} of ${activity}.`);
    return json(publishedLineage(resource, activity, lineage));
  };
}

/**
 * Identifies a record.
 * @param names given values by property name
 */
export function recordNamed(
  resource: Resource,
  activity: string,
  names: Readonly<Record<string, string>>,
): NamedRecord | { readonly fault: string } {
  const { id } = names;
  if (Object.keys(names).join() === 'id' && id !== undefined) {
    const isNumber = resource.fields.id?.kind === 'integer';
    if (!isNumber) return { id };
    return /^\d{1,16}$/.test(id) ? { id: Number(id) } : { fault: `The id of ${resource.name} is a whole number.` };
  }
  if (resource.storage === 'images' || resource.key.length === 0)
    return { fault: `Name a record of ${resource.name} by its id.` };
  const read = withdrawalReader(resource)(names, { activity, activityName: '' });
  if (read.ok) return read.withdrawal.withdraw;
  return { fault: `${read.reasons.map(({ detail }) => detail).join(' ')} Or name the record by its id.` };
}

/** The lineage of a record as it is published. */
export function publishedLineage(resource: Resource, activity: string, lineage: Lineage) {
  const { message, messageNumber, line, element, writtenAt, withdrawnAt } = lineage;
  return {
    resource: resource.name,
    activityCode: activity,
    message: messageNumber === null ? null : messageRef({ activity, message: messageNumber }),
    line,
    element,
    feed: message?.feed ?? null,
    channel: message?.channel ?? null,
    source: message?.source ?? null,
    messageId: message?.messageId ?? null,
    sequence: message?.sequence ?? null,
    receivedAt: message === null ? null : formatInstant(message.receivedAt),
    writtenAt: formatInstant(writtenAt),
    withdrawnAt: withdrawnAt === null ? null : formatInstant(withdrawnAt),
  };
}

function resourceNamed(text: string | undefined): Resource {
  const names = resources.map(({ name }) => name).join(', ');
  return (
    resources.find(({ name }) => name === text) ??
    invalidParameter('resource', `Parameter 'resource': expected one of ${names}.`)
  );
}
