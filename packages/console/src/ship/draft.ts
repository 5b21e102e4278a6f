// Unsaved input for a label, kept in the tab, so that it survives a reload, and the request that was sent of it, so
// that pressing twice never makes two labels.
import {
  AuthorizationError,
  type LabelRequest,
  ProblemError,
  type ShippingAccount,
} from '../../../client/src/index.ts';
import type { LabelDraft } from './label-fields.ts';

export interface KeptDraft {
  readonly values: LabelDraft;
  /** Idempotency key for the label with these values. */
  readonly key: string;
  /** What was sent under the key, until it is known what became of it: nothing else may be sent under it. */
  readonly sent?: SentRequest;
}

export interface SentRequest {
  readonly account: Pick<ShippingAccount, 'context' | 'carrier'>;
  readonly request: LabelRequest;
}

/** @param place what the label is for, such as an order of an activity: two activities may give one number */
export function keptDraft(place: string): KeptDraft | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(place)) ?? 'null');
    return typeof kept === 'object' && kept !== null && 'values' in kept && 'key' in kept ? (kept as KeptDraft) : null;
  } catch {
    return null;
  }
}

/** @param draft null: delete it */
export function keepDraft(place: string, draft: KeptDraft | null): void {
  if (draft === null) sessionStorage.removeItem(nameOf(place));
  else sessionStorage.setItem(nameOf(place), JSON.stringify(draft));
}

export function newDraft(values: LabelDraft): KeptDraft {
  return { values, key: crypto.randomUUID() };
}

/**
 * The draft when its request has failed.
 * @param draft as it was before the request
 * @param sent what was sent
 * @returns with a new key if there is certainly no label: the corrected request is a new one
 */
export function draftAfterFailure(draft: KeptDraft, sent: SentRequest, error: unknown): KeptDraft {
  return isRefusal(error, draft.sent !== undefined) ? newDraft(draft.values) : { ...draft, sent };
}

/**
 * Whether it is certain that there is no label (docs/shipping.md).
 * @param isRepeated the request was sent before: a refusal that comes before the service looks at the key says nothing
 * about what became of it then
 */
function isRefusal(error: unknown, isRepeated: boolean): boolean {
  // Without a valid sign-in nothing was sent, or it was refused with 401.
  if (error instanceof AuthorizationError) return !isRepeated;
  if (!(error instanceof ProblemError) || error.slug === 'idempotency-key-reused') return false;
  return (isRepeated ? [422] : [400, 403, 404, 413, 415, 422, 429]).includes(error.status);
}

function nameOf(place: string): string {
  return `console-label-${place}`;
}
