// The OpenAPI 3.1 description of a route table: every operation with its parameters, headers, responses and examples.
import { textBlock } from '../model/text-block.ts';
import { answersOf, isConditional, type ProblemPlace, sharedAnswers } from './openapi/answers.ts';
import { responseHeaders } from './openapi/headers.ts';
import { problemDetails } from './openapi/problem-details.ts';
import { requestBodyOf } from './openapi/request-body.ts';
import { ownSecurity, securityOf, securitySchemes } from './openapi/security.ts';
import type { Parameter, Route } from './route.ts';

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>;

/** A group of operations: all whose path is one of `paths` or below it. The first matching group applies. */
export interface Tag {
  readonly name: string;
  readonly description: string;
  readonly paths: readonly string[];
}

/** The input of a description. */
export interface Description {
  /** In display order; paths are relative to `baseUrl`. */
  readonly routes: readonly Route[];
  readonly tags: readonly Tag[];
  /**
   * Schemas by record name, which refer to each other as `#/components/schemas/<name>`; those that no route needs are
   * left out.
   */
  readonly schemas: Readonly<Record<string, Json>>;
  /** An example of each record that a route lists, by record name. */
  readonly examples: Readonly<Record<string, unknown>>;
  /** The Info object. */
  readonly info: Json;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Where access tokens are issued; required if a route needs one. */
  readonly authUrl?: string;
  /** URL under which the problem pages are; default: `baseUrl`. */
  readonly problemsUrl?: string;
  /** Members of the document whose names begin with `x-`. */
  readonly extensions?: Json;
}

/**
 * Makes the document as plain data, ready for `JSON.stringify`.
 * @throws Error for a route that belongs to no tag or refers to an unknown schema: a bug
 */
export function openApiDocument(description: Description): Json {
  const { routes, tags, schemas, examples, info, baseUrl } = description;
  const shared = sharedParameters(routes);
  const paths = Map.groupBy(routes, (route) => route.path);
  const place: ProblemPlace = {
    pages: description.problemsUrl ?? baseUrl,
    instance: new URL(baseUrl).pathname.replace(/\/$/, '') + (routes[0]?.path ?? '').replaceAll(/[{}]/g, ''),
  };
  const document = {
    openapi: '3.1.0',
    info,
    servers: [{ url: baseUrl, description: 'This service.' }],
    security: securityOf(routes),
    tags: tags.map(({ name, description }) => ({ name, description })),
    paths: Object.fromEntries(
      [...paths].map(([path, own]) => [
        path,
        Object.fromEntries(
          own.map((route) => [route.method.toLowerCase(), operation(route, { description, shared, place })]),
        ),
      ]),
    ),
  };
  const components = {
    schemas: { ...schemas, ProblemDetails: problemDetails },
    examples: Object.fromEntries(
      Object.entries(examples).map(([name, example]) => [name, { summary: `One ${name}`, value: [example] }]),
    ),
    parameters: Object.fromEntries([...shared].map(([name, parameter]) => [name, described(parameter)])),
    headers: responseHeaders,
    responses: sharedAnswers(place),
  };
  return {
    ...document,
    ...description.extensions,
    components: {
      ...usedComponents(document, components),
      securitySchemes: securitySchemes(routes, description.authUrl),
    },
  };
}

interface Context {
  readonly description: Description;
  readonly shared: ReadonlyMap<string, Parameter>;
  readonly place: ProblemPlace;
}

function operation(route: Route, { description: { routes, tags, schemas }, shared, place }: Context): Json {
  const tag = tags.find(({ paths }) => paths.some((path) => route.path === path || route.path.startsWith(`${path}/`)));
  if (tag === undefined) throw new Error(`The route ${route.path} belongs to no tag of the description.`);
  return {
    operationId: route.operationId,
    tags: [tag.name],
    summary: route.summary,
    description:
      route.role === undefined
        ? route.description
        : `${route.description} Needs a key or an operator with the role \`${route.role}\`.`,
    // OpenAPI 3.1 allows roles in `security`, but common tools take them for scopes there.
    ...(route.role !== undefined && { 'x-required-role': route.role }),
    ...ownSecurity(route, routes),
    parameters: parametersOf(route).map((parameter) =>
      shared.get(parameter.name) === undefined
        ? described(parameter)
        : { $ref: `#/components/parameters/${parameter.name}` },
    ),
    ...(route.body === undefined ? {} : { requestBody: requestBodyOf(route.body, schemas) }),
    responses: answersOf(route, place),
  };
}

/** The parameters of a route: its own, and the headers that every route reads. */
function parametersOf(route: Route): readonly Parameter[] {
  return [
    ...route.parameters,
    ...(isConditional(route) ? [ifNoneMatch] : []),
    ...(route.repeatable === true ? [idempotencyKey] : []),
    ...(route.access === 'public' ? [] : [prefer]),
    ...requestHeaders,
  ];
}

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  meaning: 'The `ETag` of the answer that you have: 304 without a body tells that it is still right.',
  schema: { type: 'string', maxLength: 8192 },
  example: 'W/"f8wQ4vDyxUtnUw9V3O0xIYx0R7I"',
};

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  meaning: textBlock`
      A key of your own for this request, such as a UUID: a structured string of 1 to 255 characters in double quotes
      (RFC 8941), or visible characters without. A request that is refused with 400 leaves its key free. The
      same request with the same key again within 24 hours is not carried out again: it gets the answer of the first.
    `,
  schema: { type: 'string', minLength: 1, maxLength: 512 },
  example: '"019c8ef1-1a00-7c52-b3d8-90af41e6d200"',
};

const prefer: Parameter = {
  name: 'Prefer',
  in: 'header',
  meaning: '`server-timing` asks where the time of the request goes (RFC 7240); other preferences are passed over.',
  schema: { type: 'string', maxLength: 255 },
  example: 'server-timing',
};

const requestHeaders: readonly Parameter[] = [
  {
    name: 'X-Request-Id',
    in: 'header',
    meaning:
      'Your own name for the request, to find it in the log of the service: 1 to 64 letters, digits and ' +
      '`._~:/+=-`. Anything else is passed over.',
    schema: { type: 'string', minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9._~:/+=-]+$' },
    example: 'nightly-2026-03-02-0001',
  },
  {
    name: 'traceparent',
    in: 'header',
    meaning: 'The trace that the request is part of (W3C Trace Context). It comes back as the `traceId` of a problem.',
    schema: { type: 'string', maxLength: 255 },
    example: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  },
];

/** The parameters that several routes have and that are the same wherever their name occurs, by name. */
function sharedParameters(routes: readonly Route[]): ReadonlyMap<string, Parameter> {
  const byName = Map.groupBy(routes.flatMap(parametersOf), ({ name }) => name);
  return new Map(
    [...byName].flatMap(([name, all]) => {
      const [first] = all;
      const same =
        first !== undefined && all.length > 1 && new Set(all.map((parameter) => JSON.stringify(parameter))).size === 1;
      return same ? [[name, first] as const] : [];
    }),
  );
}

/** The example is inside the schema: reference pages send an example next to it unless it is removed by hand. */
function described({ name, in: place, meaning, schema, required, example }: Parameter): Json {
  return {
    name,
    in: place,
    description: meaning,
    ...(required && { required }),
    schema: example === undefined ? schema : { ...schema, examples: [example] },
  };
}

/** The components that the document refers to, directly or through other components. */
function usedComponents(document: Json, components: Readonly<Record<string, Json>>): Json {
  const used = new Set<string>();
  const follow = (part: unknown): void => {
    for (const [, reference = ''] of JSON.stringify(part).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)) {
      if (used.has(reference)) continue;
      used.add(reference);
      const [kind = '', name = ''] = reference.split('/');
      const component = components[kind]?.[name];
      if (component === undefined) throw new Error(`The description has no component ${reference}.`);
      follow(component);
    }
  };
  follow(document);
  return Object.fromEntries(
    Object.entries(components).map(([kind, all]) => [
      kind,
      Object.fromEntries(Object.entries(all).filter(([name]) => used.has(`${kind}/${name}`))),
    ]),
  );
}
