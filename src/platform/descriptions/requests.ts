// The reference documentation of clients' recent requests.
import type { Parameter, RouteDescription } from '../../http/route.ts';
import { textBlock } from '../../model/text-block.ts';
import { requestsExample } from '../request-schemas.ts';
import { maxLoggedRequests, type requestParameters } from '../requests.ts';

const meanings: Readonly<Record<(typeof requestParameters)[number], Omit<Parameter, 'name' | 'in'>>> = {
  client: { meaning: 'Only requests of this client or key: its id.', schema: { type: 'string', maxLength: 255 } },
  requestId: { meaning: 'Only requests with this `X-Request-Id`.', schema: { type: 'string', maxLength: 255 } },
  problems: {
    meaning: 'With `true`, only requests that ended in a problem.',
    schema: { type: 'string', enum: ['true', 'false'], default: 'false' },
  },
  after: {
    meaning: 'Goes on after this request: `after` of the answer before.',
    schema: { type: 'string', format: 'uuid', maxLength: 36 },
  },
  limit: {
    meaning: 'Most requests of the answer.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: maxLoggedRequests, default: maxLoggedRequests },
  },
};

/** What clients requested. */
export const requestDescriptions = {
  listRequests: {
    summary: 'What clients asked for',
    parameters: Object.entries(meanings).map(([name, meaning]) => ({ name, in: 'query', ...meaning })),
    description: textBlock`
        The last requests of each client and key, with what they heard: at most 1000 of each, for
        \`REQUEST_LOG_DAYS\`. Of one that asks often not all are here: of each two seconds some, those first that ended
        in a problem; \`further\` says how many are not. A request is here some seconds after its answer. Only for those
        of every activity.
      `,
    answers: { schema: 'RequestPage', example: requestsExample },
  },
} as const satisfies Readonly<Record<string, RouteDescription>>;
