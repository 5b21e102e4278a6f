// `Server-Timing`: reports to a client that asks where the time of a request went.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { StageTimes } from '../model/stage-times.ts';
import type { RequestCall } from './call.ts';

/**
 * Whether a request asks for it: `Prefer: server-timing` (RFC 7240). The preference may be one of several, in any case,
 * with a value and parameters, which are ignored.
 */
export function wantsTiming(prefer: string | readonly string[] | undefined): boolean {
  if (prefer === undefined) return false;
  const text = typeof prefer === 'string' ? prefer : prefer.join();
  return text.split(',').some((preference) => /^\s*server-timing\s*(?:[=;]|$)/i.test(preference));
}

/** Reports where the time went to known clients that ask; others learn nothing about the service. */
export function tellTimes({ hasPrincipal }: RequestCall, { watched }: FastifyRequest, reply: FastifyReply): void {
  if (hasPrincipal && watched !== null && watched.times !== null) reply.headers(timingHeaders(watched.times));
}

/**
 * The headers, in milliseconds (Server Timing, W3C). `wait`: for the client's turn; `storage`: for the database;
 * `carrier`: for a carrier; `render`: everything else. They are for this request only.
 */
function timingHeaders(times: StageTimes): Readonly<Record<string, string>> {
  const { stages, total } = times.until();
  const { wait, storage, carrier } = stages;
  const render = Math.max(0, total - wait - storage - carrier);
  const shown = { wait, storage, ...(carrier > 0 && { carrier }), render, total };
  return {
    'server-timing': Object.entries(shown)
      .map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`)
      .join(', '),
    'preference-applied': 'server-timing',
  };
}
