// The possible responses of an operation, as the description shows them: statuses, headers, media types, examples.
import { type ProblemSlug, problems } from '../../model/problem.ts';
import { problemTypes } from '../negotiate.ts';
import type { Json } from '../openapi.ts';
import type { Route } from '../route.ts';
import { type HeaderName, headerRefs, header } from './headers.ts';
import { toKnownCallers, type ProblemAnswerText, problemAnswers } from './problem-answers.ts';
import { problemExamples } from './problem-details.ts';

/** Where the example problems are said to have occurred. */
export interface ProblemPlace {
  /** URL under which the problem pages are, without a slash at the end. */
  readonly pages: string;
  /** Path of a request. */
  readonly instance: string;
}

/** Whether responses of the route have an `ETag`. */
export function isConditional(route: Route): boolean {
  return route.listOf !== null || route.conditional === true;
}

/**
 * The responses of a route: status or `default` → reference to a component, or the response itself if the route adds to
 * it.
 */
export function answersOf(route: Route, place: ProblemPlace): Json {
  const answers: Record<string, Json> = { [route.answers?.status ?? 200]: successOf(route) };
  if (isConditional(route)) answers['304'] = response('NotModified');
  for (const name of sharedBy(route)) answers[problemAnswers[name].status] = answerOf(route, name, place);
  for (const [status, slugs] of Object.entries(route.refusals ?? {}))
    answers[status] ??= problem(furtherAnswer(route, slugs), place);
  return answers;
}

/** The responses shared by operations, by component name. */
export function sharedAnswers(place: ProblemPlace): Json {
  return {
    NotModified: {
      description: 'Nothing has changed since the answer whose `ETag` you sent in `If-None-Match`. No body.',
      headers: headerRefs([...everywhere, 'ETag', ...toKnownCallers], ['ETag']),
    },
    SilentServerError: {
      description: 'The service failed. No body.',
      headers: headerRefs([...everywhere, ...toKnownCallers]),
    },
    ...Object.fromEntries(
      Object.entries(problemAnswers).map(([name, answer]) => [
        name,
        problem({ ...answer, headers: headersOf(answer) }, place),
      ]),
    ),
  };
}

const everywhere: readonly HeaderName[] = ['X-Request-Id', 'Vary', 'Cache-Control'];

type ProblemAnswer = Omit<ProblemAnswerText, 'status' | 'headers'> & { readonly headers: readonly HeaderName[] };

type AnswerName = keyof typeof problemAnswers;

function sharedBy(route: Route): readonly AnswerName[] {
  const byAccess = {
    token: ['Unauthorized', 'Forbidden'],
    'platform-key': ['KeyUnauthorized', 'KeyForbidden'],
    public: [],
  } as const;
  const when = (condition: boolean, ...names: readonly AnswerName[]): readonly AnswerName[] => (condition ? names : []);
  return [
    ...when(true, route.body === undefined ? 'BadRequest' : 'BadBody'),
    ...byAccess[route.access],
    ...when(
      route.parameters.some((parameter) => parameter.in === 'path'),
      'NotFound',
    ),
    'NotAcceptable',
    ...when(route.listOf !== null, 'Gone'),
    ...when(route.repeatable === true, 'Conflict', 'KeyReused'),
    ...when(route.body !== undefined, 'TooLarge', 'UnsupportedMediaType'),
    'TooManyRequests',
    'ServerError',
    'Unavailable',
    'Problem',
  ];
}

/** A shared response, with the additions of the route. */
function answerOf(route: Route, name: AnswerName, place: ProblemPlace): Json {
  if (name === 'ServerError' && route.silent500) return response('SilentServerError');
  const shared: ProblemAnswerText = problemAnswers[name];
  const slugs = ownProblems(route, name).filter((slug) => !shared.slugs.includes(slug));
  const headers = replayedHeader(route, shared.status);
  if (slugs.length === 0 && headers.length === 0) return response(name);
  if (name === 'Conflict') return problem(conflictOr(shared, slugs), place);
  return problem({ ...shared, slugs: [...shared.slugs, ...slugs], headers: [...headersOf(shared), ...headers] }, place);
}

/** A request that still runs, or what the route refuses with 409: only the one tells when to come again. */
function conflictOr(shared: ProblemAnswerText, slugs: readonly ProblemSlug[]): ProblemAnswer {
  return {
    description: [shared.description, ...slugs.map((slug) => problems[slug].title)].join(' Or: '),
    slugs: [...shared.slugs, ...slugs],
    headers: [...headersOf(shared), 'Idempotency-Replayed'],
  };
}

function ownProblems(route: Route, name: AnswerName): readonly ProblemSlug[] {
  const { status } = problemAnswers[name];
  const takesJson = route.body?.types.some((type) => /[/+]json$/.test(type)) === true;
  return [
    ...(name === 'Forbidden' && route.method === 'POST' ? (['read-only-client'] as const) : []),
    ...(name === 'BadBody' && takesJson ? (['malformed-json'] as const) : []),
    ...Object.entries(route.refusals ?? {}).flatMap(([own, slugs]) => (own === status ? slugs : [])),
  ];
}

/** A response declared by this route only: described by the titles of its problems. */
function furtherAnswer(route: Route, slugs: readonly ProblemSlug[]): ProblemAnswer {
  const statuses = slugs.map((slug) => String(problems[slug].status));
  return {
    description: slugs.map((slug) => problems[slug].title).join(' Or: '),
    slugs,
    headers: [...toKnownCallers, 'Retry-After', ...replayedHeader(route, statuses[0] ?? '')],
  };
}

/** Problems caused by the request itself are returned again when it is repeated. */
function replayedHeader(route: Route, status: string): readonly HeaderName[] {
  return route.repeatable === true && /^4/.test(status) && !['400', '401', '406', '409', '429'].includes(status)
    ? ['Idempotency-Replayed']
    : [];
}

function headersOf({ headers }: ProblemAnswerText): readonly HeaderName[] {
  return headers ?? toKnownCallers;
}

function problem({ description, headers, required, slugs }: ProblemAnswer, { pages, instance }: ProblemPlace): Json {
  const content = {
    schema: { $ref: '#/components/schemas/ProblemDetails' },
    examples: problemExamples(slugs, pages, instance),
  };
  return {
    description,
    headers: headerRefs([...everywhere, ...headers], required),
    content: Object.fromEntries(problemTypes.map((type) => [type, content])),
  };
}

/**
 * A list has its record's array under each media type, a result its schema; anything else is text, or JSON that is
 * explained elsewhere.
 */
function successOf(route: Route): Json {
  const names: readonly HeaderName[] = [
    ...everywhere,
    ...toKnownCallers,
    ...(route.repeatable === true ? (['Idempotency-Replayed'] as const) : []),
  ];
  const further = Object.fromEntries(
    Object.entries(route.answerHeaders ?? {}).map(([name, { meaning, example, schema }]) => [
      name,
      header(meaning, example, schema),
    ]),
  );
  const under = (content: Json): Json => Object.fromEntries(route.produces.map((type) => [type, content]));
  if (route.listOf !== null) {
    const schema = { type: 'array', maxItems: 100, items: { $ref: `#/components/schemas/${route.listOf}` } };
    return {
      description: 'At most 100 records. The text is the same JSON under each media type.',
      headers: { ...headerRefs([...names, 'ETag', 'Link', 'Sync-Cursor', 'Sync-Covered-Until'], ['ETag']), ...further },
      content: under({ schema, examples: { [route.listOf]: { $ref: `#/components/examples/${route.listOf}` } } }),
    };
  }
  const tagged: readonly HeaderName[] = isConditional(route) ? ['ETag'] : [];
  const headers = { ...headerRefs([...names, ...tagged], tagged), ...further };
  if (route.answers !== undefined) {
    const { schema, example } = route.answers;
    const content = {
      schema: { $ref: `#/components/schemas/${schema}` },
      examples: { [schema]: { summary: `One ${schema}`, value: example } },
    };
    return {
      description: 'The result. The text is the same JSON under each media type.',
      headers,
      content: under(content),
    };
  }
  const content = route.produces.map((type) => [
    type,
    { schema: /\bjson$/.test(type) ? { type: ['object', 'array'], items: {} } : { type: 'string' } },
  ]);
  return { description: 'The document.', headers, content: Object.fromEntries(content) };
}

function response(name: string): Json {
  return { $ref: `#/components/responses/${name}` };
}
