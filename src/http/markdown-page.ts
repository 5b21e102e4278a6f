// Texts of more than a paragraph, kept in Markdown files next to the code that publishes them.
import { readFileSync } from 'node:fs';

/**
 * The text of a file as it is published.
 * @param values the replacement for each `${name}`
 * @throws Error for a name without a value, and for a value without a place
 */
export function markdownPage(file: URL, values: Readonly<Record<string, string | number>>): string {
  const unused = new Set(Object.keys(values));
  const text = readFileSync(file, 'utf8').replaceAll(/\$\{(\w+)\}/g, (_place, name: string) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (value === undefined) throw new Error(`${file.pathname} names ${name}, for which there is no value.`);
    unused.delete(name);
    return String(value);
  });
  if (unused.size > 0) throw new Error(`${file.pathname} does not name ${[...unused].join(', ')}.`);
  return text;
}
