// The frame of the pages that this service generates for people: problems, the changelog. One style sheet, no script,
// and a policy that blocks everything else.
import { createHash } from 'node:crypto';

/** Headers of every such page. */
export const webPageHeaders = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style()).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
} as const;

/** Links offered on a page: name and address. */
type Links = readonly (readonly [name: string, address: string])[];

/**
 * A complete page.
 * @param title plain text
 * @param links of the bar at its top
 * @param main HTML
 */
export function webPage(title: string, links: Links, main: string): string {
  const bar = links.map(([name, address]) => `<a href="${escaped(address)}">${escaped(name)}</a>`).join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style()}</style>
</head>
<body>
<header><nav aria-label="This service">
${bar}
</nav></header>
<main>
${main.trim()}
</main>
</body>
</html>
`;
}

/** The pages of an interface that link to each other. */
export function pageLinks(baseUrl: string): Links {
  return [
    ['Reference', `${baseUrl}/docs`],
    ['Problems', `${baseUrl}/problems`],
    ['Changelog', `${baseUrl}/changelog`],
  ];
}

/** Text as HTML, with `code` in backticks. */
export function prose(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function style(): string {
  return `
:root { color-scheme: light dark; --ink: light-dark(#1c2430, #e6e9ee); --soft: light-dark(#566173, #a3adbb);
  --line: light-dark(#d9dee6, #343c48); --accent: light-dark(#0b5cad, #7db7f5); --card: light-dark(#f5f7fa, #1b212a); }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: light-dark(#fff, #14181f);
  font: 1.0625rem/1.6 system-ui, sans-serif; overflow-wrap: break-word; }
header { border-bottom: 1px solid var(--line); background: var(--card); }
header nav { display: flex; flex-wrap: wrap; gap: 0 1.5rem; font-size: .95rem; }
header nav a { padding: .6rem 0; text-decoration: none; }
header nav, main { margin: 0 auto; padding: 0 1.25rem; max-width: 48rem; }
main { padding-top: 1.75rem; padding-bottom: 4rem; }
h1 { margin: .25rem 0 1rem; font-size: 1.75rem; line-height: 1.25; text-wrap: balance; }
h2 { margin: 2.5rem 0 .5rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); font-size: 1.25rem; }
h3 { margin: 1.75rem 0 .5rem; color: var(--soft); font-size: 1.0625rem; }
a { color: var(--accent); }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code { padding: .1em .3em; border-radius: .25em; background: var(--card); font: .9em ui-monospace, monospace;
  overflow-wrap: anywhere; }
ul { padding-left: 1.25rem; } li { margin: .4rem 0; }
.status { display: inline-block; margin: 0; padding: 0 .6rem; border: 1px solid var(--line); border-radius: 1rem;
  color: var(--soft); font-size: .9rem; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .35rem 1rem; margin: 1.5rem 0;
  padding-top: 1rem; border-top: 1px solid var(--line); }
dt { color: var(--soft); } dd { margin: 0; }
.list { margin: 0; padding: 0; list-style: none; }
.list li { margin: 0; padding: .6rem 0; border-bottom: 1px solid var(--line); }
.list p { margin: .1rem 0 0; color: var(--soft); font-size: .975rem; }
@media (max-width: 30rem) { dl { grid-template-columns: minmax(0, 1fr); gap: 0; } dd { margin-bottom: .6rem; } }
`;
}
