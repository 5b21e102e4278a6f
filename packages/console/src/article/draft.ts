// What somebody has filled in for an article and not saved, kept in the tab: a reload, or a sign-in in between, loses
// nothing.
import type { AnyRecord } from '../list/list-source.ts';

export interface ArticleDraft {
  /** Fields that were changed, as they were typed; all others are those of the article. */
  readonly values: Readonly<Record<string, string>>;
  /** Null: they were not changed. */
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

/** An empty draft is forgotten. */
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
