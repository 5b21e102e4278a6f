// Every error that a client can be told of: one catalogue, and the one exception that carries an entry of it.
import { textBlock } from './text-block.ts';

/**
 * One row of the catalogue. `title` is constant per slug (RFC 9457); `page` explains cause and remedy to an integrator.
 */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly page: string;
}

/** The catalogue (decisions D37, D38). The slug is the last segment of `type` and the name of the problem's page. */
export const problems = {
  // 400: the request cannot be understood
  'invalid-request': {
    status: 400,
    title: 'The request is not valid.',
    page: textBlock`
      The request as a whole cannot be understood, for instance because it is not valid HTTP or its path holds a percent
      sign that is not followed by two hexadecimal digits. The detail names the place. Repeating the same request does
      not help; correct how your client builds it.
    `,
  },
  'malformed-json': {
    status: 400,
    title: 'The body is not valid JSON.',
    page: textBlock`
      The body could not be read as JSON text in UTF-8. The detail gives the position where reading failed. Build bodies
      with a JSON library rather than by joining text.
    `,
  },
  'validation-failed': {
    status: 400,
    title: 'One or more fields are not valid.',
    page:
      'The body is JSON, but it does not have the documented shape. The member `errors` lists each field by its JSON ' +
      'path with what is wrong with it. Correct these fields and send the request again.',
  },
  'invalid-parameter': {
    status: 400,
    title: 'A parameter is not valid.',
    page:
      'A parameter of the query or the path has a value that it cannot have. The member `errors` names the parameter ' +
      'and what it accepts. Remember to percent-encode values: `+` means a space in a query, so a UTC offset is ' +
      'written `%2B02:00`, or use `Z`.',
  },
  'unknown-parameter': {
    status: 400,
    title: 'A parameter is not known.',
    page:
      'The query holds a parameter that this endpoint does not have. It is refused rather than ignored, because a ' +
      'mistyped filter would return everything. The member `errors` names the parameter, and the detail lists the ' +
      'known ones.',
  },
  'invalid-filter': {
    status: 400,
    title: 'The filter expression is not valid.',
    page:
      'The parameter `filter` does not follow the grammar, names a field that cannot be filtered, or compares it ' +
      'with a value of the wrong type. The members `position` and `errors` show where, and what was expected. The ' +
      'reference of the endpoint lists its fields and operators.',
  },
  'invalid-sort': {
    status: 400,
    title: 'The sort expression is not valid.',
    page:
      'The parameter `sort` takes at most three sortable fields, separated by commas, each with an optional leading ' +
      'minus for descending order. The detail lists the fields that this endpoint can sort by.',
  },
  'invalid-cursor': {
    status: 400,
    title: 'The cursor is not valid.',
    page:
      'The parameter `cursor` was not issued by this service, or was changed on the way. Use the URL of the `Link` ' +
      'header with `rel="next"`, or the value of `Sync-Cursor`, exactly as received. Without a valid cursor, start ' +
      'again without the parameter.',
  },
  'cursor-mismatch': {
    status: 400,
    title: 'The cursor belongs to another request.',
    page: textBlock`
      A cursor is bound to the endpoint, the query and the activities of the request that it came from. Send it with the
      same parameters as before or with none, and to the same endpoint. After a change of filter, sort or granted
      activities, start again without a cursor.
    `,
  },
  'ambiguous-reference': {
    status: 400,
    title: 'The reference fits more than one record.',
    page:
      'The reference in the path exists in several of the activities that your client may use. Add the parameter ' +
      '`activityCode` to say which one is meant.',
  },
  'invalid-position': {
    status: 400,
    title: 'The position is not valid.',
    page:
      'A position of the outbox names activities and the number of the last entry of each, such as `ACM:1042,' +
      'BIO:77`. Use the positions of the answers unchanged. One that lies beyond the end of the outbox is refused as ' +
      'well: it comes from another database, or the service was restored from a backup; then read on from where the ' +
      'service says that its outbox ends.',
  },
  // 401 and 403: who calls, and what they may do
  'missing-token': {
    status: 401,
    title: 'An access token is required.',
    page:
      'The request carries no access token. Send the header `Authorization: Bearer` followed by a token from the ' +
      'authorization server; tokens in the query or the body are not accepted.',
  },
  'invalid-token': {
    status: 401,
    title: 'The access token is not valid.',
    page:
      'The access token has expired, was issued for another service or by another issuer, or is damaged; the header ' +
      '`WWW-Authenticate` says which. Get a new one with your refresh token, or sign in again. If new tokens are ' +
      'refused too, the client or the user may have been disabled: ask the operator.',
  },
  'insufficient-scope': {
    status: 403,
    title: 'The access token lacks the required scope.',
    page:
      'The token is valid, but was not issued for the scope `svc_connect`. Ask for this scope when you request ' +
      'authorization.',
  },
  'activity-forbidden': {
    status: 403,
    title: 'The activity is not granted.',
    page: textBlock`
      The client or the user has not been given the activity that the request is about, or has been given none at all.
      Ask the operator to grant it, then get a new token.
    `,
  },
  'read-only-client': {
    status: 403,
    title: 'The client may only read.',
    page: textBlock`
      The client is registered for reading only, and the request would write. Ask the operator for permission to write,
      or use another client.
    `,
  },
  'role-missing': {
    status: 403,
    title: 'The platform key lacks the role.',
    page:
      'A platform key may do what its roles say: `outbox` takes what clients wrote, with the documents in it; ' +
      '`audit` reads the audit trail; `feed` is for sending records in, which no operation does yet. The member ' +
      '`role` names the one that the request needs. Ask the operator for a key with this role: the roles of a key do ' +
      'not change.',
  },
  // 404 to 431: what the request asks for, and how
  'not-found': {
    status: 404,
    title: 'There is nothing at this path.',
    page: textBlock`
      The path is none of this service. Compare it with the reference, letter by letter: paths are case-sensitive and
      have no slash at the end.
    `,
  },
  'resource-not-found': {
    status: 404,
    title: 'The record does not exist.',
    page:
      'The path is right, but the record that it names does not exist, or belongs to an activity that your client ' +
      'has not been granted; the two look alike on purpose. Check the identifier and the activities of the token. A ' +
      'slash inside an identifier is written `%2F`.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The method is not allowed here.',
    page: 'The path exists, but not for this method. The header `Allow` lists the methods that it has.',
  },
  'not-acceptable': {
    status: 406,
    title: 'No acceptable media type.',
    page:
      'The header `Accept` excludes every media type that this endpoint can answer with; the detail lists them. Send ' +
      '`Accept: application/json`, or leave the header out. Nothing was executed.',
  },
  'request-timeout': {
    status: 408,
    title: 'The request took too long to arrive.',
    page: textBlock`
      The request was not complete when the time limit for receiving it ended, and the connection was closed. Send the
      request again, on a new connection.
    `,
  },
  'idempotency-in-progress': {
    status: 409,
    title: 'The same request is still running.',
    page:
      'An earlier request with the same `Idempotency-Key` has not ended yet, or the process that worked on it has ' +
      'died. Wait for the time in `Retry-After`, then send the same request again: you will get its stored answer, ' +
      'or it is carried out then, at most some 15 seconds after such a death.',
  },
  'not-delivered': {
    status: 409,
    title: 'The consumer was never given these entries.',
    page:
      'A consumer may acknowledge only what it was given by `GET /platform/outbox` under its own name; the member ' +
      '`delivered` says how far that was. Read the entries first, take them in, then acknowledge the position of the ' +
      'last one.',
  },
  'too-many-consumers': {
    status: 409,
    title: 'The platform key reads as too many consumers.',
    page:
      'A platform key may read the outbox under 20 names, because entries are kept for each of them until it ' +
      'acknowledges. The member `consumers` lists the names that this key has used. Go on under one of them, or ask ' +
      'the operator to forget one that is not in use any more.',
  },
  'position-gone': {
    status: 410,
    title: 'What follows this position is no longer kept.',
    page:
      'Outbox: entries that every consumer has acknowledged are removed after some time, and the position lies ' +
      'before the oldest one that is kept. Start from the member `oldest`, and compare the records with a full list ' +
      'where the gap matters. Audit trail: the entry that `after` names was removed after the time for which the ' +
      'trail is kept, or is not in the backup that the service was restored from. Ask without `after`, or with ' +
      '`since`.',
  },
  'cursor-expired': {
    status: 410,
    title: 'The cursor can no longer be served.',
    page:
      'The position that the cursor stands for is no longer known, for instance after the service was restored from ' +
      'a backup, or because the stock image that you were walking through has been removed. Read the list again from ' +
      'the start and go on with the new `Sync-Cursor`.',
  },
  'payload-too-large': {
    status: 413,
    title: 'The body is too large.',
    page: textBlock`
      The body is larger than this endpoint accepts; the detail gives the limit. Split the request into smaller ones.
    `,
  },
  'uri-too-long': {
    status: 414,
    title: 'The URL is too long.',
    page: textBlock`
      The path and query together are longer than the service accepts; the detail gives the limit. Shorten the filter,
      for instance by asking for fewer values at a time.
    `,
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The media type of the body is not supported.',
    page:
      'The header `Content-Type` or `Content-Encoding` of the request is missing, malformed, or not one that this ' +
      'endpoint reads. The header `Accept` of the answer, where present, lists the accepted types.',
  },
  'carrier-rejected': {
    status: 422,
    title: 'The carrier refused the shipment.',
    page:
      'The request was well formed, but the carrier refused it. The members `carrierCode` and `carrierMessage` give ' +
      'its reason. Correct the shipment data; no label was created.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The idempotency key was used for another request.',
    page:
      'The `Idempotency-Key` was used before with a different body or endpoint. Use a new key for each new operation,' +
      ' and the old one only to repeat the very same request.',
  },
  'quota-exceeded': {
    status: 429,
    title: 'Too many requests.',
    page:
      'The client, or the address where no client is known, has used up its requests for now. The member ' +
      '`violated-policies` names the limit, `RateLimit-Policy` describes it, and `Retry-After` says how many seconds ' +
      'to wait. The limit `long-reads` is not one of requests a minute: as many queries without an index as one ' +
      'client may have wait for their turn; wait for their answers, or ask by fields that have an index. Watch the ' +
      'header `RateLimit` and slow down before it reaches zero.',
  },
  'headers-too-large': {
    status: 431,
    title: 'The header fields are too large.',
    page: textBlock`
      The header fields of the request are together larger than the service accepts. Usual causes are an oversized token
      or cookies that do not belong here.
    `,
  },
  // 5xx: what the client did not do
  'internal-error': {
    status: 500,
    title: 'An error occurred in the service.',
    page:
      'The service failed in a way that it did not foresee; the request is not to blame. Repeat a reading request ' +
      'after a moment. If it goes on, give the operator the `traceId` or the `X-Request-Id` of the answer.',
  },
  'carrier-unavailable': {
    status: 502,
    title: 'The carrier gave no answer that can be used.',
    page:
      'The carrier could not be reached, gave an answer that makes no sense, or does not let the account of the ' +
      'operator in; the detail says which. Send the request again later; for a label, use the same `Idempotency-Key`,' +
      ' so that it cannot be created twice. Where the detail says that it is not known whether there is a parcel, ' +
      'ask the carrier first: under the same key none is made, and under a new one perhaps a second.',
  },
  unavailable: {
    status: 503,
    title: 'The service is not available at the moment.',
    page:
      'The service is starting, stopping, overloaded, or waiting for something that it needs. Wait for the time in ' +
      '`Retry-After`, then send the request again.',
  },
  'carrier-timeout': {
    status: 504,
    title: 'The carrier did not answer in time.',
    page:
      'The carrier was reached but did not answer in time. Send a reading request again later. Of a label it is not ' +
      'known whether there is a parcel: look for it at the carrier, by your `nDossier`. The same `Idempotency-Key` ' +
      'never makes a second one, and is answered like this from then on; take a new key only where there is none.',
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemSlug = keyof typeof problems;

/**
 * Members of a ProblemDetails answer beyond type, title, status, detail, instance and traceId (RFC 9457, section 3.2).
 */
export interface ProblemExtra {
  /** Parameter or JSON path → sentences (decision D17: on every 400). */
  readonly errors?: Readonly<Record<string, readonly string[]>>;
  readonly [member: string]: unknown;
}

/**
 * What a client did wrong, or what it has to wait for. Anything else that is thrown is a bug and becomes a 500 without
 * detail.
 */
export class Problem extends Error {
  readonly slug: ProblemSlug;
  readonly detail: string;
  readonly extra: ProblemExtra;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param slug entry of the catalogue
   * @param detail sentence for this occurrence: what is wrong and what to do
   * @param extra further members of the body
   * @param headers response headers that belong to this answer (`WWW-Authenticate`, `Retry-After`, `Allow`)
   * @param cause what the operator is to know of it and the client is not
   */
  constructor(
    slug: ProblemSlug,
    detail: string,
    extra: ProblemExtra = {},
    headers: Readonly<Record<string, string>> = {},
    cause?: unknown,
  ) {
    super(detail, cause === undefined ? {} : { cause });
    this.name = 'Problem';
    this.slug = slug;
    this.detail = detail;
    this.extra = extra;
    this.headers = headers;
  }
}
