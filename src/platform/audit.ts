// The audit trail over HTTP: who wrote what in the activities of a key.
import { textBlock } from '../model/text-block.ts';
import type { Answer, Call } from '../http/route.ts';
import { readUuid } from './identifiers.ts';
import { formatInstant } from '../model/instant.ts';
import { invalidParameter, readInstant, readWhole, singleParameters } from '../model/parameters.ts';
import { Problem } from '../model/problem.ts';
import type { AuditEntry, AuditQuery } from '../store/audit-contract.ts';
import type { Store } from '../store/store.ts';

/** The most entries of one answer. */
export const maxAuditEntries = 100;

export const auditParameters = [
  'activityCode',
  'operationId',
  'action',
  'actor',
  'since',
  'until',
  'after',
  'limit',
] as const;

/**
 * `GET /platform/audit`: entries that concern only activities of the key, in the order in which they were written.
 * Entries without an activity, such as administration and requests refused as a whole, are visible only to keys for
 * every activity.
 * @throws Problem `invalid-parameter`, `unknown-parameter`, `position-gone`
 */
export function readAudit({ store }: { readonly store: Store }): (call: Call) => Promise<Answer> {
  return async (call) => {
    const given = singleParameters(call.query, auditParameters);
    const { activityCodes: activities, everything = false } = call.principal;
    const activity = given.get('activityCode');
    if (activity !== undefined && !activities.includes(activity))
      invalidParameter('activityCode', "Parameter 'activityCode': this key does not open such an activity.");
    const limit = readWhole('limit', given.get('limit'), {
      min: 1,
      max: maxAuditEntries,
      otherwise: maxAuditEntries,
    });
    const query: AuditQuery = {
      activityCodes: activity !== undefined ? [activity] : everything ? null : activities,
      operationId: readUuid('operationId', given.get('operationId')),
      action: given.get('action') ?? null,
      actor: given.get('actor') ?? null,
      since: readInstant('since', given.get('since')),
      until: readInstant('until', given.get('until')),
      after: readUuid('after', given.get('after')),
      newestFirst: false,
      limit,
    };
    const { entries, next } = await visible(
      query,
      (part) => store.audit.read(part, { client: call.principal.clientId, gone: call.gone }),
      everything ? null : new Set(activities),
    );
    // Checked last, so that an entry that is removed meanwhile ends the reading.
    if (entries.length === 0 && query.after !== null && !(await store.audit.has(query.after))) throw entryGone();
    const body = JSON.stringify({ entries: entries.map(published), after: next });
    return { status: 200, headers: { 'cache-control': 'no-store' }, body, type: null };
  };
}

function entryGone(): Problem {
  const detail = textBlock`
      There is no entry with the id in 'after' any more: it is older than the trail is kept, or the service was restored
      from a backup. Ask without 'after', or with 'since' and the 'at' of the last entry that you have.
    `;
  return new Problem('position-gone', detail, { errors: { after: [detail] } });
}

/**
 * Skips entries that the key may not see until a page is full.
 * @param activities null: the key may see everything
 */
async function visible(
  query: AuditQuery,
  read: (query: AuditQuery) => Promise<readonly AuditEntry[]>,
  activities: ReadonlySet<string> | null,
): Promise<{ readonly entries: readonly AuditEntry[]; readonly next: string | null }> {
  const entries: AuditEntry[] = [];
  let after = query.after;
  for (;;) {
    const found = await read({ ...query, after });
    for (const entry of found) {
      after = entry.id;
      if (activities === null || entry.activityCodes.every((code) => activities.has(code))) entries.push(entry);
      if (entries.length === query.limit) return { entries, next: after };
    }
    if (found.length < query.limit) return { entries, next: after };
  }
}

/** An entry as it is published. */
export function published({ id, at, ...entry }: AuditEntry): Readonly<Record<string, unknown>> {
  return { id, at: formatInstant(at), ...entry };
}
