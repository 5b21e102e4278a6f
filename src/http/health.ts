// Health: whether the process runs, and whether it can serve.
import type { Logger } from 'pino';
import { Problem } from '../model/problem.ts';
import { shared } from './memo.ts';
import { jsonTypes } from './negotiate.ts';
import type { Answer, Route } from './route.ts';

/**
 * `GET /healthz` and `GET /readyz`, to be mounted without a prefix. While the server stops, both answer 503.
 * @param ready resolves when all that serving needs is there, else rejects; the reason goes to the log, not to the
 * client
 * @param program which version of the program this is; null: it is not said
 */
export function healthRoutes(
  ready: () => Promise<void>,
  logger: Logger,
  program: { readonly version: string; readonly commit: string | null } | null = null,
): readonly Route[] {
  const fine: Answer = {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: JSON.stringify({ status: 'ok', ...program }),
    type: null,
  };
  const readiness = shared(ready);
  const common = {
    method: 'GET',
    access: 'public',
    rate: 'probe',
    listOf: null,
    parameters: [],
    produces: jsonTypes,
  } as const;
  return [
    {
      ...common,
      path: '/healthz',
      operationId: 'getHealth',
      summary: 'Whether the process runs',
      description: 'Answers 200 as long as the process can answer at all. For restarting a process that hangs.',
      handle: async () => fine,
    },
    {
      ...common,
      path: '/readyz',
      operationId: 'getReadiness',
      summary: 'Whether the service can serve',
      description: 'Answers 200 when storage can be reached, else 503. For a load balancer.',
      handle: async () => {
        try {
          await readiness();
        } catch (err) {
          logger.warn({ err }, 'not ready');
          throw new Problem(
            'unavailable',
            'The service is not ready. The log of the service says why.',
            {},
            { 'retry-after': '5' },
          );
        }
        return fine;
      },
    },
  ];
}
