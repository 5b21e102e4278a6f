// Unsaved input for a label, kept in the tab, so that it survives a reload, and pressing twice never makes the same
// label twice.
import type { LabelDraft } from './label-fields.ts';

export interface KeptDraft {
  readonly values: LabelDraft;
  /** Idempotency key for the label with these values. */
  readonly key: string;
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

function nameOf(place: string): string {
  return `console-label-${place}`;
}
