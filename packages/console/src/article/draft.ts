// Unsaved changes of an article, kept in the tab, so that they survive a reload or a sign-in.
import type { Changes } from './edited.ts';

export const emptyDraft: Changes = { values: {}, lists: {} };

/** @param article its address in the console; '' for a new one */
export function keptDraft(article: string): Changes {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(article)) ?? 'null');
    return typeof kept === 'object' && kept !== null && 'values' in kept && 'lists' in kept
      ? (kept as Changes)
      : emptyDraft;
  } catch {
    return emptyDraft;
  }
}

/** An empty draft is deleted. */
export function keepDraft(article: string, draft: Changes): void {
  if (isEmpty(draft)) sessionStorage.removeItem(nameOf(article));
  else sessionStorage.setItem(nameOf(article), JSON.stringify(draft));
}

export function isEmpty({ values, lists }: Changes): boolean {
  return Object.keys(values).length === 0 && Object.keys(lists).length === 0;
}

function nameOf(article: string): string {
  return `console-article-${article}`;
}
