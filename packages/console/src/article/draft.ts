// Unsaved changes of an article, kept in the tab, so that they survive a reload or a sign-in.
import type { AnyRecord } from '../list/list-source.ts';
import type { Changes } from './edited.ts';

export const emptyDraft: Changes = { values: {}, lists: {} };

/** Changes, and the record as it was when they began; null: as it is now. */
export interface KeptChanges extends Changes {
  readonly base: AnyRecord | null;
  /** What was sent last, if it is not known whether it was saved. */
  readonly sent?: AnyRecord | undefined;
}

/** @param article its address in the console; '' for a new one */
export function keptDraft(article: string): KeptChanges {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(article)) ?? 'null');
    return typeof kept === 'object' && kept !== null && 'values' in kept && 'lists' in kept
      ? { base: null, ...(kept as Changes) }
      : { base: null, ...emptyDraft };
  } catch {
    return { base: null, ...emptyDraft };
  }
}

/** An empty draft is deleted. */
export function keepDraft(article: string, draft: KeptChanges): void {
  if (isEmpty(draft)) sessionStorage.removeItem(nameOf(article));
  else sessionStorage.setItem(nameOf(article), JSON.stringify(draft));
}

export function isEmpty({ values, lists }: Changes): boolean {
  return Object.keys(values).length === 0 && Object.keys(lists).length === 0;
}

function nameOf(article: string): string {
  return `console-article-${article}`;
}
