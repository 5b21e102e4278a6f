// Joins sentences that span several source lines into one line for readers.

/**
 * Removes the line breaks and indentation of the source from a text. Values inserted with `${…}` are left as they are.
 * @returns the lines joined by single spaces, trimmed at both ends
 */
export function textBlock(texts: TemplateStringsArray, ...values: readonly (string | number | null)[]): string {
  const joined = texts.map((text) => text.replaceAll(/\s*\n\s*/g, ' '));
  const first = joined[0]?.trimStart() ?? '';
  const all = [first, ...joined.slice(1)];
  const last = all.length - 1;
  return all.map((text, index) => (index === last ? text.trimEnd() : `${text}${values[index]}`)).join('');
}
