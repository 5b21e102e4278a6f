// Parses the query text into decoded pairs: form encoding, with order and repetition preserved.
import { textBlock } from '../model/text-block.ts';
import type { QueryPair } from '../model/cursor.ts';
import { Problem } from '../model/problem.ts';
import { excerpt } from '../model/text.ts';

/**
 * Parses the query text (without `?`). `+` is a space, `;` is an ordinary character, empty segments are skipped, a name
 * without `=` has the value ''.
 * @throws Problem `invalid-parameter` when percent-encoding is malformed or not UTF-8
 */
export function queryPairs(text: string): readonly QueryPair[] {
  if (text === '') return none;
  const pairs: QueryPair[] = [];
  for (const segment of text.split('&')) {
    if (segment === '') continue;
    const equals = segment.indexOf('=');
    const name = equals === -1 ? segment : segment.slice(0, equals);
    const value = equals === -1 ? '' : segment.slice(equals + 1);
    pairs.push([decoded(name, name), decoded(value, name)]);
  }
  return pairs;
}

const none: readonly QueryPair[] = [];

function decoded(text: string, parameter: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    const sentence = textBlock`
        The percent-encoding is broken: after % come two hexadecimal digits, and the bytes are UTF-8. A percent sign
        itself is written %25.
      `;
    const shown = excerpt(parameter);
    throw new Problem('invalid-parameter', `Parameter ${shown}: ${sentence}`, { errors: { [shown]: [sentence] } });
  }
}
