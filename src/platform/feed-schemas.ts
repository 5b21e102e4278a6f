// Schemas and examples of feeds and their messages, for the description of the platform interface.
import type { Json } from '../http/openapi.ts';
import { textBlock } from '../model/text-block.ts';
import { maxKeptLines } from '../store/feed-refusals.ts';
import { maxFeedKeyLength, messagePattern } from './feed-ids.ts';
import { instant, orNull, record, text, whole } from './schema-parts.ts';

const range: Json = {
  type: 'array',
  minItems: 2,
  maxItems: 2,
  description: 'From one number to another, both included.',
  items: whole('Sequence number.'),
};

/** The faults of a line. */
export const reasons: Json = {
  type: 'array',
  maxItems: 101,
  description: 'Everything that is wrong with it.',
  items: record(
    'One thing that is wrong.',
    {
      code: text('Stable name of the fault.', 40),
      pointer: text('JSON Pointer into the record (RFC 6901); empty for all of it.', 1024),
      detail: text('What is wrong, and what would be right.', 4096),
      count: whole('Of `more-errors`: how many are not listed.'),
    },
    ['count'],
  ),
};

const countNames = {
  lines: 'Lines that were read.',
  skipped: 'Lines that a rule left out, such as blank ones.',
  read: 'Records that were read: the sum of the four that follow.',
  new: 'Records that were not there.',
  changed: 'Records that were there with other content; withdrawals that withdrew something.',
  unchanged: 'Records that were there with the same content.',
  refused: 'Records that were not taken.',
  warned: 'Warnings: records that were taken with a value that no standard allows, and those of the mapping.',
  withdrawn: 'Withdrawals that withdrew something.',
} as const;

/** For a refused item: its index in a JSON array. */
export const numberOfElement: Json = {
  ...whole('Of a JSON array: number of the element, from 1; null where records stand on lines of their own.'),
  type: ['integer', 'null'],
};

const message = { $ref: '#/components/schemas/FeedMessage' };
/** The id of a message. */
export const messageId = (description: string): Json => text(description, 20, { pattern: messagePattern });

/** Schemas by name. */
export const feedSchemas: Readonly<Record<string, Json>> = {
  FeedMessage: record('A message: one file, request or run by which records came in.', {
    id: messageId('Its activity, and its number there.'),
    activityCode: text('Activity that its records belong to.', 3),
    resource: text('What its records are.', 40),
    feed: text('Feed that it belongs to.', 40),
    channel: text('Way by which it came.', 20, { enum: ['http', 'folder', 'command', 'replay', 'demo'] }),
    source: orNull('File that it came from; null for a request, and where a message has only its counts.', 4096),
    messageId: orNull('Id that its source gave it.'),
    sequence: { ...whole('Number that its source gave it.'), type: ['integer', 'null'] },
    mapping: orNull('Mapping that made records of its lines.'),
    replayOf: orNull('Message whose refused lines it replays.'),
    state: text('How far it is.', 20, { enum: ['open', 'interrupted', 'done', 'refused', 'duplicate'] }),
    fault: {
      type: ['object', 'null'],
      description: 'Why it was refused as a whole, or ended before its lines did: `code` and `detail`.',
      properties: { code: text('Stable name.', 40), detail: text('What is wrong.', 4096) },
    },
    counts: record(
      'What became of its lines and records.',
      Object.fromEntries(Object.entries(countNames).map(([name, meaning]) => [name, whole(meaning)])),
    ),
    skippedBy: {
      type: 'object',
      description: 'Lines that were left out, by the name of the rule.',
      additionalProperties: whole('Lines.'),
    },
    lineCounts: {
      type: ['object', 'null'],
      description: textBlock`
        Of a message with a mapping: what became of its other lines. \`lines = skipped + structure + inRecords\`.
      `,
      properties: {
        structure: whole('Header, trailer, and the line that names the columns.'),
        inRecords: whole('Lines of which records were made, refused ones too.'),
        same: whole('Of these, lines of records that an earlier line gave already.'),
        warned: whole('Warnings of the mapping: lines that differ, codes that were left out.'),
      },
    },
    warnings: {
      type: 'array',
      maxItems: 10,
      description: 'The first warnings, with their lines.',
      items: record(
        'Something that is wrong with what was taken.',
        {
          line: whole('Line of the record.'),
          element: whole('Of a JSON array: number of the element, from 1.'),
          code: text('Stable name.', 40),
          pointer: text('JSON Pointer into the record.', 1024),
          detail: text('What is wrong.', 4096),
        },
        ['element'],
      ),
    },
    note: {
      type: ['object', 'null'],
      description: textBlock`
        What there is to say of its sequence number: \`gap\` (numbers before it are missing), \`filled\` (it had been
        missing), \`again\` (it had come before).
      `,
      properties: { code: text('What.', 20, { enum: ['gap', 'filled', 'again'] }), missing: range },
    },
    firstKey: orNull('Natural key of the first record that was taken.', 4096),
    lastKey: orNull('That of the last one.', 4096),
    bytes: whole('Length, after decompression.'),
    actor: text('Id of the key, or name of the login or task, that sent it.'),
    receivedAt: instant('When it was begun.'),
    touchedAt: instant('Last sign of life of who took it in.'),
    finishedAt: { ...instant('When it ended.'), type: ['string', 'null'] },
    countsOnly: {
      type: 'boolean',
      description: 'It has had its time: only its counts are kept, and which feed they are of.',
    },
  }),
  FeedReceived: record('What became of a message.', {
    message,
    duplicateOf: {
      oneOf: [message, { type: 'null' }],
      description: 'Of a duplicate: the message that was there before, with its counts.',
    },
    images: {
      type: ['array', 'null'],
      maxItems: 1000,
      description: 'Of stock: the images of the message, oldest first.',
      items: record('One image.', {
        at: instant('Its extraction date.'),
        rows: whole('Its records.'),
        outcome: text('What became of it.', 20, { enum: ['new', 'changed', 'unchanged', 'withdrawn'] }),
      }),
    },
    missing: {
      type: 'array',
      maxItems: 1000,
      description: 'Sequence numbers of the feed that have not come.',
      items: range,
    },
    refusedLines: {
      type: 'array',
      maxItems: 100,
      description: 'The first refused records.',
      items: record('A refused record.', {
        id: text('Activity, message, and number of the record in it.', 35),
        record: whole('Number of the record in the message, from 1.'),
        line: whole('Line on which it begins, from 1.'),
        element: numberOfElement,
        reasons,
      }),
    },
    refusedLinesUrl: orNull(
      textBlock`
        Where they are kept, the first ${maxKeptLines} of a message; null where none is: nothing was refused, or the
        message was, as a whole.
      `,
      2048,
    ),
  }),
  FeedList: record('Feeds.', {
    feeds: {
      type: 'array',
      maxItems: 500,
      description: 'By activity, resource and name.',
      items: record('What one system sends of one resource.', {
        activityCode: text('Activity.', 3),
        resource: text('What it sends.', 40),
        feed: text('Its name.', 40),
        receivedAt: instant('When its last message was begun.'),
        lastSequence: { ...whole('Highest sequence number that was dealt with.'), type: ['integer', 'null'] },
        missing: { type: 'array', maxItems: 1000, description: 'Numbers before it that have not come.', items: range },
        lastMessage: { oneOf: [message, { type: 'null' }], description: 'The message that was begun last.' },
      }),
    },
    after: orNull('Where the answer ends, for `after`; null where there is no more.', maxFeedKeyLength),
  }),
  FeedMessagePage: record('Messages.', {
    messages: { type: 'array', maxItems: 100, items: message },
    after: orNull('Where the answer ends, for `after`; null where there is no more.', 20),
  }),
};

export const feedMessageExample = {
  id: 'AUR:17',
  activityCode: 'AUR',
  resource: 'movements',
  feed: 'main',
  channel: 'http',
  source: null,
  messageId: 'MVT-20260302-0001',
  sequence: 1042,
  mapping: null,
  replayOf: null,
  state: 'done',
  fault: null,
  counts: { lines: 3, skipped: 0, read: 3, new: 2, changed: 0, unchanged: 0, refused: 1, warned: 0, withdrawn: 0 },
  skippedBy: {},
  lineCounts: null,
  warnings: [],
  note: { code: 'gap', missing: [1040, 1041] },
  firstKey: '#2026-03-02T08:00:00.000Z3vJ0u1',
  lastKey: '#2026-03-02T08:05:00.000Z9kQ2a7',
  bytes: 612,
  actor: '0k2m9qpe7x1b',
  receivedAt: '2026-03-02T08:05:09.120Z',
  touchedAt: '2026-03-02T08:05:09.164Z',
  finishedAt: '2026-03-02T08:05:09.164Z',
  countsOnly: false,
} as const;

export const receivedExample = {
  message: feedMessageExample,
  duplicateOf: null,
  images: null,
  missing: [[1040, 1041]],
  refusedLines: [
    {
      id: 'AUR:17:2',
      record: 2,
      line: 2,
      element: null,
      reasons: [{ code: 'bad-date', pointer: '/movementTimestamp', detail: 'movementTimestamp must be a date-time.' }],
    },
  ],
  refusedLinesUrl: 'https://logistics.example/platform/feeds/lines?message=AUR%3A17',
} as const;
