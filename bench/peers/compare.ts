// Compares the answers of servers field by field before anything is measured: a difference is an error.
import { isObject } from '../../src/model/check.ts';
import type { Subject } from './subject.ts';
import type { PageQuery, Work } from './work.ts';

/** Pages of each kind of work that are compared. */
const comparedPages = 12;

/**
 * Requests the same pages from all of them.
 * @param reference the server whose answers the others must match
 * @throws Error that names server, page, record and field of the first difference
 */
export async function compareAnswers(
  reference: Subject,
  others: readonly Subject[],
  works: readonly Work[],
): Promise<number> {
  let records = 0;
  for (const { name, queries } of works) {
    for (const query of queries.slice(0, comparedPages)) {
      const expected = await answerOf(reference, query);
      records += expected.length;
      for (const subject of others) {
        const found = firstDifference(expected, await answerOf(subject, query), '');
        if (found !== null)
          throw new Error(`${subject.name} answers otherwise than ${reference.name}: ${name}, ${found}`);
      }
    }
  }
  return records;
}

/** Creates a batch of articles at each server, which must accept it. @throws Error that names a server that does not */
export async function compareCreation(subjects: readonly Subject[], body: string): Promise<void> {
  const sent: unknown = JSON.parse(body);
  for (const { name, port, articlesPath, headers } of subjects) {
    if (articlesPath === null) continue;
    const answer = await fetch(`http://127.0.0.1:${port}${articlesPath}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    const text = await answer.text();
    const result: unknown = answer.status === 200 ? JSON.parse(text) : null;
    const passed = isObject(result) && Array.isArray(result.passed) ? result.passed.length : 0;
    if (!Array.isArray(sent) || passed !== sent.length)
      throw new Error(`${name} created ${passed} articles: ${answer.status} ${text.slice(0, 1000)}`);
  }
}

/** A server's records for a query. */
export async function answerOf(
  { name, port, pathOf, headers, recordsOf }: Subject,
  query: PageQuery,
): Promise<readonly unknown[]> {
  const path = pathOf(query);
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${name} answers ${path} with ${answer.status}: ${text.slice(0, 1000)}`);
  return recordsOf(JSON.parse(text));
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/;

/** The first difference between two answers; null when they are equal. Instants are compared by value. */
export function firstDifference(expected: unknown, found: unknown, place: string): string | null {
  if (Array.isArray(expected) && Array.isArray(found)) {
    if (expected.length !== found.length) return `${place}: ${found.length} elements, not ${expected.length}`;
    return firstOf(expected.map((each, index) => firstDifference(each, found[index], `${place}[${index}]`)));
  }
  if (isObject(expected) && isObject(found)) {
    const names = new Set([...Object.keys(expected), ...Object.keys(found)]);
    return firstOf([...names].map((name) => firstDifference(expected[name], found[name], `${place}.${name}`)));
  }
  if (expected === found) return null;
  if (typeof expected === 'string' && typeof found === 'string' && instant.test(expected) && instant.test(found))
    if (Date.parse(expected) === Date.parse(found)) return null;
  return `${place}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`;
}

function firstOf(found: readonly (string | null)[]): string | null {
  return found.find((each) => each !== null) ?? null;
}
