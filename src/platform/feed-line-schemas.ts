// Schemas and examples of refused lines and lineage, for the description of the platform interface.
import type { Json } from '../http/openapi.ts';
import { linePattern, maxLineIdLength } from './feed-ids.ts';
import { messageId, numberOfElement, reasons } from './feed-schemas.ts';
import { instant, orNull, record, text, whole } from './schema-parts.ts';

/** Schemas by name. */
export const feedLineSchemas: Readonly<Record<string, Json>> = {
  FeedLinePage: record('Lines of messages that were refused.', {
    lines: { type: 'array', maxItems: 100, items: { $ref: '#/components/schemas/FeedLine' } },
    after: orNull('Where the answer ends, for `after`; null where there is no more.', maxLineIdLength),
  }),
  FeedLine: record('A line of a message that was refused.', {
    id: text('Activity, message, and number of the record in it.', maxLineIdLength, { pattern: linePattern }),
    activityCode: text('Activity that it was sent for.', 3),
    message: messageId('Message that it came in.'),
    record: whole('Number of the record in the message, from 1.'),
    line: whole('Line of the message on which it begins, from 1.'),
    element: numberOfElement,
    resource: text('What it was to become a record of.', 40),
    feed: text('Feed that the message belongs to.'),
    source: orNull('File that it came from; null for a request, and where a message has only its counts.', 4096),
    state: text('What became of it.', 20, { enum: ['refused', 'dropped', 'replayed'] }),
    reasons,
    content: {
      type: ['object', 'array', 'string', 'number', 'boolean', 'null'],
      description: 'What came: the record, or its text where it is no JSON; null where it is too long to be shown.',
      items: {},
    },
    isLong: { type: 'boolean', description: 'It is too long for a list: read the line alone.' },
    edited: { type: ['object', 'null'], description: 'The record as somebody mended it.' },
    replayedBy: orNull('Message that replayed it.', maxLineIdLength),
    actor: orNull('Who edited, dropped or replayed it last.'),
    changedAt: instant('When that was; else when it was refused.'),
  }),
  Lineage: record('Where a record came from.', {
    resource: text('What it is a record of.', 40),
    activityCode: text('Activity that it belongs to.', 3),
    message: orNull('The message that wrote it last; null where a client did.', maxLineIdLength),
    line: { ...whole('Its first line in the message.'), type: ['integer', 'null'] },
    element: numberOfElement,
    feed: orNull('Feed of the message; null where the message is no longer kept.'),
    channel: orNull('How the message came: `http`, `folder`, `command`, `replay`, `demo`.'),
    source: orNull('File that it came from; null for a request.', 4096),
    messageId: orNull('Id that the source gave the message.'),
    sequence: { ...whole('Number that the source gave the message.'), type: ['integer', 'null'] },
    receivedAt: orNull('When the message came.', 24),
    writtenAt: instant('When the record was written last.'),
    withdrawnAt: orNull('Since when it is withdrawn; null: it is not.', 24),
  }),
  Replay: record('What became of lines that were replayed.', {
    message: messageId('The message that replayed them.'),
    read: whole('Lines; the sum of the four counts that follow.'),
    new: whole('Records that were not there.'),
    changed: whole('Records that were there with other content.'),
    unchanged: whole('Records that were there already.'),
    refused: whole('Refused again: lines of the new message.'),
  }),
  FeedLinesDropped: record('What was dropped.', { dropped: whole('How many lines.') }),
};

export const lineageExample = {
  resource: 'orders',
  activityCode: 'AUR',
  message: 'AUR:17',
  line: 4,
  element: null,
  feed: 'main',
  channel: 'folder',
  source: 'ORDERS_0042.csv',
  messageId: null,
  sequence: 42,
  receivedAt: '2026-03-02T05:12:43.900Z',
  writtenAt: '2026-03-02T05:12:44.018Z',
  withdrawnAt: null,
} as const;

export const replayExample = { message: 'AUR:18', read: 12, new: 11, changed: 0, unchanged: 0, refused: 1 } as const;

export const feedLineExample = {
  id: 'AUR:17:4',
  activityCode: 'AUR',
  message: 'AUR:17',
  record: 4,
  line: 4,
  element: null,
  resource: 'movements',
  feed: 'main',
  source: 'mvt_20260302.ndjson',
  state: 'refused',
  reasons: [{ code: 'bad-date', pointer: '/movementTimestamp', detail: 'movementTimestamp must be a date-time.' }],
  content: { articleReference: 'AUR-1001', movedQuantity: 12, movementTimestamp: '2026-02-30T08:00:00Z' },
  isLong: false,
  edited: null,
  replayedBy: null,
  actor: null,
  changedAt: '2026-03-02T05:12:44.018Z',
} as const;
