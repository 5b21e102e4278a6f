// Errors of requests that cannot be understood (400), and of clients that are unknown or not allowed (401, 403).
import { textBlock } from '../text-block.ts';
import type { ProblemKind } from './kind.ts';

/** Statuses 400 to 403. */
export const notUnderstood = {
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
  'message-refused': {
    status: 400,
    title: 'The message was refused as a whole.',
    page: textBlock`
      Nothing of the message was written: its body holds no records that can be told apart, or with \`strict\` one of
      its lines was refused. The member \`fault\` says why, \`refusedLines\` lists lines with their reasons. Correct the
      message and send it again.
    `,
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
      'with a value of the wrong type. The members `position` and `errors` show where, and what was expected; ' +
      '`allowedFields` has the fields that there are. The reference of the endpoint lists its operators.',
  },
  'invalid-sort': {
    status: 400,
    title: 'The sort expression is not valid.',
    page:
      'The parameter `sort` takes at most three sortable fields, separated by commas, each with an optional leading ' +
      'minus for descending order. The member `allowedFields` lists the fields that this endpoint can sort by.',
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
      'BEL:77`. Use the positions of the answers unchanged. One that lies beyond the end of the outbox is refused as ' +
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
    title: 'The platform key or the operator lacks the role.',
    page: textBlock`
      A platform key and an operator may do what their roles say: \`outbox\` takes what clients wrote, with the
      documents in it; \`feed\` sends records in; \`stock\` reconciles it; \`shipping\` looks after labels; \`audit\`
      reads the audit trail; \`operations\` watches the service; \`administration\` decides who may do what. The member
      \`role\` names the one that the request needs; without it the operator has none at all. Ask for a key with this
      role, since the roles of a key do not change, or for the role, if you are an operator.
    `,
  },
} as const satisfies Record<string, ProblemKind>;
