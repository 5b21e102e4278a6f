// The audit trail on the wire: who wrote what in the activities of a key.
import type { Answer, Call } from '../http/route.ts';
import { readUuid } from './identifiers.ts';
import { formatInstant } from '../model/instant.ts';
import { invalidParameter, readInstant, readWhole, singleParameters } from '../model/parameters.ts';
import type { AuditEntry, AuditQuery, Store } from '../store/store.ts';

/** Most entries of one answer. */
export const mostAuditEntries = 100;

export const auditParameters = ['activityCode', 'operationId', 'action', 'actor', 'since', 'until', 'after', 'limit'] as const;

/**
 * `GET /platform/audit`: entries that concern nothing but activities of the key, oldest first; administration that concerns
 * no activity is for the command line.
 * @throws Problem `invalid-parameter`, `unknown-parameter`
 */
export function readAudit({ store }: { readonly store: Store }): (call: Call) => Promise<Answer> {
  return async (call) => {
    const given = singleParameters(call.query, auditParameters);
    const owners = call.caller.activityCodes;
    const activity = given.get('activityCode');
    if (activity !== undefined && !owners.includes(activity)) invalidParameter('activityCode', "Parameter 'activityCode': this key does not open such an activity.");
    const limit = readWhole('limit', given.get('limit'), { min: 1, max: mostAuditEntries, otherwise: mostAuditEntries });
    const query: AuditQuery = {
      activityCodes: activity === undefined ? owners : [activity],
      operationId: readUuid('operationId', given.get('operationId')), action: given.get('action') ?? null, actor: given.get('actor') ?? null,
      since: readInstant('since', given.get('since')), until: readInstant('until', given.get('until')),
      after: readUuid('after', given.get('after')), newestFirst: false, limit,
    };
    const { entries, next } = await visible(store, query, new Set(owners));
    const body = JSON.stringify({ entries: entries.map(published), after: next });
    return { status: 200, headers: { 'cache-control': 'no-store' }, body, type: null };
  };
}

/** Reads on past what the key may not see, until a page is full. */
async function visible(store: Store, query: AuditQuery, owners: ReadonlySet<string>): Promise<{ readonly entries: readonly AuditEntry[]; readonly next: string | null }> {
  const entries: AuditEntry[] = [];
  let after = query.after;
  for (;;) {
    const read = await store.audit.read({ ...query, after });
    for (const entry of read) {
      after = entry.id;
      if (entry.activityCodes.every((code) => owners.has(code))) entries.push(entry);
      if (entries.length === query.limit) return { entries, next: after };
    }
    if (read.length < query.limit) return { entries, next: after };
  }
}

/** An entry as it is published. */
export function published({ id, at, ...entry }: AuditEntry): Readonly<Record<string, unknown>> {
  return { id, at: formatInstant(at), ...entry };
}
