// The reference documentation of refused lines and of lineage.
import type { Parameter, RouteDescription } from '../../http/route.ts';
import { textBlock } from '../../model/text-block.ts';
import { resources } from '../../resources/index.ts';
import { linePattern, maxLineIdLength, messagePattern } from '../feed-ids.ts';
import { feedLineStates, maxFeedLines } from '../feed-lines.ts';
import { recordNames } from '../lineage.ts';
import { feedLineExample, lineageExample, replayExample } from '../feed-line-schemas.ts';

const lineageParameters: readonly Parameter[] = [
  {
    name: 'activity',
    in: 'query',
    required: true,
    meaning: 'Activity that the record belongs to.',
    schema: { type: 'string', minLength: 1, maxLength: 3 },
    example: 'AUR',
  },
  {
    name: 'resource',
    in: 'query',
    required: true,
    meaning: 'What it is a record of.',
    schema: { type: 'string', enum: resources.map(({ name }) => name) },
    example: 'orders',
  },
  ...recordNames.map(
    (name): Parameter => ({
      name,
      in: 'query',
      meaning: name === 'id' ? 'Id of the record; instead of the properties of its key.' : 'A property of its key.',
      schema: { type: 'string', maxLength: 255 },
      ...(name === 'orderUniqueID' && { example: 'WEB-2026-004711' }),
    }),
  ),
];

const lineParameter: Parameter = {
  name: 'lineId',
  in: 'path',
  required: true,
  meaning: 'Id of the line: activity, message, and number of the record in it.',
  schema: { type: 'string', pattern: linePattern, maxLength: maxLineIdLength },
  example: feedLineExample.id,
};

const messageParameter: Parameter = {
  name: 'messageId',
  in: 'path',
  required: true,
  meaning: 'The message: its activity, and its number there.',
  schema: { type: 'string', pattern: messagePattern, maxLength: maxLineIdLength },
  example: 'AUR:17',
};

const forceParameter: Parameter = {
  name: 'force',
  in: 'query',
  meaning: 'Write records even where something newer than the line has written them.',
  schema: { type: 'boolean', default: false },
};

const listParameters: readonly Parameter[] = [
  {
    name: 'activity',
    in: 'query',
    meaning: 'Only lines of this activity.',
    schema: { type: 'string', minLength: 1, maxLength: 3 },
  },
  {
    name: 'message',
    in: 'query',
    meaning: 'Only lines of this message.',
    schema: { type: 'string', pattern: messagePattern, maxLength: maxLineIdLength },
    example: 'AUR:17',
  },
  {
    name: 'resource',
    in: 'query',
    meaning: 'Only lines that were to become records of this resource.',
    schema: { type: 'string', enum: resources.map(({ name }) => name) },
  },
  {
    name: 'state',
    in: 'query',
    meaning: 'Only lines of this state; `refused` are those that somebody is to mend, drop or replay.',
    schema: { type: 'string', enum: feedLineStates, default: 'refused' },
  },
  {
    name: 'after',
    in: 'query',
    meaning: 'Goes on after this line: `after` of the answer before.',
    schema: { type: 'string', pattern: linePattern, maxLength: maxLineIdLength },
  },
  {
    name: 'limit',
    in: 'query',
    meaning: 'Most lines of the answer.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxFeedLines, default: maxFeedLines },
  },
];

/** The routes of refused lines and of lineage. */
export const feedLineDescriptions = {
  readLineage: {
    summary: 'Where a record came from',
    parameters: lineageParameters,
    description: textBlock`
        The message, file and line of the last write that changed a record; \`message\` is null where a client wrote it.
        A record is named by each property of its key, or by its \`id\`; movements and rows of stock by their id.
      `,
    answers: { schema: 'Lineage', example: lineageExample },
  },
  listRefusedLines: {
    summary: 'What was refused',
    parameters: listParameters,
    description: textBlock`
        Lines of messages that were refused, with every reason and what came, in the order of activity, message and
        record. The content of a line of more than 64 KiB is left out (\`isLong\`): read the line alone. A page ends
        once its lines have 1 MiB, also before \`limit\`: go on with \`after\` until it is null.
      `,
    answers: { schema: 'FeedLinePage', example: { lines: [feedLineExample], after: null } },
  },
  downloadRefusedLines: {
    summary: 'What was refused, as a file',
    parameters: listParameters,
    description: textBlock`
        The same lines as newline-delimited JSON, one object a line with \`line\`, \`reasons\` and the whole \`record\`
        or \`text\`: what a person mends in an editor, and what a feed and the command \`import\` take back. \`Link\`
        leads to what does not fit one answer.
      `,
    produces: ['application/x-ndjson'],
    answerHeaders: {
      Link: {
        meaning: 'The next part, where there is more (RFC 8288).',
        example: '<https://logistics.example/platform/feeds/lines.ndjson?after=ACM%3A17%3A4>; rel="next"',
        schema: { maxLength: 4096 },
      },
    },
  },
  getRefusedLine: {
    summary: 'One refused line',
    parameters: [lineParameter],
    description: 'The line with all of its content.',
    answers: { schema: 'FeedLine', example: feedLineExample },
  },
  editRefusedLine: {
    summary: 'Mend a refused record',
    parameters: [
      lineParameter,
      {
        name: 'changedAt',
        in: 'query',
        meaning: textBlock`
          \`changedAt\` of the line as it was read: if somebody has changed the line since, nothing is changed and the
          answer is 409.
        `,
        schema: { type: 'string', format: 'date-time', maxLength: 40 },
      },
    ],
    description: textBlock`
        Keeps the record of the body in place of the one that came. It is checked at once, as on its way in; what is
        still wrong with it is answered, and nothing is changed then. It is written when the line is replayed.
      `,
    body: {
      schema: { type: 'object', description: 'A record of the resource of the line, as a feed has it.' },
      example: feedLineExample.content,
    },
    answers: { schema: 'FeedLine', example: { ...feedLineExample, edited: feedLineExample.content } },
    refusals: { 400: ['validation-failed'], 409: ['line-settled', 'line-changed'] },
  },
  dropRefusedLine: {
    summary: 'Drop a refused line',
    parameters: [lineParameter],
    description: 'Nobody is asked to mend it any more. It is kept, with its reasons.',
    answers: { schema: 'FeedLinesDropped', example: { dropped: 1 } },
    refusals: { 409: ['line-settled'] },
  },
  dropRefusedLines: {
    summary: 'Drop all refused lines of a message',
    parameters: [messageParameter],
    description: 'Drops the lines of a message that are still refused.',
    answers: { schema: 'FeedLinesDropped', example: { dropped: 12 } },
  },
  replayRefusedLine: {
    summary: 'Replay a refused line',
    parameters: [lineParameter, forceParameter],
    description: textBlock`
        Takes the line in, as it was mended or as it came, by a message of its own. The line is \`replayed\` then; what
        is refused again is a refused line of the new message. A record that has been written since the line came, by
        whomever, by a message of the feed with a higher sequence number, or by a line behind it in its own message, is
        refused (\`older-than-stored\`) unless \`force\` says otherwise.
      `,
    answers: { schema: 'Replay', example: replayExample },
    refusals: { 409: ['line-settled', 'not-replayable'] },
  },
  replayRefusedLines: {
    summary: 'Replay all refused lines of a message',
    parameters: [messageParameter, forceParameter],
    description: 'Takes in, in their order, the lines of a message that are still refused.',
    answers: { schema: 'Replay', example: replayExample },
    refusals: { 409: ['line-settled', 'not-replayable'] },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
