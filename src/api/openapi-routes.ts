// The self-description of the client interface, without authentication: OpenAPI document, reference page, changelog,
// problem pages.
import { changelogRoute } from '../http/changelog.ts';
import { staticText } from '../http/static-text.ts';
import { type Json, openApiDocument, type Tag } from '../http/openapi.ts';
import { problemPages } from '../http/problem-pages.ts';
import { referencePage } from '../http/reference-page.ts';
import { type Addresses, publicRoute, type Route } from '../http/route.ts';
import { operationSchema } from '../model/operation.ts';
import { componentSchemas, inputSchemas } from '../model/schema.ts';
import type { Vocabulary } from '../model/vocabulary.ts';
import { vocabularyOf } from '../resources/dictionary.ts';
import { article, resources } from '../resources/index.ts';
import { vocabularyExtensions } from './descriptions/codes.ts';
import { documentSchemas } from './descriptions/documents.ts';
import { introduction } from './descriptions/introduction.ts';
import { listDescription } from './descriptions/lists.ts';
import { isListOperation } from './list-endpoints.ts';
import { shippingSchemas } from './shipping/label-schemas.ts';

/** What the description needs from the running program; called at the first request. */
interface DescriptionSources {
  /** Client id for the reference page. */
  readonly signInClient?: () => Promise<string | null>;
  /** Units and codes to describe. */
  readonly vocabulary?: () => Promise<Vocabulary>;
}

/**
 * The routes that describe the interface, to be mounted with it. Their responses are created at the first request.
 * @param routes of the client interface, in display order
 */
export function openApiRoutes(
  routes: readonly Route[],
  addresses: Addresses,
  { signInClient = async () => null, vocabulary = async () => vocabularyOf(null) }: DescriptionSources = {},
): readonly Route[] {
  const own: readonly Route[] = [
    ...referencePage({ title: `${title}: reference`, ...addresses, signInClient }),
    {
      ...publicRoute,
      conditional: true,
      path: '/openapi.json',
      operationId: 'getOpenApi',
      summary: 'This description',
      description: 'The OpenAPI 3.1 document of the interface.',
      produces: ['application/json', 'application/vnd.oai.openapi+json'],
      handle: staticText(async () =>
        JSON.stringify(clientDocument([...routes, ...own], addresses, await vocabulary())),
      ),
    },
    changelogRoute(new URL('../../CHANGELOG.md', import.meta.url), addresses.baseUrl),
    ...problemPages(addresses.baseUrl),
  ];
  return own;
}

/** The OpenAPI document of the client interface. */
export function clientDocument(
  routes: readonly Route[],
  { baseUrl, authUrl }: Addresses,
  vocabulary: Vocabulary = vocabularyOf(null),
): Json {
  return openApiDocument({
    routes: routes.map((route) => withVocabulary(route, vocabulary)),
    tags,
    schemas: {
      ...componentSchemas(resources, vocabulary),
      ...inputSchemas(article, vocabulary),
      ...documentSchemas,
      OperationResult: operationSchema,
      ...shippingSchemas,
    },
    examples: Object.fromEntries(resources.map(({ record, example }) => [record, example])),
    info: {
      title,
      version: 'v1',
      summary: 'Articles, stock, movements, orders and procurements of a logistics platform.',
      description: introduction(baseUrl, authUrl, vocabulary),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      contact: { name: 'Whoever runs this service' },
    },
    baseUrl,
    authUrl,
    extensions: vocabularyExtensions(vocabulary),
  });
}

/** Parameters that are named like fields are explained with the vocabulary of the record. */
function withVocabulary(route: Route, vocabulary: Vocabulary): Route {
  const { operationId } = route;
  return isListOperation(operationId)
    ? { ...route, parameters: listDescription(operationId, vocabulary).parameters }
    : route;
}

const title = 'Logistics Connect';

const tags: readonly Tag[] = [
  {
    name: 'Articles',
    description: 'What the warehouse keeps: master data, quantities in stock, and every movement of stock.',
    paths: ['/articles'],
  },
  {
    name: 'Orders',
    description: 'What is to be shipped to customers, and what was prepared and shipped.',
    paths: ['/orders'],
  },
  {
    name: 'Procurements',
    description: 'What is expected from suppliers, and what was received.',
    paths: ['/procurements'],
  },
  { name: 'Shipping', description: 'Labels of carriers, and where their parcels are.', paths: ['/shippings'] },
  {
    name: 'Description',
    description: 'The interface about itself. Needs no token.',
    paths: ['/docs', '/openapi.json', '/changelog', '/problems'],
  },
];
