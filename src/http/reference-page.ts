// The API reference page: Swagger UI from this machine only, with our own start script and style sheet.
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { Problem } from '../model/problem.ts';
import { keep } from './compress.ts';
import { matches, notModified } from './conditional.ts';
import { contentType } from './negotiate.ts';
import { pagePolicy } from './page-policy.ts';
import { type Answer, publicRoute, type Route } from './route.ts';

interface ReferencePage {
  readonly title: string;
  /** Of the described interface, against which requests are tried out. Without a slash at the end. */
  readonly baseUrl: string;
  /** Where readers of the page can sign in for that; absent: nobody can. */
  readonly authUrl?: string;
  /** Id of the client under which readers may sign in, entered for them; null: they enter it. Absent: nobody may. */
  readonly signInClient?: () => Promise<string | null>;
}

/**
 * Routes `/docs` and `/docs/{file}`, to be mounted where the URL is `baseUrl`, beside `/openapi.json`. The page refers
 * to everything by relative addresses, and its policy prevents a browser from loading anything from elsewhere.
 */
export function referencePage(page: ReferencePage): readonly Route[] {
  const policy = {
    'content-security-policy': pagePolicy([page.baseUrl, page.authUrl ?? page.baseUrl]),
    'referrer-policy': 'no-referrer',
  };
  const loaded = new Map<string, Promise<Part>>();
  const part = (name: PartName): Promise<Part> => {
    const known = loaded.get(name) ?? load(name);
    loaded.set(name, known);
    return known;
  };
  return [
    {
      ...publicRoute,
      path: '/docs',
      operationId: 'getReferencePage',
      summary: 'This reference, to read and try out',
      parameters: [],
      description: 'The page in which a browser shows this description.',
      produces: ['text/html'],
      handle: async () => {
        const [clientId, styleParts, scriptParts] = await Promise.all([
          page.signInClient?.() ?? null,
          Promise.all((['swagger-ui.css', 'page.css'] as const).map(part)),
          Promise.all(scripts.map(part)),
        ]);
        return {
          status: 200,
          headers: { ...policy, 'cache-control': 'no-cache' },
          body: html(page.title, clientId, styleParts, scriptParts),
          type: null,
        };
      },
    },
    {
      ...publicRoute,
      conditional: true,
      path: '/docs/{file}',
      operationId: 'getReferencePart',
      summary: 'A part of the reference page',
      parameters: [
        {
          name: 'file',
          in: 'path',
          required: true,
          meaning: 'Name of the part.',
          schema: { type: 'string', enum: Object.keys(sources) },
          example: 'start.js',
        },
      ],
      description: 'Scripts and style sheets of the reference page.',
      produces: [...new Set(Object.values(sources).map(({ type }) => type))],
      handle: async (call): Promise<Answer> => {
        const name = call.params.file ?? '';
        if (!isPartName(name)) throw new Problem('resource-not-found', 'The reference page has no such part.');
        const { bytes, version } = await part(name);
        const etag = `"${version}"`;
        // The page names the version that it needs: the content at that address never changes.
        const headers = {
          ...policy,
          etag,
          'cache-control': call.queryText === `v=${version}` ? 'public, max-age=31536000, immutable' : 'no-cache',
        };
        if (matches(call.header('if-none-match'), etag)) return notModified(etag, headers);
        return { status: 200, headers, body: bytes, type: contentType(sources[name].type) };
      },
    },
  ];
}

interface Part {
  readonly name: PartName;
  readonly bytes: Buffer;
  readonly version: string;
}

type PartName = keyof typeof sources;

/** In the order in which they run. */
const scripts = [
  'swagger-ui-bundle.js',
  'local-references.js',
  'guide.js',
  'contents.js',
  'own-token.js',
  'accessible-names.js',
  'start.js',
] as const;

const viewer = new URL('static/', import.meta.resolve('@fastify/swagger-ui/package.json'));
const own = new URL('reference-page/', import.meta.url);

const sources = {
  'swagger-ui.css': { folder: viewer, type: 'text/css' },
  'swagger-ui-bundle.js': { folder: viewer, type: 'text/javascript' },
  'oauth2-redirect.html': { folder: viewer, type: 'text/html' },
  'oauth2-redirect.js': { folder: viewer, type: 'text/javascript' },
  'page.css': { folder: own, type: 'text/css' },
  'local-references.js': { folder: own, type: 'text/javascript' },
  'guide.js': { folder: own, type: 'text/javascript' },
  'contents.js': { folder: own, type: 'text/javascript' },
  'own-token.js': { folder: own, type: 'text/javascript' },
  'accessible-names.js': { folder: own, type: 'text/javascript' },
  'start.js': { folder: own, type: 'text/javascript' },
} as const;

function isPartName(name: string): name is PartName {
  return Object.hasOwn(sources, name);
}

async function load(name: PartName): Promise<Part> {
  const bytes = keep(await readFile(new URL(name, sources[name].folder)));
  return { name, bytes, version: hash('sha1', bytes, 'base64url') };
}

/** @param clientId without characters that have a special meaning in HTML */
function html(
  title: string,
  clientId: string | null,
  styleParts: readonly Part[],
  scriptParts: readonly Part[],
): string {
  const address = ({ name, version }: Part): string => `docs/${name}?v=${version}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
${styleParts.map((part) => `<link rel="stylesheet" href="${address(part)}">`).join('\n')}
${scriptParts.map((part) => `<script defer src="${address(part)}"></script>`).join('\n')}
</head>
<body>
<nav aria-label="Contents"><details id="contents" hidden><summary>Contents</summary><div></div></details></nav>
<main id="reference"${clientId === null ? '' : ` data-client-id="${clientId}"`}></main>
<noscript>This page needs JavaScript. The same description as a file:
<a href="openapi.json">openapi.json</a>.</noscript>
</body>
</html>
`;
}
