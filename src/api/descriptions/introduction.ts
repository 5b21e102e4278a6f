// The first page of the reference: how to start, page, follow changes and deal with errors, for whoever writes a
// client.
import { filterLimits } from '../../model/filter.ts';
import { maxPageSize } from '../../model/list-parameters.ts';
import { maxArticles } from '../submit-articles.ts';

/**
 * The text in Markdown.
 * @param baseUrl without a slash at the end
 * @param authUrl without a slash at the end
 */
export function introduction(baseUrl: string, authUrl: string): string {
  return `Read what a logistics platform knows: articles and their stock, stock movements, customer orders, what was prepared
and shipped of them, expected receipts, and what was received. Create articles, attach documents to orders, and ship parcels with carriers.

## Start

Every request carries an access token. Whoever runs the service registers your client and tells you its id; you get the
token by the OAuth 2.0 authorization code flow with PKCE, at \`${authUrl}/connect/authorize\` and
\`${authUrl}/connect/token\`, for the scope \`svc_connect\`; without it you get \`invalid_scope\`. It is valid for an hour;
*Stay connected* below says how to get the next one. A program that runs without a person can be registered for that: it
gets a token for itself with the grant \`client_credentials\`, and another one when that has expired:

\`\`\`sh
curl -u "$CLIENT_ID:$CLIENT_SECRET" -d grant_type=client_credentials -d scope=svc_connect ${authUrl}/connect/token
\`\`\`

\`\`\`sh
curl -i -H "Authorization: Bearer $TOKEN" "${baseUrl}/orders?limit=10"
\`\`\`

The token covers one or more *activities*: the accounts that your company has at the warehouse. You see the records of
these activities, and a record of any other looks as if it did not exist. Where there are several, lists show one activity
after the other; \`?ownerActivity=AUR\` narrows every list to one of them, also where a field \`activityCode\` means something
else (in stock movements it is the code of an event). Two activities may use the same reference for different things: then a
path such as \`/articles/{articleReference}/movements\` shows those of both, unless \`ownerActivity\` says which.

Answers are JSON in UTF-8. Date-times are UTC with milliseconds, such as \`2026-03-02T14:05:09.120Z\`. Every field that is
documented is there in every record; what is not known is \`null\`, and a list of nested records is empty rather than
\`null\`. Later versions may add fields, so pass over those that you do not know.

## Stay connected

The answer of the token endpoint has a \`refresh_token\`: a text of at most 500 characters that means nothing to you. Send
it to \`${authUrl}/connect/token\` with \`grant_type=refresh_token\`, and you get the next access token, and the next
refresh token with it, without anybody signing in.

- A refresh token is good for one use. Store the new one before you do anything else with the answer, and let one process
  at a time refresh.
- It lives for 30 days, the next one for another 30. A program that refreshes once a day stays connected.
- A year after the sign-in the chain ends, whatever was refreshed: \`invalid_grant\`, and a person signs in again. Note
  the day of the sign-in, and ask for the next one in time.
- If the answer is lost, send the same request again, with the same \`scope\` and \`resource\`: for 60 seconds after the
  first use (10 for a client without a secret) you get the same tokens. So it is when two processes refresh at the same
  moment. \`expires_in\` is then what is left.
- A used refresh token that comes later, or after the next one has been used, counts as stolen: the whole sign-in ends,
  access tokens too, and a person signs in again. So does a code that comes a second time.
- \`invalid_grant\` is final: do not send that token again. 429 and 503 use nothing up: wait for \`Retry-After\`, and
  send the same request. 10 refreshes a minute are more than any program needs.
- To disconnect, send tokens to \`${authUrl}/connect/revocation\` (field \`token\`): the refresh token ends the whole
  sign-in, an access token ends alone. Both stop working within a minute.

## Read a list to its end

An answer holds at most ${maxPageSize} records. While there is more, it has a \`Link\` header with the complete address of
the next page; follow it as it is, and stop when an answer has none.

\`\`\`http
Link: <${baseUrl}/orders?cursor=q83vEjRW…>; rel="next"
\`\`\`

Narrow a list with a parameter named like a field (\`?articleReference=A1&articleReference=A2\`: any of these) or with \`filter\`,
an expression of up to ${filterLimits.length} characters in a small language (RSQL) that each list explains. A parameter that
a list does not have is refused, so that a typing error never returns everything. Encode what you put in a URL: a \`+\` that
is meant as such is written \`%2B\`.

## Follow what changes

Without \`sort\`, a list is in change order: the record that has not been written for longest comes first; with several
activities, one activity after the other, each in its own order. Each page then
carries a \`Sync-Cursor\`.

1. Read the list to its end, and keep the \`Sync-Cursor\` of the last page.
2. Later, ask with \`?cursor=\` and that text. You get what has been written since, each record once, in its newest state,
   over as many pages as it takes; an empty array when nothing was.
3. Keep the newest \`Sync-Cursor\` once you have stored its page, and go on with 2.

Nothing is missed, whoever writes at the same time, and no clock is involved. A record that changes while you page comes
again, later, in its new state: store records by their identifier, so that the newer one takes the place of the older.
Stock is the exception: it is replaced as a whole, image by image, so a new image means that its rows come anew.

Asking whether anything has changed at all is cheap. Send the \`ETag\` of the last answer as \`If-None-Match\`: the answer is
304 without a body until a record of that list changes.

## Write

\`POST /articles\` takes an array of up to ${maxArticles} articles and judges each by itself. The HTTP status is 200
whenever the array could be read, so look at \`status\` in the answer: 200 when all items passed, 207 when some did, 422 when
none did.

\`\`\`json
{
  "status": 207,
  "operationId": "019c8ef1-1a00-7c52-b3d8-90af41e6d200",
  "errors": { "ACM/CID-BRU-150": [{ "code": "required", "pointer": "/1/longArticleDescription", "detail": "longArticleDescription is required." }] },
  "passed": ["ACM/CID-BRU-075"]
}
\`\`\`

An item is known by its activity and reference, or by its place (\`#1\`) where these are what is wrong, or were in the request
before. \`pointer\` leads to the place in your body. What passed can be read at once, and is on its way to the warehouse.

- At most 100 errors of an item and 1 MB of all items are listed. Where there are more, the last of an item's list has the code
  \`more-errors\` and says in \`count\` how many of that item are not listed.
- An article that exists is replaced as a whole; the same article again is no change. \`onExisting=reject\` or \`skip\` asks for
  something else, and \`atomic=true\` for all or nothing.
- \`dryRun=true\` judges everything and writes nothing: use it while you build your client.
- An article that you read can be edited and sent back as it is. Leave out what is read-only, or leave it as it was: another
  value is an error. A property that is not documented is refused, so that a typing error loses nothing.

Send each \`POST\` with an \`Idempotency-Key\` of your own, such as a new UUID. If the answer does not reach you, send the same
request with the same key again, as often as it takes: it is carried out once, and for 24 hours you get the stored answer,
with \`Idempotency-Replayed: true\`; for labels much longer. A request with another body or query needs another key.

## Ship

\`POST /shippings/labels/{context}/{carrier}\` makes a label: a context is an account at a carrier, whose name you are told.
The carrier \`sandbox\` prints real labels and moves parcels without a network, and fails on demand. The operation explains
outputs, links, keys, and the words that it listens to; \`GET /shippings/tracking/…\` tells where the parcel is.

## When something goes wrong

Errors have one form, ProblemDetails (RFC 9457). Let your program decide by \`type\` or status; \`detail\` tells a person what
is wrong and what would be right, and the address in \`type\` leads to a page about it.

| status | meaning | what to do |
| --- | --- | --- |
| 400 | the request is not right | correct it as \`errors\` says; repeating it does not help |
| 401 | no token, or not a valid one | get a new one, then repeat once |
| 403 | the token does not cover this | ask whoever runs the service |
| 404 | not there, or not yours | check the identifier |
| 406 | no acceptable media type | ask for \`application/json\` |
| 409 | the same request still runs | wait as long as \`Retry-After\` says, then repeat |
| 410 | the cursor cannot be served any more | read the list again from its start |
| 413 | the body is too large | send less at a time |
| 415 | the body is of another kind | send the \`Content-Type\` that the reference names |
| 422 | the \`Idempotency-Key\` was used for another request, or the carrier refuses the shipment | take a new key; correct the shipment |
| 429 | too many requests | wait as long as \`Retry-After\` says |
| 500 | the service failed | repeat after a while, a \`POST\` with its \`Idempotency-Key\`; report the \`X-Request-Id\` if it goes on |
| 502, 504 | the carrier is away | with \`Retry-After\`: repeat then, with the same key; without: read \`detail\`, there may be a parcel |
| 503 | the service is not available | wait as long as \`Retry-After\` says, then repeat |

\`RateLimit\` tells with every answer how many requests are left: slow down before it says none. Every answer has an
\`X-Request-Id\`, which finds the request in the log of the service; send your own if you want to choose it.

## Worth knowing

- Send \`Accept-Encoding: zstd, br, gzip\`: a full page shrinks to about a fifth.
- \`Accept\` may ask for \`application/json\`, \`text/json\` or \`text/plain\`. The text is the same. Errors can also be
  \`application/problem+json\`.
- Every \`GET\` can be a \`HEAD\`. Paths are case-sensitive and have no slash at the end; a slash inside an identifier is
  written \`%2F\`.
- Changes of the interface are announced in the [changelog](${baseUrl}/changelog). Within version 1 they only add.
`;
}
