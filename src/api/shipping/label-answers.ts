// What a client is told about a label that was made, or that an earlier request has begun, and the audit entry.
import { actorOf } from '../../http/actor.ts';
import type { Answer, Call } from '../../http/route.ts';
import { Problem } from '../../model/problem.ts';
import type { LabelResult } from '../../model/shipping.ts';
import { textBlock } from '../../model/text-block.ts';
import type { NewLabel, StoredLabel } from '../../store/labels.ts';
import type { NewAuditEntry } from '../../store/audit-contract.ts';

/** Name of the making of a label in the audit trail. */
export const labelAction = 'label.create';

/**
 * The answer for a label that was made.
 * @param duplicate number of an earlier label for the same request; null: there is none
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
 * The outcome of a label from an earlier request with the same key, whose answer is not, or no longer, stored.
 * @param fingerprint hash of the current request
 * @throws Problem `idempotency-key-reused`; `carrier-timeout` when it is unknown whether there is a parcel
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
  // A label whose outcome an operator determined has no outputs yet: they can be fetched.
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

/** The audit entry of a label. Without names and addresses: the label itself contains them. */
export function labelAudit(
  { principal, address }: Call,
  label: Pick<NewLabel, 'id' | 'activity' | 'context' | 'carrier' | 'operationId' | 'nDossier' | 'orderId'>,
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
    details: { labelId: label.id, nDossier: label.nDossier ?? null, orderId: label.orderId ?? null, ...details },
  };
}

/** Carriers' numbers may contain anything; a header only visible characters. */
function isHeaderText(text: string): boolean {
  return /^[\x21-\x7e]+$/.test(text);
}
