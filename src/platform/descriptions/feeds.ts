// The reference documentation of feeds and their messages.
import type { Parameter, RouteDescription } from '../../http/route.ts';
import { textBlock } from '../../model/text-block.ts';
import { resources } from '../../resources/index.ts';
import { feedKeyPattern, maxFeedKeyLength, messagePattern } from '../feed-ids.ts';
import { maxListedFeeds, maxMessages, messageStates } from '../feed-messages.ts';
import { maxMessageIdLength } from '../../feeds/message-id.ts';
import { feedPattern } from '../feed-request.ts';
import { feedMessageExample, receivedExample } from '../feed-schemas.ts';

const resourceNames = resources.map(({ name }) => name);

const activityParameter: Parameter = {
  name: 'activity',
  in: 'query',
  meaning: 'Only this activity.',
  schema: { type: 'string', minLength: 1, maxLength: 3 },
  example: 'AUR',
};

const receiveParameters: readonly Parameter[] = [
  {
    name: 'resource',
    in: 'path',
    required: true,
    meaning: 'What the records are.',
    schema: { type: 'string', enum: resourceNames },
    example: 'movements',
  },
  { ...activityParameter, meaning: 'Activity that the records belong to; may be left out by a key of one activity.' },
  {
    name: 'feed',
    in: 'query',
    meaning: 'Name of the system that sends, where several send records of one resource. It is no name of a message.',
    schema: { type: 'string', pattern: feedPattern, maxLength: 40, default: 'main' },
  },
  {
    name: 'messageId',
    in: 'query',
    meaning: textBlock`
      Id that the source gives the message. The same id again with the same records is a duplicate, and changes nothing;
      with other records it is refused.
    `,
    schema: { type: 'string', minLength: 1, maxLength: maxMessageIdLength },
    example: 'MVT-20260302-0001',
  },
  {
    name: 'sequence',
    in: 'query',
    meaning: textBlock`
      Number that the source gives the message in its feed, 1 more than that of the one before. Missing numbers are
      noted until they come; a record that a message with a higher number wrote is refused (\`older-than-stored\`).
    `,
    schema: { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    example: 1042,
  },
  {
    name: 'extractionDate',
    in: 'query',
    meaning: textBlock`
      For stock: the \`stockImageExtractionDate\` of the image that the message holds, also where it holds no row, which
      says that the activity had no stock.
    `,
    schema: { type: 'string', format: 'date-time', maxLength: 35 },
  },
  {
    name: 'Idempotency-Key',
    in: 'header',
    meaning: textBlock`
      Name of this request, given by the client: one that was cut is gone on with under the same key, and one that was
      dealt with gets its answer. It holds as long as the message is kept.
    `,
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '"b2f4c1de-0d2c-4c39-9f7e-6a1f1c2f7a10"',
  },
  {
    name: 'strict',
    in: 'query',
    meaning: textBlock`
      \`true\`: one record that is refused, or would be taken with a warning, refuses the message: nothing is written
      then, and \`refusedLines\` of the answer are the first of these. The body is read to its end first.
    `,
    schema: { type: 'boolean', default: false },
  },
];

const messageParameter: Parameter = {
  name: 'messageId',
  in: 'path',
  required: true,
  meaning: 'The message: its activity, and its number there.',
  schema: { type: 'string', pattern: messagePattern, maxLength: 20 },
  example: feedMessageExample.id,
};

const feedsParameters: readonly Parameter[] = [
  activityParameter,
  {
    name: 'missing',
    in: 'query',
    meaning: '`true`: only feeds of which numbers have not come.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
  {
    name: 'after',
    in: 'query',
    meaning: 'Goes on after this feed: `after` of the answer before.',
    schema: { type: 'string', pattern: feedKeyPattern, maxLength: maxFeedKeyLength },
  },
  {
    name: 'limit',
    in: 'query',
    meaning: 'Most feeds of the answer.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxListedFeeds, default: maxListedFeeds },
  },
];

const messageParameters: readonly Parameter[] = [
  activityParameter,
  {
    name: 'resource',
    in: 'query',
    meaning: 'Only messages of this resource.',
    schema: { type: 'string', enum: resourceNames },
  },
  {
    name: 'feed',
    in: 'query',
    meaning: 'Only messages of feeds of this name.',
    schema: { type: 'string', maxLength: 40 },
  },
  {
    name: 'state',
    in: 'query',
    meaning: textBlock`
      Only messages of this state: \`open\` (being taken in, or to be gone on with), \`interrupted\` (it ended before
      its lines did, what was written stays), \`done\`, \`refused\` (as a whole) or \`duplicate\`.
    `,
    schema: { type: 'string', enum: messageStates },
  },
  {
    name: 'after',
    in: 'query',
    meaning: 'Goes on after this message: `after` of the answer before.',
    schema: { type: 'string', pattern: messagePattern, maxLength: 20 },
  },
  {
    name: 'limit',
    in: 'query',
    meaning: 'Most messages of the answer.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxMessages, default: maxMessages },
  },
];

/** The routes by which the warehouse side sends records, and follows their outcome. */
export const feedDescriptions = {
  receiveFeed: {
    summary: 'Send records',
    parameters: receiveParameters,
    description: textBlock`
        Takes in a message: records of a resource as newline-delimited JSON, one on each line, or as one JSON array, in
        the shape that the client interface publishes; a line \`{"withdraw": {…key fields…}}\` withdraws a record, of
        stock the image of a \`stockImageExtractionDate\`. They are checked and written in their order, in batches,
        while the body arrives; stock appears whole, at the end. Refused records are kept with every reason, and do not
        keep the others out. Where the connection breaks, what was written stays: the same request with the same
        \`Idempotency-Key\` (or \`messageId\`) goes on after it, and gets the counts of the whole message. A message
        that is there already is answered with its counts.
      `,
    body: {
      schema: { type: 'array', items: { type: 'object' }, description: 'Records of the resource.' },
      example: [{ articleReference: 'AUR-1001', movedQuantity: 12, movementTimestamp: '2026-03-02T08:00:00Z' }],
    },
    answers: { schema: 'FeedReceived', example: receivedExample },
    refusals: {
      400: ['message-refused', 'invalid-request', 'invalid-parameter'],
      404: ['resource-not-found'],
      408: ['request-timeout'],
      409: ['feed-in-progress', 'message-id-reused', 'too-many-feeds'],
      422: ['idempotency-key-reused'],
    },
  },
  listFeeds: {
    summary: 'Feeds, and what is missing',
    parameters: feedsParameters,
    description: textBlock`
        Each feed of the activities with its last message, its last sequence number, and the ranges of numbers before it
        that have not come; by activity, resource and name.
      `,
    answers: {
      schema: 'FeedList',
      example: {
        feeds: [
          {
            activityCode: 'AUR',
            resource: 'movements',
            feed: 'main',
            receivedAt: feedMessageExample.receivedAt,
            lastSequence: 1042,
            missing: [[1040, 1041]],
            lastMessage: feedMessageExample,
          },
        ],
        after: null,
      },
    },
  },
  listFeedMessages: {
    summary: 'Messages',
    parameters: messageParameters,
    description: 'Messages of the activities, newest first.',
    answers: { schema: 'FeedMessagePage', example: { messages: [feedMessageExample], after: null } },
  },
  getFeedMessage: {
    summary: 'One message',
    parameters: [messageParameter],
    description: 'A message with its counts. While it is taken in, they are those of what is written.',
    answers: { schema: 'FeedMessage', example: feedMessageExample },
  },
  endFeedMessage: {
    summary: 'End a message that was cut',
    parameters: [messageParameter],
    description: textBlock`
        Ends an open message that nobody will go on with: it is \`interrupted\` then. What was written of it stays; a
        stock image that was begun is dropped. Sent again, it is a new message. Open messages end by themselves when
        nobody has gone on with them for some days. One that had ended before is answered as it is.
      `,
    answers: { schema: 'FeedMessage', example: feedMessageExample },
    refusals: { 409: ['feed-in-progress'] },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
