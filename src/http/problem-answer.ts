// Converts any error into the one form in which clients see it: a ProblemDetails response (interface 2.12).
import { NoSuchActivity } from '../model/operator-error.ts';
import { Problem, type ProblemSlug, problems } from '../model/problem.ts';
import { traceIdOf } from './request-id.ts';
import { contentType, type TypeChoice } from './negotiate.ts';
import { problemPage } from './problem-page.ts';
import type { Answer } from './route.ts';
import { webPageHeaders } from './web-page.ts';

/** Where a problem occurred. */
interface Occurrence {
  /** Base URL of the client interface, under which the problem pages are. */
  readonly baseUrl: string;
  readonly requestId: string;
  /** Path without the query (a query may hold personal data), or null when no request line could be read. */
  readonly path: string | null;
  readonly traceparent: string | readonly string[] | undefined;
  /** The request's span in the server's trace, in the form of `traceparent`; null or absent: none. */
  readonly span?: string | null;
  readonly accept: string | undefined;
  /** The choice among the media types of errors. */
  readonly chooseType: TypeChoice;
  /** A 500 has no body and no content type here (interface 7.2). */
  readonly silent500: boolean;
  /** A person opened the address in a browser: the problem is a page. */
  readonly page?: boolean;
}

/** A problem as a response, and the trace id in its body. */
interface ProblemAnswer {
  readonly answer: Answer;
  readonly traceId: string;
}

/**
 * The response for a problem. A client that accepts none of the media types of errors gets JSON nevertheless: an
 * explanation in an unrequested format is better than none.
 */
export function problemAnswer(problem: Problem, at: Occurrence): ProblemAnswer {
  const { status, title } = problems[problem.slug];
  const traceId = at.span ?? traceIdOf(at.traceparent, at.requestId);
  const headers = { 'cache-control': 'no-store', ...problem.headers };
  if (status === 500 && at.silent500) return { answer: { status, headers, body: null, type: null }, traceId };
  if (at.page === true) {
    const body = problemPage(at.baseUrl, problem, traceId);
    const type = contentType('text/html');
    return { answer: { status, headers: { ...headers, ...webPageHeaders }, body, type }, traceId };
  }
  const members = {
    type: `${at.baseUrl}/problems/${problem.slug}`,
    title,
    status,
    detail: problem.detail,
    instance: at.path === null ? null : instanceOf(at.path),
    traceId,
  };
  const errors = status === 400 && problem.extra.errors === undefined ? { request: [problem.detail] } : undefined;
  // The standard members override extra ones of the same name, but keep their place at the front.
  const body = JSON.stringify({ ...members, ...(errors && { errors }), ...problem.extra, ...members });
  const type = at.chooseType(at.accept) ?? contentType('application/json');
  return { answer: { status, headers, body, type }, traceId };
}

/** As the OpenAPI document says. */
const maxInstanceCharacters = 2048;

/**
 * A path as a URI reference (RFC 3986): characters that a path may not have arrive all the same, and are encoded; two
 * slashes at its beginning would announce a host. Null if it is too long.
 */
function instanceOf(path: string): string | null {
  if (path.length > maxInstanceCharacters) return null;
  const encoded = path.replaceAll(/%(?![\dA-Fa-f]{2})|[^\w\-.~!$&'()*+,;=:@/%]/g, encodeURIComponent);
  const reference = encoded.startsWith('//') ? `/.${encoded}` : encoded;
  return reference.length > maxInstanceCharacters ? null : reference;
}

/**
 * The problem for an error: itself, one for an activity that is gone or an error of the server framework, or one for a
 * bug that reveals nothing to clients.
 */
export function problemOfError(error: unknown): Problem {
  if (error instanceof Problem) return error;
  // Whether a caller has an activity was checked before: somebody has removed it since.
  if (error instanceof NoSuchActivity) return new Problem('resource-not-found', 'There is no such activity any more.');
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const known = typeof code === 'string' ? frameworkProblems.get(code) : undefined;
  return known === undefined
    ? new Problem(
        'internal-error',
        'The service failed; the request is not to blame. Give the traceId to the operator.',
      )
    : new Problem(...known);
}

/** Errors of the server framework and its body parsers that clients cause. */
const frameworkProblems: ReadonlyMap<string, readonly [ProblemSlug, string]> = new Map([
  [
    'FST_ERR_BAD_URL',
    ['invalid-request', 'The path is not valid: after % come two hexadecimal digits, and the bytes are UTF-8.'],
  ],
  ['FST_ERR_MAX_PARAM_LENGTH', ['uri-too-long', 'A segment of the path is too long.']],
  ['FST_ERR_CTP_BODY_TOO_LARGE', ['payload-too-large', 'The body is larger than this endpoint accepts.']],
  [
    'FST_ERR_CTP_INVALID_MEDIA_TYPE',
    ['unsupported-media-type', 'This endpoint does not read bodies of that media type.'],
  ],
  [
    'FST_ERR_CTP_INVALID_CONTENT_LENGTH',
    ['invalid-request', 'The body does not have the length that Content-Length announced.'],
  ],
  ['FST_ERR_CTP_EMPTY_JSON_BODY', ['malformed-json', 'The body is empty, but Content-Type announced JSON.']],
  ['FST_ERR_CTP_INVALID_JSON_BODY', ['malformed-json', 'The body is not valid JSON.']],
]);
