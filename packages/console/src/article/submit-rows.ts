// Sends the articles of a file in portions, and returns the result of each line.
import type { Client } from '../../../client/src/index.ts';
import type { CsvArticle } from './csv.ts';
import { type ArticleFault, asInput } from './values.ts';

/** Articles per request: the interface accepts 500, and 10 MiB. */
const maxPortion = 200;

export interface JudgedLine extends CsvArticle {
  readonly faults: readonly ArticleFault[];
}

/**
 * Separates lines with the same article: each would be refused as a duplicate.
 * @param dryRun nothing is written
 * @throws the error of the client; lines sent before have been written then
 */
export async function submitRows(
  client: Client,
  lines: readonly CsvArticle[],
  dryRun: boolean,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<readonly JudgedLine[]> {
  const judged: JudgedLine[] = [];
  for (let start = 0; start < lines.length; start += maxPortion) {
    const portion = lines.slice(start, start + maxPortion);
    const { errors } = await client.articles.create(
      portion.map(({ article }) => asInput(article)),
      { dryRun },
      { signal },
    );
    const faults = new Map<number, readonly ArticleFault[]>();
    for (const { code, pointer, detail } of Object.values(errors).flat()) {
      const [, place = '', field = ''] = pointer.split('/');
      const own = faults.get(Number(place)) ?? [];
      faults.set(Number(place), [...own, { code, detail: field === '' ? detail : `${field}: ${detail}` }]);
    }
    judged.push(...portion.map((line, place) => ({ ...line, faults: faults.get(place) ?? [] })));
    onProgress(judged.length);
  }
  return judged;
}
