// The articles of a file that exist already, as they are now.
import type { Client } from '../../../client/src/index.ts';
import type { AnyRecord } from '../list/list-source.ts';
import { articleFieldFacts } from '../generated/article-fields.ts';
import { textOf } from './values.ts';

/** A filter has at most 2000 characters: so many references of the greatest length, in quotes. */
const maxReferences = 80;
const maxLength = articleFieldFacts.find(({ name }) => name === 'articleReference')?.max ?? 0;
/** No filter has other ones, and no article either. */
const printable = /^[^\p{Cc}\p{Cs}]+$/u;

/** @returns the key of an article in `existingArticles` */
export function articleKey({ activityCode, articleReference }: AnyRecord): string {
  return JSON.stringify([textOf(activityCode), textOf(articleReference)]);
}

/**
 * Reads those of the articles that exist, of all activities that the person sees.
 * @throws the error of the client
 */
export async function existingArticles(
  client: Client,
  articles: readonly AnyRecord[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, AnyRecord>> {
  const references = [...new Set(articles.map(({ articleReference }) => textOf(articleReference)))].filter(
    (reference) => reference.length <= maxLength && printable.test(reference),
  );
  const found = new Map<string, AnyRecord>();
  for (let start = 0; start < references.length; start += maxReferences) {
    const values = references.slice(start, start + maxReferences).map(quoted);
    const request = { filter: `articleReference=in=(${values.join(',')})`, limit: 200 };
    for await (const article of client.articles.records(request, { signal })) found.set(articleKey(article), article);
  }
  return found;
}

function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
