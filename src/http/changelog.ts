// The changelog under the base URL: the raw file for programs, a page for people.
import { readFile } from 'node:fs/promises';
import { staticText } from './static-text.ts';
import { markdownToHtml } from './markdown-html.ts';
import { typeChoice } from './negotiate.ts';
import { publicRoute, type Route } from './route.ts';
import { pageLinks, webPage, webPageHeaders } from './web-page.ts';

/** Route `/changelog`, to be mounted where the URL is `baseUrl`. */
export function changelogRoute(file: URL, baseUrl: string): Route {
  const text = staticText(() => readFile(file, 'utf8'));
  const page = staticText(async () =>
    webPage('Changelog', pageLinks(baseUrl), markdownToHtml(await readFile(file, 'utf8'))),
  );
  const chooseType = typeChoice(offered);
  return {
    ...publicRoute,
    path: '/changelog',
    operationId: 'getChangelog',
    conditional: true,
    summary: 'Changelog',
    description: 'What changed in the interface, newest version first: Markdown for programs, a page for people.',
    produces: offered,
    handle: async (call) => {
      const type = chooseType(call.header('accept'));
      if (type?.startsWith('text/html') !== true) return text(call);
      const answer = await page(call);
      return { ...answer, headers: { ...answer.headers, ...webPageHeaders } };
    },
  };
}

const offered = ['text/markdown', 'text/plain', 'text/html'] as const;
