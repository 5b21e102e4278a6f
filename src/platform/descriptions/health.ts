// The reference documentation of the health report.
import type { Parameter, RouteDescription } from '../../http/route.ts';
import { textBlock } from '../../model/text-block.ts';
import { consumerForm, consumerPattern, maxConsumerLength } from '../consumers.ts';
import { consumersExample, healthExample, waitingExample } from '../health-schemas.ts';
import { maxWaitingEntries, usualWaitingEntries } from '../waiting-entries.ts';

const waitingParameters: readonly Parameter[] = [
  {
    ...{ name: 'activity', in: 'query', required: true, meaning: 'The activity.', example: 'AUR' },
    schema: { type: 'string', minLength: 1, maxLength: 3 },
  },
  {
    ...{ name: 'consumer', in: 'query', example: 'wms' },
    meaning: `For whom it waits: ${consumerForm}. Without it: all entries that are kept.`,
    schema: { type: 'string', minLength: 1, maxLength: maxConsumerLength, pattern: consumerPattern },
  },
  { name: 'after', in: 'query', meaning: '`after` of the answer before.', schema: { type: 'string', maxLength: 15 } },
  {
    ...{ name: 'limit', in: 'query', meaning: 'Most entries of the answer.' },
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxWaitingEntries, default: usualWaitingEntries },
  },
];

/** The state of the service, and the consumers of the outbox. */
export const healthDescriptions = {
  readHealth: {
    summary: 'How the service does',
    parameters: [],
    description: textBlock`
        Storage, when anything of each activity last came, what was refused or broke off, and, for those of every
        activity, labels in doubt, background work, and what the processes have done since they started: requests,
        problems, calls of carriers. Counts only grow until a process starts anew: a rate is the difference of two
        answers. For programs that watch the service there is \`/metrics\`.
      `,
    answers: { schema: 'Health', example: healthExample },
  },
  listOutboxConsumers: {
    summary: 'Who takes the outbox',
    parameters: [],
    description: textBlock`
        Each consumer in each activity: up to where it was given entries and has taken them in, how many wait for it,
        and since when. An activity in which entries wait and that no consumer takes has a row without a name.
      `,
    answers: { schema: 'OutboxConsumers', example: consumersExample },
  },
  listWaitingEntries: {
    summary: 'What waits in the outbox',
    parameters: waitingParameters,
    description: textBlock`
        Which records wait in an activity, oldest first, without what is in them. Nothing is noted: looking makes no
        consumer known, and moves the position of none.
      `,
    answers: { schema: 'WaitingEntries', example: waitingExample },
    refusals: { 404: ['resource-not-found'] },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
