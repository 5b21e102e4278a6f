// What the platform interface says of itself, without a key: OpenAPI document and reference page.
import { fixedText } from '../http/fixed-text.ts';
import { type Json, openApiDocument, type Tag } from '../http/openapi.ts';
import { referencePage } from '../http/reference-page.ts';
import type { Route } from '../http/route.ts';
import { componentSchemas } from '../model/schema.ts';
import { article } from '../resources/index.ts';
import { platformSchemas } from './schemas.ts';

export interface PlatformAddresses {
  /** Base URL of the platform interface, without a slash at the end. */
  readonly platformUrl: string;
  /** Base URL of the client interface, below which the problem pages are. */
  readonly baseUrl: string;
}

/** The routes that describe the platform interface, to be mounted beside it. */
export function platformOpenApiRoutes(routes: readonly Route[], addresses: PlatformAddresses): readonly Route[] {
  const own: readonly Route[] = [
    ...referencePage({ title: `${title}: reference`, baseUrl: addresses.platformUrl }),
    {
      method: 'GET',
      access: 'public',
      rate: 'read',
      listOf: null,
      conditional: true,
      parameters: [],
      path: '/openapi.json',
      operationId: 'getOpenApi',
      summary: 'This description',
      description: 'The OpenAPI 3.1 document of the platform interface.',
      produces: ['application/json', 'application/vnd.oai.openapi+json'],
      handle: fixedText(async () => JSON.stringify(platformDocument([...routes, ...own], addresses))),
    },
  ];
  return own;
}

/** The OpenAPI document of the platform interface. */
export function platformDocument(routes: readonly Route[], { platformUrl, baseUrl }: PlatformAddresses): Json {
  return openApiDocument({
    routes,
    tags,
    schemas: { ...componentSchemas([article]), ...platformSchemas(article) },
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
  { name: 'Outbox', description: 'What clients wrote and the warehouse is to take in.', paths: ['/outbox'] },
  { name: 'Documents', description: 'Files that clients attached to orders.', paths: ['/documents'] },
  { name: 'Audit', description: 'Who wrote what, when, and from where.', paths: ['/audit'] },
  { name: 'Description', description: 'The interface about itself. Needs no key.', paths: ['/docs', '/openapi.json'] },
];

const introduction = `For programs on the side of the warehouse. Each carries a key that the operator makes with
\`./logistics-connect key add NAME --activity CODE\` (or \`--all\`), in the header \`Authorization: Bearer\`. A key opens
this interface alone; the tokens of clients do not. It has the role \`outbox\`, which takes what clients wrote, unless the operator
gives it others with \`--role\`, such as \`audit\` for the audit trail. Without the role of an operation the answer is 403 \`role-missing\`.

## Take what clients wrote

Ask for \`/outbox?consumer=wms&wait=25\`, take the entries in, acknowledge \`position\` at \`/outbox/ack\`, and ask again. The
answer comes as soon as there is an entry, or empty after 25 seconds. Until they are acknowledged the same entries come
again, so nothing is lost when your program stops half way; an entry that you have taken in already has the same \`position\`.

Entries of one activity come in the order in which they were written, each write once. A position names the last entry of
each activity, such as \`ACM:1042,BIO:77\`. Consumers of different names stand side by side, each at its own position.

A consumer belongs to no key. Two keys that give the same name take turns at one position, each within its own activities: so
a new key goes on where the old one stopped. A key that gives no name has a consumer of its own, called by the id of the key.
What a consumer has not acknowledged is kept until it does, or until the operator forgets it: \`outbox forget NAME\`.

## Follow the audit trail

Ask for \`/audit\`, and go on with \`after\` of each answer; where the trail ends, the answer has no entries.
Entries come in the order in which the writes took effect. One that is written while you read comes after all that you have.`;
