// In charge of sentences that stand on several lines of source and are one line where people read them.

/**
 * A text without the line breaks and the indentation of the source that it is written in.
 * What is put in with `${…}` stays as it is.
 * @returns the lines joined by single spaces, without blanks at both ends
 */
export function textBlock(texts: TemplateStringsArray, ...values: readonly (string | number | null)[]): string {
  const joined = texts.map((text) => text.replaceAll(/\s*\n\s*/g, ' '));
  const first = joined[0]?.trimStart() ?? '';
  const all = [first, ...joined.slice(1)];
  const last = all.length - 1;
  return all.map((text, index) => (index === last ? text.trimEnd() : `${text}${values[index]}`)).join('');
}
