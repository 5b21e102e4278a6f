// The problem responses shared by operations, by component name: the description and the problems of each.
import type { ProblemSlug } from '../../model/problem.ts';
import type { HeaderName } from './headers.ts';

/** Headers of a response to a known caller: the rate limit that it counted against, and where the time went. */
export const toKnownCallers: readonly HeaderName[] = [
  'RateLimit-Policy',
  'RateLimit',
  'Preference-Applied',
  'Server-Timing',
];

export interface ProblemAnswerText {
  readonly status: string;
  readonly description: string;
  readonly slugs: readonly ProblemSlug[];
  /** In addition to those of every response; default: those of the rate limit. */
  readonly headers?: readonly HeaderName[];
  readonly required?: readonly HeaderName[];
}

/** In order of status. */
export const problemAnswers = {
  BadRequest: {
    status: '400',
    description: 'The request cannot be understood. `errors` says what is wrong, by parameter.',
    slugs: [
      'invalid-parameter',
      'unknown-parameter',
      'invalid-filter',
      'invalid-sort',
      'invalid-cursor',
      'cursor-mismatch',
      'invalid-request',
    ],
    headers: [...toKnownCallers, 'WWW-Authenticate'],
  },
  BadBody: {
    status: '400',
    description: 'The request cannot be understood. `errors` says what is wrong, by parameter or by place in the body.',
    slugs: ['invalid-parameter', 'unknown-parameter', 'invalid-request', 'validation-failed'],
    headers: [...toKnownCallers, 'WWW-Authenticate'],
  },
  Unauthorized: {
    status: '401',
    description: 'The access token is missing, has expired, or is not for this service.',
    slugs: ['missing-token', 'invalid-token'],
    headers: ['WWW-Authenticate'],
    required: ['WWW-Authenticate'],
  },
  KeyUnauthorized: {
    status: '401',
    description: 'The platform key is missing, unknown, or was revoked.',
    slugs: ['missing-token', 'invalid-token'],
    headers: ['WWW-Authenticate'],
    required: ['WWW-Authenticate'],
  },
  Forbidden: {
    status: '403',
    description: 'The access token is valid, but does not cover the request.',
    slugs: ['insufficient-scope', 'activity-forbidden'],
    headers: [...toKnownCallers, 'WWW-Authenticate'],
  },
  KeyForbidden: {
    status: '403',
    description: 'The platform key is valid, but does not cover the request.',
    slugs: ['activity-forbidden', 'role-missing'],
    headers: [...toKnownCallers, 'WWW-Authenticate'],
  },
  NotFound: {
    status: '404',
    description: 'What the path names does not exist, or belongs to an activity that the caller is not granted.',
    slugs: ['resource-not-found'],
  },
  NotAcceptable: {
    status: '406',
    description: 'None of the media types of the answer is acceptable.',
    slugs: ['not-acceptable'],
  },
  Conflict: {
    status: '409',
    description:
      'An earlier request with the same `Idempotency-Key` is still running, or the process that ran it has died. ' +
      'Wait for the time in `Retry-After`, then send the same request again.',
    slugs: ['idempotency-in-progress'],
    headers: [...toKnownCallers, 'Retry-After'],
    required: ['Retry-After'],
  },
  Gone: {
    status: '410',
    description: 'The cursor can no longer be served: read the list again from its start.',
    slugs: ['cursor-expired'],
  },
  TooLarge: {
    status: '413',
    description: 'The body is larger than this endpoint accepts.',
    slugs: ['payload-too-large'],
  },
  UnsupportedMediaType: {
    status: '415',
    description:
      'The body has a media type or a coding that this endpoint does not read; `Accept` or `Accept-Encoding` names ' +
      'those that it does.',
    slugs: ['unsupported-media-type'],
    headers: [...toKnownCallers, 'Accept', 'Accept-Encoding'],
  },
  KeyReused: {
    status: '422',
    description: 'The `Idempotency-Key` was used before at this path, for a request with another body or query.',
    slugs: ['idempotency-key-reused'],
  },
  TooManyRequests: {
    status: '429',
    description: 'The client has used up its requests for now. Wait for the time in `Retry-After`.',
    slugs: ['quota-exceeded'],
    headers: [...toKnownCallers, 'Retry-After'],
    required: ['Retry-After'],
  },
  ServerError: {
    status: '500',
    description: 'The service failed. The request is not to blame.',
    slugs: ['internal-error'],
  },
  Unavailable: {
    status: '503',
    description: 'The service is not available at the moment. Try again later.',
    slugs: ['unavailable'],
    headers: [...toKnownCallers, 'Retry-After'],
  },
  Problem: {
    status: 'default',
    description:
      'Any other error, such as 405 for a method that the path does not have, or 414 for a URL that is too long.',
    slugs: ['uri-too-long', 'headers-too-large', 'request-timeout'],
    headers: [...toKnownCallers, 'Allow', 'Retry-After'],
  },
} as const satisfies Readonly<Record<string, ProblemAnswerText>>;
