// Errors of requests that are understood but cannot be carried out: because of what they ask for and how (404 to 431),
// or through no fault of the client (5xx).
import { textBlock } from '../text-block.ts';
import type { ProblemKind } from './kind.ts';

/** Statuses 404 to 504. */
export const notDone = {
  // 404 to 431: because of what the request asks for, and how
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
  'line-settled': {
    status: 409,
    title: 'The line is not refused any more.',
    page: textBlock`
      The refused line of a feed was dropped or replayed before. Nothing was changed. Read it again: it says who did it,
      and which message replayed it.
    `,
  },
  'line-changed': {
    status: 409,
    title: 'The line was changed meanwhile.',
    page: textBlock`
      The refused line of a feed was mended by somebody else after it was read: \`changedAt\` of the request is not that
      of the line any more. Nothing was changed. Read the line again, and send what is to be kept of both with its new
      \`changedAt\`.
    `,
  },
  'feed-in-progress': {
    status: 409,
    title: 'The message is still being taken in.',
    page: textBlock`
      A request with the same \`Idempotency-Key\`, or a message with the same \`messageId\`, has not ended yet, or the
      process that worked on it has died. Wait for the time in \`Retry-After\`, then send the same request again: it
      goes on where the first one ended, or gets its counts.
    `,
  },
  'message-id-reused': {
    status: 409,
    title: 'The message id was used for another message.',
    page: textBlock`
      A message with this \`messageId\` was taken in by this feed, and its records were others. Nothing of the new one
      was written. Give each message an id of its own, and send the same message again under the same one.
    `,
  },
  'too-many-feeds': {
    status: 409,
    title: 'The activity has too many feeds.',
    page: textBlock`
      The parameter \`feed\` names one of a few systems that send records; it is not a name for each message. Send
      under one of the names that \`GET /platform/feeds\` lists, and tell messages apart by \`messageId\`.
    `,
  },
  'not-replayable': {
    status: 409,
    title: 'These lines cannot be replayed.',
    page: textBlock`
      The rows of a stock image come whole or not at all: replayed alone they would replace the image. Mend them in the
      original file and send that again, under the same extraction date.
    `,
  },
  'not-voidable': {
    status: 409,
    title: 'The label cannot be voided.',
    page: textBlock`
      Either the carrier has no way to take a label back: \`detail\` says what to do in its place. Or it does not take
      this one back, mostly because it has the parcel already or too much time has passed: \`carrierCode\` and
      \`carrierMessage\` give its reason. The label is as it was. A label that was destroyed can be noted as not used,
      with \`unused=true\`.
    `,
  },
  'void-in-progress': {
    status: 409,
    title: 'The carrier is being asked to void the label.',
    page: textBlock`
      Another request is asking the carrier to take the same label back or is making a handover list with it, or the
      process that did so has died before it could note the answer. Wait for the time in \`Retry-After\`, then send the
      same request again: it is told that the label is void, or asks the carrier once more.
    `,
  },
  'handover-in-progress': {
    status: 409,
    title: 'A handover list of this day is being made.',
    page: textBlock`
      Another request is making a list of the same day, context and carrier, or the process that made it has died before
      it could note what became of it. Wait for the time in \`Retry-After\`, then send the same request again: it gets
      the list, or asks the carrier once more, with the same parcels.
    `,
  },
  'account-in-use': {
    status: 409,
    title: 'The carrier account is in use.',
    page: textBlock`
      A label was made with the account in the last 30 days; the member \`lastLabelAt\` says when. Without the account
      nobody can track or void its parcels, print the label again or put it on a handover list, until there is an
      account of the same context, carrier and activity again. Send \`evenInUse=true\` to remove it all the same.
      Nothing was changed.
    `,
  },
  'demonstration-limit': {
    status: 409,
    title: 'The demonstration takes no more of this now.',
    page: textBlock`
      Of advances of its clock and of faults, 20 wait already: ask again when one of them is over;
      \`GET /platform/demonstration\` lists them. Or its clock would be more than 366 days ahead of the time of day: ask
      for less, or have whoever runs the server make it anew with \`demo reset\`. Nothing was changed.
    `,
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
    page: textBlock`
      The \`Idempotency-Key\` was used before, by the same client and user, for a request of this method and path with
      another body or query, or for a label that is no longer kept. Use a new key for each new operation, and the old
      one only to repeat the very same request. Method and path are part of the key: one that was used elsewhere is new
      here.
    `,
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
  // 5xx: through no fault of the client
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
