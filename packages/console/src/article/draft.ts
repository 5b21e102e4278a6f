// Unsaved changes of an article, kept in the tab, so that they survive a reload or a sign-in.
import type { AnyRecord } from '../list/list-source.ts';

export interface ArticleDraft {
  /** Changed fields, as typed; all others are those of the article. */
  readonly values: Readonly<Record<string, string>>;
  /** Null: unchanged. */
  readonly barcodes: readonly AnyRecord[] | null;
}

export const emptyDraft: ArticleDraft = { values: {}, barcodes: null };

/** @param article its address in the console; '' for a new one */
export function keptDraft(article: string): ArticleDraft {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(nameOf(article)) ?? 'null');
    return typeof kept === 'object' && kept !== null && 'values' in kept && 'barcodes' in kept
      ? (kept as ArticleDraft)
      : emptyDraft;
  } catch {
    return emptyDraft;
  }
}

/** An empty draft is deleted. */
export function keepDraft(article: string, draft: ArticleDraft): void {
  if (isEmpty(draft)) sessionStorage.removeItem(nameOf(article));
  else sessionStorage.setItem(nameOf(article), JSON.stringify(draft));
}

export function isEmpty({ values, barcodes }: ArticleDraft): boolean {
  return Object.keys(values).length === 0 && barcodes === null;
}

function nameOf(article: string): string {
  return `console-article-${article}`;
}
