// The answer of a write that is decided item by item, and its audit entry.
import { actorOf } from '../http/actor.ts';
import { cooperativeYield, writeOf } from '../model/cooperative-yield.ts';
import { type OperationResult, operationPieces, operationValue } from '../model/operation.ts';
import type { Answer, Call } from '../http/route.ts';
import type { Reason } from '../model/record.ts';
import type { NewAuditEntry } from '../store/audit-contract.ts';

/**
 * The answer of a write: 200 whatever the outcome of its items, because the body could be read (decision D16). To be
 * made inside the transaction of the write; others have their turn between its items.
 */
export async function operationAnswer(result: OperationResult): Promise<Answer> {
  const turn = cooperativeYield(writeOf(result.passed.length + result.errors.size));
  // To join texts of half a megabyte, and to encode the result, takes ten times as long as to join bytes.
  const pieces: Buffer[] = [];
  for (const piece of operationPieces(result)) {
    pieces.push(Buffer.from(piece));
    await turn();
  }
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, body: Buffer.concat(pieces), type: null };
}

/** Facts about a write besides its result. */
interface WriteDescription {
  /** Name of the kind of write, such as `articles.submit`. */
  readonly action: string;
  /** The client's activities that it concerns. */
  readonly activityCodes: readonly string[];
  /** The object of the write, if it is a single one. */
  readonly target: string | null;
  /** Further information as JSON. */
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

/** The longest answer that is stored whole, and the most errors stored of a longer one, in characters of JSON. */
const maxKeptAnswer = 16_384;
const maxKeptErrors = 8192;

/**
 * The result as JSON. A long one is reduced to the first error of as many items as fit, because the trail is kept for
 * years.
 */
function keptResult(result: OperationResult): unknown {
  if (!isLong(result)) return operationValue(result);
  const kept = new Map<string, readonly Reason[]>();
  let length = 0;
  for (const [key, reasons] of result.errors) {
    const first = reasons.slice(0, 1);
    length += key.length + JSON.stringify(first).length;
    if (length > maxKeptErrors) break;
    kept.set(key, first);
  }
  return { ...operationValue({ ...result, errors: kept }), shortened: true, refused: result.errors.size };
}

function isLong(result: OperationResult): boolean {
  let length = 0;
  for (const piece of operationPieces(result)) {
    length += piece.length;
    if (length > maxKeptAnswer) return true;
  }
  return false;
}
