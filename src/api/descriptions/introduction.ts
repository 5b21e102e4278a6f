// The first page of the reference for developers of clients: how to start, page, follow changes and handle errors. Its
// text is introduction.md.
import { filterLimits } from '../../model/filter.ts';
import { maxPageSize } from '../../model/list-parameters.ts';
import { markdownPage } from '../../http/markdown-page.ts';
import type { Vocabulary } from '../../model/vocabulary.ts';
import { maxArticles } from '../submit-articles.ts';
import { codesSection } from './codes.ts';

/**
 * The text in Markdown.
 * @param baseUrl without a slash at the end
 * @param authUrl without a slash at the end
 * @param vocabulary units and codes to describe
 */
export function introduction(baseUrl: string, authUrl: string, vocabulary: Vocabulary): string {
  const page = new URL('introduction.md', import.meta.url);
  return markdownPage(page, {
    baseUrl,
    authUrl,
    maxPageSize,
    maxFilterLength: filterLimits.length,
    maxArticles,
    codes: codesSection(vocabulary),
  });
}
