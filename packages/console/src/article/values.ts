// Values of an article between a form or a file, where all is text, and the interface.
import type { ArticleInput, OperationResult } from '../../../client/src/index.ts';
import type { ArticleFieldFacts } from '../generated/article-fields.ts';

const truths: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, oui: true, vrai: true, '1': true },
  ...{ false: false, no: false, non: false, faux: false, '0': false },
};

/**
 * A text as a value of the interface. What does not fit stays text: the service says what is wrong with it.
 * @returns null for an empty one
 */
export function readValue(text: string, kind: ArticleFieldFacts['kind']): string | number | boolean | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  if (kind === 'boolean') return truths[trimmed.toLowerCase()] ?? trimmed;
  const number = trimmed.replace(',', '.');
  if ((kind === 'integer' || kind === 'decimal') && /^[-+]?\d+(\.\d+)?$/.test(number)) return Number(number);
  return trimmed;
}

/** A value of the interface as a form shows it. */
export function textOf(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

/** Articles whose shape the service judges, whatever it is. */
export function asInput(article: Readonly<Record<string, unknown>>): ArticleInput {
  return article as ArticleInput;
}

/** What is wrong, by field; '' for the article as a whole. */
export type ArticleFaults = Readonly<Record<string, string>>;

/** What a result says of its only article; pointers are such as `/0/articleReference`. */
export function faultsOf({ errors }: OperationResult): ArticleFaults {
  const faults: Record<string, string> = {};
  for (const { pointer, detail } of Object.values(errors).flat()) {
    const field = pointer.split('/')[2] ?? '';
    faults[field] = faults[field] === undefined ? detail : `${faults[field]} ${detail}`;
  }
  return faults;
}
