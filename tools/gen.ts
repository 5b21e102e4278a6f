// Generates docs/reference from the program itself; with --check it writes nothing, and fails when a file there is
// stale.
import { createSecretKey } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { clientDocument, openApiRoutes } from '../src/api/openapi-routes.ts';
import { createPageCache } from '../src/api/lists.ts';
import { clientRoutes } from '../src/api/routes.ts';
import { createAccountCipher } from '../src/auth/account-cipher.ts';
import { createFeedTurns } from '../src/feeds/feed-turns.ts';
import type { Carrier } from '../src/carriers/carrier.ts';
import { createHost } from '../src/carriers/host.ts';
import { carrierNames, loadCarrier } from '../src/carriers/index.ts';
import { readConfig } from '../src/config.ts';
import { openDocumentStorage } from '../src/documents/open.ts';
import { mappingSchema } from '../src/feeds/mapping/mapping-file.ts';
import type { Json } from '../src/http/openapi.ts';
import { createFeedPlaces } from '../src/platform/feed-places.ts';
import { platformOpenApiRoutes, platformDocument } from '../src/platform/openapi-routes.ts';
import { platformRoutes } from '../src/platform/routes.ts';
import { definitions, resources } from '../src/resources/index.ts';
import { openStore } from '../src/store/open.ts';
import { filtersPage, indexPage, problemsPage, settingsPage } from './reference/pages.ts';
import { carriersPage } from './reference/carriers-page.ts';
import { resourcePage } from './reference/resource-page.ts';

/** Files of the folder that come from benchmark runs and not from the program: see bench/peers. */
const measured: readonly string[] = ['benchmarks.md'];

const generatedBy = 'By tools/gen.ts from src. Do not edit: run npm run gen.';

/** Every generated file, by name. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const { client, platform } = await openApiDocuments();
  return new Map([
    ['README.md', indexPage(resources)],
    ['settings.md', settingsPage()],
    ['problems.md', problemsPage()],
    ['filters.md', filtersPage(resources)],
    ['carriers.md', carriersPage(await allCarriers())],
    ...resources.map((resource) => [`${resource.name}.md`, resourcePage(resource, 'src/resources')] as const),
    ['feed-mapping.schema.json', `${JSON.stringify({ $comment: generatedBy, ...mappingSchema() }, null, 2)}\n`],
    ['openapi.json', `${JSON.stringify(client, null, 2)}\n`],
    ['platform-openapi.json', `${JSON.stringify(platform, null, 2)}\n`],
  ]);
}

async function allCarriers(): Promise<readonly Carrier[]> {
  const loaded = await Promise.all(carrierNames.map(loadCarrier));
  return loaded.filter((carrier) => carrier !== null);
}

/**
 * Compares a folder with its expected content.
 * @returns a line for each file that is stale, missing or superfluous
 */
export function staleFiles(folder: string, files: ReadonlyMap<string, string>): readonly string[] {
  const present = new Set(readdirSync(folder));
  const wrong = [...files]
    .filter(([name, text]) => !present.has(name) || readFileSync(join(folder, name), 'utf8') !== text)
    .map(([name]) => `${name} is ${present.has(name) ? 'stale' : 'missing'}`);
  const superfluous = [...present]
    .filter((name) => !files.has(name) && !measured.includes(name))
    .map((name) => `${name} is not generated any more`);
  return [...wrong, ...superfluous];
}

/** The documents of a service on this machine; its address is a variable, so that tools ask for the real one. */
async function openApiDocuments(): Promise<{ readonly client: unknown; readonly platform: unknown }> {
  const addresses = {
    baseUrl: 'http://localhost:8080/v1',
    authUrl: 'http://localhost:8080',
    platformUrl: 'http://localhost:8080/platform',
  };
  const folder = mkdtempSync(join(tmpdir(), 'logistics-connect-'));
  const store = await openStore({ dataDir: folder, databaseUrl: null }, definitions);
  try {
    const config = readConfig({}, folder);
    const documents = await openDocumentStorage(config, { database: store.epoch, failed: () => undefined });
    const asking = {
      loadCarrier: async () => null,
      callCarrier: createHost({ onCall: () => undefined }),
      cipher: createAccountCipher(config),
      onFault: () => undefined,
    };
    const client = clientRoutes({
      store,
      cursorSecret: createSecretKey('', 'utf8'),
      baseUrl: addresses.baseUrl,
      pages: createPageCache(0),
      now: Date.now,
      documents,
      documentSlugs: config.documentSlugs,
      ...asking,
      labelRetentionDays: config.labelRetentionDays,
    });
    const platform = platformRoutes({
      authUrl: addresses.authUrl,
      store,
      platformUrl: addresses.platformUrl,
      stopping: new AbortController().signal,
      ...{ source: documents, documents, labelRetentionDays: config.labelRetentionDays },
      turns: createFeedTurns(),
      gtinLengths: config.gtinLengths,
      now: Date.now,
      places: createFeedPlaces(config.maxFeeds),
      maxFeedBytes: config.maxFeedMegabytes * 1_048_576,
      readMetrics: async () => [],
      version: '',
      demonstration: () => Promise.reject(new Error('nobody asks for it here')),
      ...asking,
    });
    return {
      client: movable(
        clientDocument([...client, ...openApiRoutes(client, addresses)], addresses),
        'base_url',
        addresses.baseUrl,
      ),
      platform: movable(
        platformDocument([...platform, ...platformOpenApiRoutes(platform, addresses)], addresses),
        'platform_url',
        addresses.platformUrl,
      ),
    };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true });
  }
}

function movable({ openapi, info, servers: _servers, ...rest }: Json, variable: string, standard: string): Json {
  const server = {
    url: `{${variable}}`,
    description: 'Your service.',
    variables: { [variable]: { default: standard, description: 'Base URL of the service.' } },
  };
  return {
    openapi,
    'x-generated': generatedBy,
    info,
    servers: [server],
    ...rest,
  };
}

if (import.meta.main) {
  const folder = fileURLToPath(new URL('../docs/reference/', import.meta.url));
  const files = await generatedFiles();
  mkdirSync(folder, { recursive: true });
  const stale = staleFiles(folder, files);
  if (process.argv.includes('--check')) {
    for (const line of stale) console.error(`docs/reference/${line}`);
    if (stale.length > 0) console.error('Run: npm run gen');
    process.exitCode = stale.length > 0 ? 1 : 0;
  } else {
    for (const name of readdirSync(folder))
      if (!files.has(name) && !measured.includes(name)) rmSync(join(folder, name));
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
    for (const line of stale) console.log(`docs/reference/${line.replace(/ is .*/, '')}`);
  }
}
