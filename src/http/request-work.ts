// A request as observed work: the log of its parts, its span in a trace, and where its time went.
import type { FastifyRequest } from 'fastify';
import { createStageTimes, type StageTimes } from '../model/stage-times.ts';
import type { Span, Tracing } from '../model/tracing.ts';
import { type Work, workOf } from '../model/work.ts';
import type { RequestNote } from './log.ts';
import { traceOf } from './request-id.ts';
import { wantsTiming } from './server-timing.ts';

/** One request, from its arrival. */
export interface RequestWork {
  readonly work: Work;
  /** Null: tracing is off. */
  readonly span: Span | null;
  /** Null: the client does not ask for it. */
  readonly times: StageTimes | null;
}

/** The most activities of a token that the log names with a slow statement. */
const maxActivities = 20;

/**
 * Begins to observe a request. Neither its path nor its query is recorded: they may identify people.
 * @param note receives the trace that the request belongs to
 */
export function watchRequest(request: FastifyRequest, note: RequestNote, tracing: Tracing | null): RequestWork {
  const { id, method, headers } = request;
  const span =
    tracing?.serve(method, headers, { 'http.request.method': method, 'url.scheme': request.protocol }) ?? null;
  note.trace = span?.traceId ?? traceOf(headers.traceparent);
  const times = wantsTiming(headers.prefer) ? createStageTimes() : null;
  const facts: Work['facts'] = () => ({
    requestId: id,
    route: note.route,
    client: note.clientId,
    ...(note.activityCodes !== null && { activities: note.activityCodes.slice(0, maxActivities) }),
    ...(note.trace !== null && { trace: note.trace }),
  });
  return { work: workOf(facts, { span, times }), span, times };
}

/**
 * Ends the span of a request.
 * @param route its pattern, which names the span; null: the path is unknown
 */
export function endSpan(
  { span }: RequestWork,
  { method, route, status, note }: { method: string; route: string | null; status: number; note: RequestNote | null },
): void {
  if (span === null) return;
  if (route !== null) span.rename(`${method} ${route}`);
  const problem = note?.problem ?? null;
  span.end(
    {
      'http.response.status_code': status,
      ...(route !== null && { 'http.route': route }),
      ...(note?.clientId && { 'logistics.client': note.clientId }),
      ...(problem !== null && { 'logistics.problem': problem }),
    },
    status >= 500 ? (problem ?? String(status)) : null,
  );
}
