// Converts values of an article between a form or a file, where everything is text, and the interface.
import type { ArticleInput, OperationResult } from '../../../client/src/index.ts';
import type { ArticleFieldFacts } from '../generated/article-fields.ts';

const truths: Readonly<Record<string, boolean>> = {
  ...{ true: true, yes: true, oui: true, vrai: true, '1': true },
  ...{ false: false, no: false, non: false, faux: false, '0': false },
};

/**
 * Converts a text to a value of the interface. Text that does not fit is left unchanged: the service reports its fault.
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

/** A value of the interface in the form in which a form shows it. */
export function textOf(value: unknown): string {
  return value === null || value === undefined ? '' : String(value);
}

/** Articles of any shape, which the service checks. */
export function asInput(article: Readonly<Record<string, unknown>>): ArticleInput {
  return article as ArticleInput;
}

/** One thing that is wrong, as the service says it. */
export type ArticleFault = Pick<OperationResult['errors'][string][number], 'code' | 'detail'>;
