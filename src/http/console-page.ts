// The web console: a page at `/` that refers to its script and style sheet, and the files of both from
// packages/console/dist.
import { hash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { Problem } from '../model/problem.ts';
import type { Units } from '../model/units.ts';
import { keep } from './compress.ts';
import { matches, notModified } from './conditional.ts';
import { contentType } from './negotiate.ts';
import { pagePolicy } from './page-policy.ts';
import { type Addresses, type Answer, type Call, publicRoute, type Route } from './route.ts';
import { escaped } from './web-page.ts';

interface ConsolePage extends Addresses {
  readonly platformUrl: string;
  /** Version of the program. */
  readonly version: string;
  /** Of what is measured in the warehouse. */
  readonly units: Units;
  /** Id of the client under which the console signs in; null: nobody can. Null instead of the function: no console. */
  readonly clientId: (() => Promise<string | null>) | null;
  /** Whether there is a demonstration, which has a page of its own. */
  readonly hasDemonstration: () => Promise<boolean>;
}

const built = new URL('../../packages/console/dist/', import.meta.url);
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript',
  mjs: 'text/javascript',
  css: 'text/css',
  woff2: 'font/woff2',
  md: 'text/markdown',
};

/** Such a name changes with what is in the file. */
const hasHash = /-[\w-]{8}\.\w+$/;

/**
 * `GET /` and `GET /console/{file}`, to be mounted without a prefix. A browser gets the console; a program that does
 * not ask for HTML is redirected to the reference page, and so is everybody when there is no console.
 */
export function consoleRoutes(page: ConsolePage): readonly Route[] {
  let loading: Promise<ReadonlyMap<string, Part>> | null = null;
  const parts = (): Promise<ReadonlyMap<string, Part>> => {
    loading ??= loadParts();
    return loading;
  };
  const rootRoute: Route = {
    ...publicRoute,
    path: '/',
    operationId: 'getRootPage',
    parameters: [],
    summary: 'The web console',
    description: 'The console for browsers; others are led to the reference page.',
    produces: ['text/html', 'application/json'],
    handle: async (call) => {
      const entry = page.clientId !== null && wantsPage(call) ? entryIn(await parts()) : null;
      if (entry === null || page.clientId === null) return toReference(page);
      const [clientId, hasDemonstration] = await Promise.all([page.clientId(), page.hasDemonstration()]);
      return shown(page, entry, { clientId, hasDemonstration });
    },
  };
  return [rootRoute, partRoute(parts)];
}

interface Part {
  readonly bytes: Buffer;
  readonly type: string;
  readonly etag: string;
}

interface Entry {
  readonly script: string;
  readonly styles: readonly string[];
}

function partRoute(parts: () => Promise<ReadonlyMap<string, Part>>): Route {
  return {
    ...publicRoute,
    conditional: true,
    path: '/console/{file}',
    operationId: 'getConsolePart',
    summary: 'A part of the console',
    parameters: [
      {
        ...{ name: 'file', in: 'path', required: true, meaning: 'Name of the part.' },
        schema: { type: 'string', maxLength: 100 },
      },
    ],
    description: 'Scripts, style sheets and fonts of the console.',
    produces: [...new Set(Object.values(types))],
    handle: async (call): Promise<Answer> => {
      const part = (await parts()).get(call.params.file ?? '');
      if (part === undefined || part.type === '')
        throw new Problem('resource-not-found', 'The console has no such part.');
      const headers = {
        etag: part.etag,
        'cache-control': hasHash.test(call.params.file ?? '') ? 'public, max-age=31536000, immutable' : 'no-cache',
        // A worker obeys its own policy, not that of the page: it loads its parts from here alone.
        'content-security-policy': "default-src 'none'; script-src 'self'; frame-ancestors 'none'",
      };
      if (matches(call.header('if-none-match'), part.etag)) return notModified(part.etag, headers);
      return { status: 200, headers, body: part.bytes, type: contentType(part.type) };
    },
  };
}

async function loadParts(): Promise<ReadonlyMap<string, Part>> {
  const names = await readdir(built);
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<readonly [string, Part]> => {
        const bytes = keep(await readFile(new URL(name, built)));
        const type = types[name.replace(/^.*\./, '')] ?? '';
        return [name, { bytes, type, etag: `"${hash('sha1', bytes, 'base64url')}"` }];
      }),
    ),
  );
}

/** Null when the console has not been built. */
function entryIn(parts: ReadonlyMap<string, Part>): Entry | null {
  const manifest = parts.get('manifest.json');
  return manifest === undefined ? null : JSON.parse(manifest.bytes.toString());
}

function wantsPage(call: Call): boolean {
  return /\btext\/html\b/.test(call.header('accept') ?? '');
}

function toReference({ baseUrl }: Addresses): Answer {
  const headers = { location: `${baseUrl}/docs`, 'cache-control': 'no-cache' };
  return { status: 302, headers, body: null, type: null };
}

/** The current state according to storage. */
interface FoundFile {
  readonly clientId: string | null;
  readonly hasDemonstration: boolean;
}

function shown(page: ConsolePage, entry: Entry, found: FoundFile): Answer {
  const nonce = randomBytes(18).toString('base64url');
  const headers = {
    'content-security-policy': contentSecurityPolicy(page, nonce),
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': 'no-store',
  };
  return { status: 200, headers, body: html(page, entry, found, nonce), type: 'text/html; charset=utf-8' };
}

/** The component library adds styles too, allowed by a nonce for each response. */
function contentSecurityPolicy({ baseUrl, authUrl, platformUrl }: ConsolePage, nonce: string): string {
  return pagePolicy([baseUrl, authUrl, platformUrl], { styles: [`'nonce-${nonce}'`], directives: ["font-src 'self'"] });
}

/** By measure. An amount of money is left out: it has the currency of its record. */
function unitCodes({ weight, length, volume, capacity }: Units): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries({ weight, length, volume, capacity }).map(([measure, unit]) => [measure, unit?.code ?? '']),
  );
}

function html(page: ConsolePage, { script, styles }: Entry, found: FoundFile, nonce: string): string {
  const facts = Object.entries({
    'base-url': page.baseUrl,
    'auth-url': page.authUrl,
    'platform-url': page.platformUrl,
    'client-id': found.clientId ?? '',
    version: page.version,
    units: JSON.stringify(unitCodes(page.units)),
    demonstration: String(found.hasDemonstration),
  }).map(([name, value]) => ` data-${name}="${escaped(value)}"`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Logistics Connect</title>
<link rel="icon" href="data:,">
${styles.map((name) => `<link rel="stylesheet" href="/console/${name}">`).join('\n')}
<script type="module" src="/console/${script}"></script>
</head>
<body>
<div id="console" nonce="${nonce}"${facts.join('')}></div>
<noscript>The console needs JavaScript. The interface is described at
<a href="${escaped(page.baseUrl)}/docs">${escaped(page.baseUrl)}/docs</a>.</noscript>
</body>
</html>
`;
}
