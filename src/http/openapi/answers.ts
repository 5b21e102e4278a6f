// The answers that an operation can give, as the description shows them: statuses, headers, media types, examples.
import type { ProblemSlug } from '../../model/problem.ts';
import { problemTypes } from '../negotiate.ts';
import type { Json } from '../openapi.ts';
import type { Route } from '../route.ts';
import { problemExamples } from './problem-details.ts';

type HeaderName = keyof typeof responseHeaders;

const short: Json = { maxLength: 255 };
/** The header is there whatever the answer. */
const always: Json = { required: true };

/** The response headers of the interface, beyond those that HTTP itself needs to carry a body. */
export const responseHeaders = {
  'X-Request-Id': header('Finds the request in the log of the service: your own `X-Request-Id`, else a new one.', '019c8ef1-1a00-7c52-b3d8-90af41e6d200', { minLength: 1, maxLength: 64 }, always),
  Vary: header('Request headers that the answer depends on.', 'Accept, Accept-Encoding', short, always),
  'Cache-Control': header('Whether the answer may be kept. `no-cache` means that it may, if it is checked with `If-None-Match` before each use.', 'private, no-cache', short, always),
  ETag: header('Revision of the answer, for `If-None-Match`. It changes when any record of the list does.', 'W/"f8wQ4vDyxUtnUw9V3O0xIYx0R7I"'),
  Link: header('While there is more: the complete address of the next page, with `rel="next"` (RFC 8288). Absent on the last page.', '<https://logistics.example/v1/articles?cursor=q83vEjRW>; rel="next"', { maxLength: 16384 }),
  'Sync-Cursor': header('Where this page ends, for lists in change order (without `sort`). Keep the one of the last page and send it as `cursor` later: the answer holds exactly what has changed since.', 'q83vEjRWeJq83vEjRWeA', { maxLength: 8192 }),
  'Sync-Covered-Until': header('With `updatedSince`: everything that the service stored before this instant has been shown. Send it as the next `updatedSince`.', '2026-03-02T14:05:09.120Z', { format: 'date-time' }),
  'RateLimit-Policy': header('The limit that the request counted against: `q` requests in `w` seconds (draft-ietf-httpapi-ratelimit-headers-10). Absent where there is no limit.', '"read";q=600;w=60'),
  RateLimit: header('What is left of it: `r` requests for the next `t` seconds. Absent where there is no limit.', '"read";r=598;t=31'),
  'WWW-Authenticate': header('Why the token will not do (RFC 6750), and where the authorization server is described (RFC 9728).', 'Bearer realm="logistics", error="invalid_token", error_description="The token expired"'),
  Allow: header('With 405: the methods that the path has.', 'GET, HEAD, OPTIONS'),
  'Retry-After': { description: 'Seconds to wait before the next attempt.', schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 86_400 }, example: 31 },
} as const;

/** Whether answers of the route carry an `ETag`. */
export function isConditional(route: Route): boolean {
  return route.listOf !== null || route.conditional === true;
}

/** The answers of a route: status or `default` → reference to a component, or the answer itself. */
export function answersOf(route: Route): Json {
  const list = route.listOf !== null;
  const named = route.parameters.some((parameter) => parameter.in === 'path');
  const answers: Record<string, unknown> = { 200: successOf(route) };
  if (isConditional(route)) answers['304'] = response('NotModified');
  answers['400'] = response('BadRequest');
  if (route.access === 'token') {
    answers['401'] = response('Unauthorized');
    answers['403'] = response('Forbidden');
  }
  if (named) answers['404'] = response('NotFound');
  answers['406'] = response('NotAcceptable');
  if (list) answers['410'] = response('Gone');
  if (route.rate !== 'none') answers['429'] = response('TooManyRequests');
  answers['500'] = response(route.silent500 ? 'SilentServerError' : 'ServerError');
  answers['503'] = response('Unavailable');
  answers.default = response('Problem');
  return answers;
}

/** The answers that operations share, by component name. */
export function sharedAnswers(baseUrl: string, instance: string): Json {
  const problem = ({ description, headers, required, slugs }: ProblemAnswerText): Json => {
    const content = { schema: { $ref: '#/components/schemas/ProblemDetails' }, examples: problemExamples(slugs, baseUrl, instance) };
    return { description, headers: headerRefs([...everywhere, ...(headers ?? limited)], required), content: Object.fromEntries(problemTypes.map((type) => [type, content])) };
  };
  return {
    NotModified: {
      description: 'Nothing has changed since the answer whose `ETag` you sent in `If-None-Match`. No body.',
      headers: headerRefs([...everywhere, 'ETag', ...limited], ['ETag']),
    },
    SilentServerError: { description: 'The service failed. No body.', headers: headerRefs([...everywhere, ...limited]) },
    ...Object.fromEntries(Object.entries(problemAnswers).map(([name, answer]) => [name, problem(answer)])),
  };
}

const everywhere: readonly HeaderName[] = ['X-Request-Id', 'Vary', 'Cache-Control'];
const limited: readonly HeaderName[] = ['RateLimit-Policy', 'RateLimit'];

interface ProblemAnswerText {
  readonly description: string;
  readonly slugs: readonly ProblemSlug[];
  /** Beside those of every answer; standard: the rate limit's. */
  readonly headers?: readonly HeaderName[];
  readonly required?: readonly HeaderName[];
}

const problemAnswers: Readonly<Record<string, ProblemAnswerText>> = {
  BadRequest: {
    description: 'The request cannot be understood. `errors` says what is wrong, by parameter.',
    slugs: ['invalid-parameter', 'unknown-parameter', 'invalid-filter', 'invalid-sort', 'invalid-cursor', 'cursor-mismatch', 'invalid-request'],
    headers: [...limited, 'WWW-Authenticate'],
  },
  Unauthorized: {
    description: 'The access token is missing, has expired, or is not for this service.',
    slugs: ['missing-token', 'invalid-token'], headers: ['WWW-Authenticate'], required: ['WWW-Authenticate'],
  },
  Forbidden: {
    description: 'The access token is valid, but does not cover the request.',
    slugs: ['insufficient-scope', 'activity-forbidden'], headers: [...limited, 'WWW-Authenticate'],
  },
  NotFound: { description: 'What the path names does not exist, or belongs to an activity that the token does not cover.', slugs: ['resource-not-found'] },
  NotAcceptable: { description: 'None of the media types of the answer is acceptable.', slugs: ['not-acceptable'] },
  Gone: { description: 'The cursor can no longer be served: read the list again from its start.', slugs: ['cursor-expired'] },
  TooManyRequests: {
    description: 'The client has used up its requests for now. Wait for the time in `Retry-After`.',
    slugs: ['quota-exceeded'], headers: [...limited, 'Retry-After'], required: ['Retry-After'],
  },
  ServerError: { description: 'The service failed. The request is not to blame.', slugs: ['internal-error'] },
  Unavailable: { description: 'The service is not available at the moment. Try again later.', slugs: ['unavailable'], headers: [...limited, 'Retry-After'] },
  Problem: {
    description: 'Any other error, such as 405 for a method that the path does not have, or 414 for a URL that is too long.',
    slugs: ['uri-too-long', 'headers-too-large', 'request-timeout'], headers: [...limited, 'Allow', 'Retry-After'],
  },
};

/** A list has its record's array under each media type; anything else is text, or JSON that is explained elsewhere. */
function successOf(route: Route): Json {
  const rates = route.rate === 'none' ? [] : limited;
  if (route.listOf === null) {
    const content = route.produces.map((type) => [type, { schema: /\bjson$/.test(type) ? { type: ['object', 'array'], items: {} } : { type: 'string' } }]);
    const tagged: readonly HeaderName[] = isConditional(route) ? ['ETag'] : [];
    return { description: 'The document.', headers: headerRefs([...everywhere, ...tagged, ...rates], tagged), content: Object.fromEntries(content) };
  }
  const content = {
    schema: { type: 'array', maxItems: 100, items: { $ref: `#/components/schemas/${route.listOf}` } },
    examples: { [route.listOf]: { $ref: `#/components/examples/${route.listOf}` } },
  };
  return {
    description: 'At most 100 records. The text is the same JSON under each media type.',
    headers: headerRefs([...everywhere, 'ETag', 'Link', 'Sync-Cursor', 'Sync-Covered-Until', ...rates], ['ETag']),
    content: Object.fromEntries(route.produces.map((type) => [type, content])),
  };
}

/** Those that only some answers must have are written out there, since a reference cannot be made required where it is used. */
function headerRefs(names: readonly HeaderName[], required: readonly HeaderName[] = []): Json {
  return Object.fromEntries(names.map((name) => [name, required.includes(name) ? { ...responseHeaders[name], required: true } : { $ref: `#/components/headers/${name}` }]));
}

function response(name: string): Json {
  return { $ref: `#/components/responses/${name}` };
}

function header(description: string, example: string, schema: Json = short, facts: Json = {}): Json {
  return { description, ...facts, schema: { type: 'string', ...schema }, example };
}
