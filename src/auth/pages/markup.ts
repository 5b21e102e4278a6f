// Builds HTML from text: every value in a template is escaped, unless it is markup that was built the same way.

/** Finished HTML; only `html` creates it. */
export interface Markup {
  readonly html: string;
}

/**
 * Template tag. Values must stand in text or between double quotes, never in a tag name, an unquoted attribute, a style
 * sheet or a comment: escaping would not be enough there.
 */
export function html(parts: TemplateStringsArray, ...values: readonly (string | Markup | readonly Markup[])[]): Markup {
  return { html: parts.map((part, index) => part + written(values[index] ?? '')).join('') };
}

/** Replaces `{name}` placeholders in a sentence from a table of texts. */
export function fill(sentence: string, values: Readonly<Record<string, Markup>>): Markup {
  const pieces = sentence.split(/\{(\w+)\}/);
  const filled = pieces.map((piece, index) => (index % 2 === 0 ? html`${piece}` : (values[piece] ?? html`{${piece}}`)));
  return html`${filled}`;
}

/**
 * An address for `href` or `action`: a path of this service, or absolute with http or https.
 * @throws Error for anything else, such as `javascript:`; none of ours has one
 */
export function pageAddress(text: string): string {
  if (!/^(\/(?![/\\])|https?:\/\/)/.test(text)) throw new Error(`A page cannot point to "${text.slice(0, 80)}".`);
  return text;
}

function written(value: string | Markup | readonly Markup[]): string {
  if (typeof value === 'string') return escaped(value);
  return 'html' in value ? value.html : value.map((item) => item.html).join('');
}

/** A raw carriage return would be read as a line feed. */
const references: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\r': '&#13;',
};

/** HTML cannot represent U+0000 and unpaired surrogates: a replacement character takes their place. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\0', '\u{fffd}')
    .replaceAll(/[&<>"'\r]/g, (character) => references[character] ?? '');
}
