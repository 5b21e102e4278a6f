// Leaves the mark of writes that were refused as a whole, or that failed, in the audit trail: no handler got far enough to do so.
import type { Call, RefusedWrite } from '../http/route.ts';
import { problems } from '../model/problem.ts';
import type { Store } from '../store/store.ts';

/**
 * Makes what records them. None is left of requests beyond a limit (429), of dry runs, and of requests that come while the same
 * one runs: that one leaves its own.
 * @returns records one: neither body nor path, and the activity only of a caller who has but one. What the request of any other is
 * about is not known, so the entry concerns no activity
 */
export function recordRefusedWrite({ store }: { readonly store: Pick<Store, 'audit'> }): (refused: RefusedWrite) => Promise<void> {
  return async ({ action, call, problem: { slug } }) => {
    const { status } = problems[slug];
    if (status === 429 || slug === 'idempotency-in-progress' || isDryRun(call)) return;
    const { caller: { kind, clientId, subject, activityCodes }, address, requestId } = call;
    await store.audit.append({
      actorKind: kind, actor: clientId, subject, action, activityCodes: activityCodes.length === 1 ? activityCodes : [], target: null, operationId: null,
      outcome: status < 500 ? 'refused' : 'failed', address, details: { problem: slug, status, requestId },
    });
  };
}

/** Read leniently: the query itself may be what is wrong. */
function isDryRun({ queryText }: Call): boolean {
  return new URLSearchParams(queryText).get('dryRun') === 'true';
}
