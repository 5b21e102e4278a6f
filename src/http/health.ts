// Health: whether the process is alive, and whether it can serve.
import type { Logger } from 'pino';
import { Problem } from '../model/problem.ts';
import { shareResult } from './memoize.ts';
import { jsonTypes } from './negotiate.ts';
import { type Answer, publicRoute, type Route } from './route.ts';

/**
 * `GET /healthz` and `GET /readyz`, to be mounted without a prefix. While the server stops, both answer 503; before
 * that, while it drains, only `/readyz` does.
 * @param ready resolves when everything needed for serving is available, else rejects; the reason is logged, but not
 *   sent
 * @param program version of the program; null: not disclosed
 * @param draining aborted when the server is about to stop
 */
export function healthRoutes(
  ready: () => Promise<void>,
  logger: Logger,
  program: { readonly version: string; readonly commit: string | null } | null = null,
  draining: AbortSignal | null = null,
): readonly Route[] {
  const fine: Answer = {
    status: 200,
    headers: { 'cache-control': 'no-store' },
    body: JSON.stringify({ status: 'ok', ...program }),
    type: null,
  };
  const readiness = shareResult(ready);
  const common = { ...publicRoute, rate: 'probe', produces: jsonTypes } as const;
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
      description:
        'Answers 200 when storage can be reached and the server is not about to stop, else 503. For a load balancer.',
      handle: async () => {
        if (draining?.aborted === true) throw notReady('The service is about to stop.');
        try {
          await readiness();
        } catch (err) {
          logger.warn({ err }, 'not ready');
          throw notReady('The service is not ready. The log of the service says why.');
        }
        return fine;
      },
    },
  ];
}

function notReady(detail: string): Problem {
  return new Problem('unavailable', detail, {}, { 'retry-after': '5' });
}
