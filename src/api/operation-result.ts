// The answer of a write that is judged item by item, and what the audit trail keeps of it.
import { actorOf } from '../http/actor.ts';
import { type OperationResult, operationText } from '../model/operation.ts';
import type { Answer, Call } from '../http/route.ts';
import type { Reason } from '../model/record.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';

/** The answer of a write: 200 whatever became of its items, because the body could be read (decision D16). */
export function operationAnswer(result: OperationResult): Answer {
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, body: operationText(result), type: null };
}

/** What is to be known of a write beside its result. */
interface WriteDescription {
  /** Name of the kind of write, such as `articles.submit`. */
  readonly action: string;
  /** Activities of the client that it is about. */
  readonly activityCodes: readonly string[];
  /** What it was done to, where that is one thing. */
  readonly target: string | null;
  /** What else is worth knowing: JSON. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** The audit entry of a write: who, what, from where, and the answer itself. */
export function operationAudit(
  call: Pick<Call, 'principal' | 'address'>,
  operation: WriteDescription,
  result: OperationResult,
): NewAuditEntry {
  const { principal, address } = call;
  return {
    ...actorOf(principal),
    action: operation.action,
    activityCodes: operation.activityCodes,
    target: operation.target,
    operationId: result.operationId,
    outcome: result.status === 200 ? 'accepted' : result.status === 207 ? 'partly' : 'refused',
    address,
    details: { ...operation.details, answer: keptResult(result) },
  };
}

/** Longest answer that is kept whole, and errors of a longer one that are kept, in characters of JSON. */
const maxKeptAnswer = 16_384;
const maxKeptErrors = 8192;

/**
 * The result as JSON; of a long one, the first error of as many items as there is room for: the trail is kept for
 * years.
 */
function keptResult(result: OperationResult): unknown {
  const text = operationText(result);
  if (text.length <= maxKeptAnswer) return JSON.parse(text);
  const kept = new Map<string, readonly Reason[]>();
  let length = 0;
  for (const [key, reasons] of result.errors) {
    const first = reasons.slice(0, 1);
    length += key.length + JSON.stringify(first).length;
    if (length > maxKeptErrors) break;
    kept.set(key, first);
  }
  return { ...JSON.parse(operationText({ ...result, errors: kept })), shortened: true, refused: result.errors.size };
}
