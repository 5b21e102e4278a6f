// The pages that problem types resolve to: one per entry of the catalogue, and an index; for people as HTML, for
// programs as JSON.
import { createHash } from 'node:crypto';
import { Problem, type ProblemKind, problems } from '../model/problem.ts';
import { keep } from './compress.ts';
import { jsonTypes, typeChoice } from './negotiate.ts';
import type { Answer, Parameter, Route } from './route.ts';

/** Routes `/problems` and `/problems/{slug}`, to be mounted where the URL is `baseUrl`. */
export function problemPages(baseUrl: string): readonly Route[] {
  const catalogue: ReadonlyMap<string, ProblemKind> = new Map(Object.entries(problems));
  const chooseType = typeChoice(offered);
  const common = { method: 'GET', access: 'public', rate: 'read', listOf: null, produces: offered } as const;
  const entry = (slug: string, { status, title, page }: ProblemKind) => ({
    type: `${baseUrl}/problems/${slug}`,
    status,
    title,
    description: page,
  });
  const made = new Map<string, Buffer>();
  /** @param name of what is answered, a page of the catalogue */
  const answer = (name: string, accept: string | undefined, html: () => string, json: () => unknown): Answer => {
    const type = chooseType(accept) ?? '';
    const isPage = type.startsWith('text/html');
    const body = made.get(`${name} ${isPage}`) ?? keep(Buffer.from(isPage ? html() : JSON.stringify(json())));
    made.set(`${name} ${isPage}`, body);
    return { status: 200, headers: isPage ? pageHeaders : cacheHeaders, body, type };
  };
  return [
    {
      ...common,
      path: '/problems',
      operationId: 'listProblems',
      summary: 'Catalogue of problems',
      parameters: [],
      description: 'Every type of problem that an answer of the service can carry.',
      handle: async (call) =>
        answer(
          '',
          call.header('accept'),
          () => indexPage(baseUrl, catalogue),
          () => [...catalogue].map(([slug, kind]) => entry(slug, kind)),
        ),
    },
    {
      ...common,
      path: '/problems/{slug}',
      operationId: 'getProblem',
      summary: 'Explanation of a problem',
      parameters: [slugParameter],
      description: 'What the `type` of a ProblemDetails answer resolves to: cause and remedy.',
      handle: async (call) => {
        const slug = call.params.slug ?? '';
        const kind = catalogue.get(slug);
        if (kind === undefined)
          throw new Problem(
            'resource-not-found',
            `There is no problem of that name. ${baseUrl}/problems lists them all.`,
          );
        return answer(
          slug,
          call.header('accept'),
          () => kindPage(baseUrl, slug, kind),
          () => entry(slug, kind),
        );
      },
    },
  ];
}

const offered = ['text/html', ...jsonTypes];

const slugParameter: Parameter = {
  name: 'slug',
  in: 'path',
  required: true,
  meaning: 'Last segment of the problem type.',
  schema: { type: 'string', pattern: '^[a-z0-9-]+$', maxLength: 64 },
  example: 'invalid-filter',
};

const style = `
:root { color-scheme: light dark; --ink: light-dark(#1c2430, #e6e9ee); --soft: light-dark(#566173, #a3adbb);
  --line: light-dark(#d9dee6, #343c48); --accent: light-dark(#0b5cad, #7db7f5); }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 3rem 1.25rem; max-width: 46rem; color: var(--ink);
  background: light-dark(#fff, #14181f); font: 1.0625rem/1.6 system-ui, sans-serif; }
h1 { margin: .25rem 0 1rem; font-size: 1.75rem; line-height: 1.25; text-wrap: balance; }
h2 { margin: 2rem 0 .5rem; font-size: 1.0625rem; color: var(--soft); }
a { color: var(--accent); }
code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
.status { display: inline-block; padding: 0 .6rem; border: 1px solid var(--line); border-radius: 1rem;
  color: var(--soft); font-size: .9rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem; margin: 1.5rem 0; padding-top: 1rem;
  border-top: 1px solid var(--line); }
dt { color: var(--soft); } dd { margin: 0; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .5rem .75rem .5rem 0; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--soft); font-weight: 500; }
nav { font-size: .95rem; }
`;

const cacheHeaders = { 'cache-control': 'public, max-age=3600' };

const pageHeaders = {
  ...cacheHeaders,
  // Nothing but our own style sheet may act on the page; its hash is the proof.
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
};

function kindPage(baseUrl: string, slug: string, { status, title, page }: ProblemKind): string {
  return document(
    title,
    `
<nav aria-label="Breadcrumb"><a href="${escaped(baseUrl)}/problems">All problems</a></nav>
<main>
<p class="status">Status ${status}</p>
<h1>${escaped(title)}</h1>
<p>${prose(page)}</p>
<dl>
<dt>Type</dt><dd><code>${escaped(baseUrl)}/problems/${slug}</code></dd>
<dt>Status</dt><dd>${status}</dd>
</dl>
<p>The members <code>detail</code> and, on status 400, <code>errors</code> of the answer say what was wrong in your
case. When you ask for help, give its <code>traceId</code>.</p>
</main>`,
  );
}

function indexPage(baseUrl: string, catalogue: ReadonlyMap<string, ProblemKind>): string {
  const rows = [...catalogue].map(
    ([slug, { status, title }]) =>
      `<tr><td>${status}</td><td><a href="${escaped(baseUrl)}/problems/${slug}"><code>${slug}</code></a></td><td>` +
      `${escaped(title)}</td></tr>`,
  );
  return document(
    'Problems',
    `
<main>
<h1>Problems</h1>
<p>An answer with a status from 400 up carries a ProblemDetails body (RFC 9457). Its <code>type</code> is the address of
one of these pages.</p>
<table>
<thead><tr><th scope="col">Status</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</main>`,
  );
}

function document(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>${body}
</body>
</html>
`;
}

/** Catalogue text: `code` in backticks. */
function prose(text: string): string {
  return escaped(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
