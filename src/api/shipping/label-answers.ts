// What a client hears of a label that was made, or that an earlier request has begun, and what the audit trail keeps.
import { actorOf } from '../../http/actor.ts';
import type { Answer, Call } from '../../http/route.ts';
import { Problem } from '../../model/problem.ts';
import type { LabelResult } from '../../model/shipping.ts';
import { textBlock } from '../../model/text-block.ts';
import type { StoredLabel } from '../../store/labels.ts';
import type { NewAuditEntry } from '../../store/audit-contract.ts';

/** What the audit trail calls the making of a label. */
export const labelAction = 'label.create';

/**
 * The answer to a label that was made.
 * @param duplicate number of an earlier label from the same request; null: there is none
 */
export function labelAnswer(result: LabelResult, duplicate: string | null = null): Answer & { readonly body: string } {
  return {
    status: 200,
    headers: {
      'Cache-Control': 'no-store',
      ...(duplicate !== null && isHeaderText(duplicate) && { 'Label-Duplicates': duplicate }),
    },
    body: JSON.stringify(result),
    type: null,
  };
}

/**
 * What became of the label of an earlier request under the same key, whose answer is not stored, or no longer.
 * @param fingerprint hash of what is asked for now
 * @throws Problem `idempotency-key-reused`; `carrier-timeout` where it is not known whether there is a parcel
 */
export function knownLabelAnswer(label: StoredLabel, fingerprint: string): Answer {
  const { state, result, expeditionNumber } = label;
  if (label.fingerprint === '')
    throw new Problem(
      'idempotency-key-reused',
      'This Idempotency-Key was used for a label that is no longer kept. Take a new key for a new request.',
    );
  if (label.fingerprint !== fingerprint)
    throw new Problem(
      'idempotency-key-reused',
      'This Idempotency-Key was used for another label. Take a new key for a new request.',
    );
  if (state === 'voided')
    throw new Problem(
      'idempotency-key-reused',
      textBlock`
        The label ${expeditionNumber} that was made under this Idempotency-Key has been voided. Take a new key for
        another label.
      `,
    );
  // What an operator found out about has no outputs yet: they can be fetched.
  const body =
    result ??
    JSON.stringify({ status: '0', expeditionNumber: expeditionNumber ?? '', outputs: [] } satisfies LabelResult);
  if (state === 'made')
    return { status: 200, headers: { 'Cache-Control': 'no-store', 'Idempotency-Replayed': 'true' }, body, type: null };
  if (expeditionNumber !== null)
    throw new Problem(
      'carrier-timeout',
      textBlock`
        The carrier was asked under this Idempotency-Key before: the parcel ${expeditionNumber} exists, and its label
        did not come whole. Fetch the label by this number, where the carrier gives labels again, or ask whoever runs
        the service.
      `,
    );
  throw new Problem(
    'carrier-timeout',
    textBlock`
      The carrier was asked under this Idempotency-Key before, and it is not known whether it made a label. Ask the
      carrier by your nDossier; if there is none, send the request with a new key. Whoever runs the service can settle
      the question for this key.
    `,
  );
}

/** The audit entry of a label. Neither names nor addresses: the label itself has them. */
export function labelAudit(
  { principal, address }: Call,
  label: StoredLabel,
  outcome: NewAuditEntry['outcome'],
  details: Readonly<Record<string, unknown>>,
): NewAuditEntry {
  return {
    ...actorOf(principal),
    action: labelAction,
    activityCodes: [label.activity],
    target: `${label.context}/${label.carrier}`,
    operationId: label.operationId,
    outcome,
    address,
    details: { labelId: label.id, nDossier: label.nDossier, orderId: label.orderId, ...details },
  };
}

/** Carriers number as they like; a header holds visible characters. */
function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
