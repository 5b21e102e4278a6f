// The reference documentation of the outbox.
import { textBlock } from '../../model/text-block.ts';
import type { Parameter, RouteDescription } from '../../http/route.ts';
import { consumerForm, consumerPattern, maxConsumerLength } from '../consumers.ts';
import { maxConsumers, maxEntries, maxWaitSeconds } from '../outbox.ts';
import { maxPositionLength } from '../positions.ts';
import { acknowledgedExample, outboxExample } from '../schemas.ts';

const consumer: Parameter = {
  name: 'consumer',
  in: 'query',
  meaning: textBlock`
    Name under which the position is kept: ${consumerForm}. Consumers of different names each get everything; keys that
    give the same name share its position. A key may use ${maxConsumers} names. Default: the id of the key.
  `,
  schema: { type: 'string', minLength: 1, maxLength: maxConsumerLength, pattern: consumerPattern },
  example: 'wms',
};

const outboxParameters: readonly Parameter[] = [
  {
    name: 'after',
    in: 'query',
    meaning:
      'Position to go on after: `position` of an answer or of an entry. Without it, what the consumer has not ' +
      'acknowledged. An activity that it does not name goes on after what was acknowledged there.',
    schema: { type: 'string', maxLength: maxPositionLength },
    example: 'ACM:1042',
  },
  consumer,
  {
    name: 'limit',
    in: 'query',
    meaning: 'Most entries of the answer.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxEntries, default: maxEntries },
  },
  {
    name: 'wait',
    in: 'query',
    meaning: 'Seconds to wait for an entry where there is none.',
    schema: { type: 'integer', format: 'int32', minimum: 0, maximum: maxWaitSeconds, default: 0 },
  },
];

const acknowledgement = {
  type: 'object',
  properties: {
    consumer: {
      type: 'string',
      minLength: 1,
      maxLength: maxConsumerLength,
      pattern: consumerPattern,
      description: 'Name that the entries were read under. Default: the id of the key.',
    },
    position: {
      type: 'string',
      minLength: 1,
      maxLength: maxPositionLength,
      description: 'Position of the last entry that was taken in.',
    },
  },
  required: ['position'],
  additionalProperties: false,
} as const;

/** What clients wrote, and how far a consumer has come. */
export const outboxDescriptions = {
  readOutbox: {
    summary: 'Take what clients wrote',
    parameters: outboxParameters,
    description:
      'Entries after a position, in the order in which they were written in each activity: articles that clients ' +
      'created or replaced, and documents that they attached to orders. With `wait` the answer comes as soon as ' +
      'there is an entry. What a consumer was given it gets again until it acknowledges it.',
    answers: { schema: 'OutboxPage', example: outboxExample },
    refusals: { 400: ['invalid-position'], 409: ['not-delivered', 'too-many-consumers'], 410: ['position-gone'] },
  },
  acknowledgeOutbox: {
    summary: 'Acknowledge what was taken in',
    parameters: [],
    description: textBlock`
          Notes that a consumer has taken in all entries up to a position: that of a page, or of an entry, which
          names the activity of the entry alone. The same again changes nothing.
        `,
    body: {
      schema: acknowledgement,
      example: { consumer: 'wms', position: 'ACM:1042' },
    },
    answers: { schema: 'OutboxAcknowledged', example: acknowledgedExample },
    refusals: { 400: ['invalid-position'], 409: ['not-delivered'] },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
