// Shows a refusal to a person in a browser: the problem as a page.
import type { IncomingMessage } from 'node:http';
import { type Problem, problems } from '../model/problem.ts';
import { problemTypes, typeChoice } from './negotiate.ts';
import { escaped, pageLinks, prose, webPage } from './web-page.ts';

/**
 * Whether a person opens an address in a browser: it prefers HTML, and accepts XHTML, which programs do not (the HTTP
 * client of Java prefers HTML too).
 */
export function isOpenedByPerson({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  const { accept } = headers;
  return (
    (method === 'GET' || method === 'HEAD') &&
    accept?.includes('application/xhtml+xml') === true &&
    chooseType(accept)?.startsWith('text/html') === true
  );
}

/**
 * The page of a problem.
 * @param traceId identifies the request in the log
 */
export function problemPage(baseUrl: string, problem: Problem, traceId: string): string {
  const { status, title } = problems[problem.slug];
  return webPage(
    title,
    pageLinks(baseUrl),
    `
<p class="status">Status ${status}</p>
<h1>${escaped(title)}</h1>
<p>${withLinks(beyond(title, problem.detail), baseUrl)}</p>
<dl>
<dt>More about it</dt><dd><a href="${escaped(baseUrl)}/problems/${problem.slug}">${problem.slug}</a></dd>
<dt>Trace id</dt><dd><code>${escaped(traceId)}</code></dd>
</dl>
`,
  );
}

const chooseType = typeChoice(['text/html', ...problemTypes, 'application/xhtml+xml']);

/**
 * The detail beyond the title. Only pages of this interface become links; other addresses are for programs, and need a
 * token.
 */
function withLinks(detail: string, baseUrl: string): string {
  const own = escaped(baseUrl);
  return prose(detail)
    .split(/(https?:\/\/[^\s,;]*[^\s,;.:])/)
    .map((part, index) => {
      if (index % 2 === 0) return part;
      const [, page] = part.startsWith(`${own}/`) ? part.slice(own.length).split(/[/?#]/) : [];
      return ['docs', 'problems', 'changelog'].includes(page ?? '')
        ? `<a href="${part}">${part}</a>`
        : `<code>${part}</code>`;
    })
    .join('');
}

function beyond(title: string, detail: string): string {
  return detail.startsWith(`${title} `) ? detail.slice(title.length + 1) : detail;
}
