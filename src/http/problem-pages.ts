// The pages that problem types resolve to: one per entry of the catalogue, and an index; HTML for people, JSON for
// programs.
import { STATUS_CODES } from 'node:http';
import { Problem, type ProblemKind, problems } from '../model/problem.ts';
import { keep } from './compress.ts';
import { jsonTypes, typeChoice } from './negotiate.ts';
import { type Answer, type Parameter, publicRoute, type Route } from './route.ts';
import { escaped, pageLinks, prose, webPage, webPageHeaders } from './web-page.ts';

/** Routes `/problems` and `/problems/{slug}`, to be mounted where the URL is `baseUrl`. */
export function problemPages(baseUrl: string): readonly Route[] {
  const catalogue: ReadonlyMap<string, ProblemKind> = new Map(Object.entries(problems));
  const chooseType = typeChoice(offered);
  const common = { ...publicRoute, produces: offered } as const;
  const entry = (slug: string, { status, title, page }: ProblemKind) => ({
    type: `${baseUrl}/problems/${slug}`,
    status,
    title,
    description: page,
  });
  const made = new Map<string, Buffer>();
  /** @param name of the page in the catalogue */
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

const cacheHeaders = { 'cache-control': 'public, max-age=3600' };
const pageHeaders = { ...cacheHeaders, ...webPageHeaders };

function kindPage(baseUrl: string, slug: string, { status, title, page }: ProblemKind): string {
  return webPage(
    title,
    pageLinks(baseUrl),
    `
<p class="status">Status ${status}</p>
<h1>${escaped(title)}</h1>
<p>${prose(page)}</p>
<dl>
<dt>Type</dt><dd><code>${escaped(baseUrl)}/problems/${slug}</code></dd>
<dt>Status</dt><dd>${status}</dd>
</dl>
<p>The members <code>detail</code> and, on status 400, <code>errors</code> of the answer say what was wrong in your
case. When you ask for help, give its <code>traceId</code>.</p>
`,
  );
}

function indexPage(baseUrl: string, catalogue: ReadonlyMap<string, ProblemKind>): string {
  const statuses = [...Map.groupBy(catalogue, ([, { status }]) => status)].toSorted(([left], [right]) => left - right);
  const sections = statuses.map(([status, kinds]) => {
    const items = kinds.map(
      ([slug, { title }]) =>
        `<li><a href="${escaped(baseUrl)}/problems/${slug}"><code>${slug}</code></a><p>${escaped(title)}</p></li>`,
    );
    return `<h2>${status} ${STATUS_CODES[status] ?? ''}</h2>\n<ul class="list">\n${items.join('\n')}\n</ul>`;
  });
  return webPage(
    'Problems',
    pageLinks(baseUrl),
    `
<h1>Problems</h1>
<p>An answer with a status from 400 up carries a ProblemDetails body (RFC 9457). Its <code>type</code> is the address of
one of these pages, which say what happened and what to do.</p>
${sections.join('\n')}
`,
  );
}
