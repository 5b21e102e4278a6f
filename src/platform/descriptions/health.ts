// The reference documentation of the health report.
import type { RouteDescription } from '../../http/route.ts';
import { textBlock } from '../../model/text-block.ts';
import { consumersExample, healthExample } from '../health-schemas.ts';

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
} as const satisfies Readonly<Record<string, RouteDescription>>;
