// Sends the articles of a file in portions, and tells the result of each line.
import type { Client } from '../../../client/src/index.ts';
import type { AnyRecord } from '../list/list-source.ts';
import type { CsvArticle } from './csv.ts';
import { articleKey, existingArticles } from './existing-articles.ts';
import { type ArticleFault, asInput } from './values.ts';

/** Articles per request: the interface accepts 500, and 10 MiB. */
const maxPortion = 200;

export interface JudgedLine extends CsvArticle {
  /** Whether there is no such article yet; null: it was not looked up. */
  readonly isNew: boolean | null;
  readonly faults: readonly ArticleFault[];
}

/**
 * An article that exists keeps what the file has no column for; an empty cell empties its field. Each portion is read
 * anew before it is sent, so that what others changed meanwhile stays too.
 * @param dryRun nothing is written
 * @param onProgress receives the lines that have been answered so far, after each portion
 * @throws the error of the client; lines told of before have been written then, and those of one portion more may have
 */
export async function submitRows(
  client: Client,
  lines: readonly CsvArticle[],
  dryRun: boolean,
  onProgress: (judged: readonly JudgedLine[]) => void,
  signal: AbortSignal,
): Promise<readonly JudgedLine[]> {
  const judged: JudgedLine[] = [];
  for (let start = 0; start < lines.length; start += maxPortion) {
    const portion = lines.slice(start, start + maxPortion);
    const existing = await existingArticles(
      client,
      portion.map(({ article }) => article),
      signal,
    );
    const { errors } = await client.articles.create(
      portion.map(({ article }) => asInput(completed(article, existing.get(articleKey(article))))),
      { dryRun },
      { signal },
    );
    const faults = new Map<number, readonly ArticleFault[]>();
    for (const { code, pointer, detail } of Object.values(errors).flat()) {
      const [, place = '', field = ''] = pointer.split('/');
      const own = faults.get(Number(place)) ?? [];
      faults.set(Number(place), [...own, { code, detail: field === '' ? detail : `${field}: ${detail}` }]);
    }
    judged.push(
      ...portion.map((line, place) => ({
        ...line,
        isNew: !existing.has(articleKey(line.article)),
        faults: faults.get(place) ?? [],
      })),
    );
    onProgress([...judged]);
  }
  return judged;
}

/** @param article null: an empty cell */
function completed(article: AnyRecord, existing: AnyRecord | undefined): AnyRecord {
  if (existing !== undefined) return { ...existing, ...article };
  return Object.fromEntries(Object.entries(article).filter(([, value]) => value !== null));
}
