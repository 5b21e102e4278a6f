// The self-description of the platform interface, without authentication: OpenAPI document and reference page.
import { staticText } from '../http/static-text.ts';
import { markdownPage } from '../http/markdown-page.ts';
import { type Json, openApiDocument, type Tag } from '../http/openapi.ts';
import { referencePage } from '../http/reference-page.ts';
import { publicRoute, type Route } from '../http/route.ts';
import { componentSchemas } from '../model/schema.ts';
import { vocabularyOf } from '../resources/dictionary.ts';
import { article } from '../resources/index.ts';
import { platformSchemas } from './schemas.ts';

interface PlatformAddresses {
  /** Base URL of the platform interface, without a slash at the end. */
  readonly platformUrl: string;
  /** Base URL of the client interface, under which the problem pages are. */
  readonly baseUrl: string;
}

/** The routes that describe the platform interface, to be mounted with it. */
export function platformOpenApiRoutes(routes: readonly Route[], addresses: PlatformAddresses): readonly Route[] {
  const own: readonly Route[] = [
    ...referencePage({ title: `${title}: reference`, baseUrl: addresses.platformUrl }),
    {
      ...publicRoute,
      conditional: true,
      path: '/openapi.json',
      operationId: 'getOpenApi',
      summary: 'This description',
      description: 'The OpenAPI 3.1 document of the platform interface.',
      produces: ['application/json', 'application/vnd.oai.openapi+json'],
      handle: staticText(async () => JSON.stringify(platformDocument([...routes, ...own], addresses))),
    },
  ];
  return own;
}

/** The OpenAPI document of the platform interface. */
export function platformDocument(routes: readonly Route[], { platformUrl, baseUrl }: PlatformAddresses): Json {
  return openApiDocument({
    routes,
    tags,
    schemas: { ...componentSchemas([article], vocabularyOf(null)), ...platformSchemas(article) },
    examples: {},
    info: {
      title,
      version: 'v1',
      summary: 'For the warehouse side: what clients wrote, and who wrote it.',
      description: introduction,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'Whoever runs this service' },
    },
    baseUrl: platformUrl,
    problemsUrl: baseUrl,
  });
}

const title = 'Logistics Connect: platform interface';

const tags: readonly Tag[] = [
  { name: 'Access', description: 'Who may do what.', paths: ['/me', '/activities', '/users', '/clients', '/keys'] },
  { name: 'Outbox', description: 'What clients wrote and the warehouse is to take in.', paths: ['/outbox'] },
  { name: 'Documents', description: 'Files that clients attached to orders.', paths: ['/documents'] },
  {
    name: 'Feeds',
    description: 'What came in from the warehouse system, and what of it was refused.',
    paths: ['/feeds', '/lineage'],
  },
  { name: 'Stock', description: 'Whether stock adds up.', paths: ['/reconciliation'] },
  {
    name: 'Shipping',
    description: 'Pick-up points, trials of label requests, and labels after they were made.',
    paths: ['/shippings'],
  },
  {
    name: 'Operation',
    description: 'How the service does, and what clients asked for.',
    paths: ['/health', '/requests'],
  },
  {
    name: 'Demonstration',
    description: 'The demonstration warehouse: its clock and its faults.',
    paths: ['/demonstration'],
  },
  { name: 'Audit', description: 'Who wrote what, when, and from where.', paths: ['/audit'] },
  { name: 'Description', description: 'The interface about itself. Needs no key.', paths: ['/docs', '/openapi.json'] },
];

const introduction = markdownPage(new URL('introduction.md', import.meta.url), {}).trimEnd();
