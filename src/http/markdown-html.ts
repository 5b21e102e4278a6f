// Converts the Markdown of the changelog into HTML: headings, paragraphs, lists, code and links, which is all that it
// uses.
import { escaped } from './web-page.ts';

/**
 * The text as HTML. Anything else appears literally; no HTML is passed through. Only links to absolute addresses are
 * kept: a link into the repository leads nowhere from a page, and is replaced by its text.
 */
export function markdownToHtml(text: string): string {
  const blocks = text.replaceAll('\r\n', '\n').split(/\n{2,}|\n(?=#{1,6} )|(?<=^#{1,6} .*)\n/m);
  return blocks
    .filter((block) => block.trim() !== '')
    .map(blockToHtml)
    .join('\n');
}

function blockToHtml(block: string): string {
  const [, marks, title] = /^(#{1,6}) +(.+)$/.exec(block.trim()) ?? [];
  if (marks !== undefined && title !== undefined)
    return `<h${marks.length}>${inline(title.replaceAll(/\[([^\]]+)\](?!\()/g, '$1'))}</h${marks.length}>`;
  if (/^[-*] /.test(block)) {
    const items = block
      .trim()
      .slice(2)
      .split(/\n[-*] /);
    return `<ul>\n${items.map((item) => `<li>${inline(item)}</li>`).join('\n')}\n</ul>`;
  }
  return `<p>${inline(block)}</p>`;
}

/** Code is separated first: its content is not interpreted. */
function inline(text: string): string {
  return text
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .split(/(`[^`]+`)/)
    .map((part) => (/^`[^`]+`$/.test(part) ? `<code>${escaped(part.slice(1, -1))}</code>` : linked(part)))
    .join('');
}

function linked(text: string): string {
  return escaped(text)
    .replaceAll(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/\[([^\]]+)\]\(([^()\s]+)\)/g, (_all, name: string, address: string) =>
      /^https?:\/\//.test(address) ? `<a href="${address}">${name}</a>` : name,
    );
}
