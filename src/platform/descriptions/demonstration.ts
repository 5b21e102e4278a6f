// The reference documentation of the demonstration warehouse.
import type { RouteDescription } from '../../http/route.ts';
import { textBlock } from '../../model/text-block.ts';
import { advanceExample, demonstrationExample, faultExample } from '../demonstration-schemas.ts';

const refusals = { 404: ['resource-not-found'], 409: ['demonstration-limit'] } as const;

/** Its clock and its faults. */
export const demonstrationDescriptions = {
  readDemonstration: {
    summary: 'How the demonstration stands',
    parameters: [],
    description: textBlock`
      The demonstration warehouse of \`serve --demo\`: its clock, what was asked for and waits, the last advances, and
      the faults that can be asked for. 404 where this server has none. For those who open all of its activities.
    `,
    answers: { schema: 'Demonstration', example: demonstrationExample },
    refusals: { 404: ['resource-not-found'] },
  },
  advanceDemonstration: {
    summary: 'Set its clock forward',
    parameters: [],
    body: {
      schema: {
        type: 'object',
        properties: {
          hours: {
            ...{ type: 'integer', format: 'int32', minimum: 1, maximum: 168 },
            description: 'Hours of its clock.',
          },
          duration: {
            ...{ type: 'string', maxLength: 7, pattern: '^[1-9][0-9]{0,5}[mhd]$' },
            description: 'In place of `hours`: minutes, hours or days, such as `30m`, `6h` or `1d`; `7d` at most.',
          },
        },
        additionalProperties: false,
      },
      example: { hours: 24 },
    },
    description: textBlock`
      Sets the clock forward, and has everything delivered that happens meanwhile, as \`demo advance\` does; it is ahead
      from then on. 202: it waits for the server that runs the demonstration, which carries out one after another;
      \`GET /platform/demonstration\` says how far it is. Each request sets it forward once more, but for one that comes
      again under its \`Idempotency-Key\`. At most 7 days in one request, 20 that wait, and 366 days
      ahead of the time of day.
    `,
    answers: { schema: 'DemonstrationAdvance', example: advanceExample, status: 202 },
    refusals,
  },
  askDemonstrationFault: {
    summary: 'Let something go wrong',
    parameters: [],
    body: {
      schema: {
        type: 'object',
        properties: {
          fault: { type: 'string', maxLength: 60, description: 'Name of a fault: `GET` lists them.' },
          activityCode: { type: 'string', maxLength: 3, description: 'Whose; the first activity when absent.' },
        },
        required: ['fault'],
        additionalProperties: false,
      },
      example: { fault: 'lost-movement', activityCode: 'ACM' },
    },
    description: textBlock`
      Lets one thing go wrong, once, at the next fitting moment, as \`demo fault\` does. The server that runs the
      demonstration learns of it within seconds. At most 20 wait to be taken in. Each request asks for it once more, but
      for one that comes again under its \`Idempotency-Key\`.
    `,
    answers: { schema: 'DemonstrationFault', example: faultExample, status: 202 },
    refusals,
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
