// The first steps for every request of the framework: the headers that even a refusal has, and the note for log and
// metrics.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { corsHeaders } from './cors.ts';
import type { EndedRequest } from './ended-request.ts';
import type { ConnectionDraining } from './connection-draining.ts';
import { logRequest, newNote, type RequestNote } from './log.ts';
import type { PipelineContext } from './request-pipeline.ts';
import { endSpan, watchRequest } from './request-work.ts';
import type { ServerOptions } from './server.ts';

/** Makes the function that opens a request. */
export function requestOpening(
  { logger, metrics, corsOrigins, tracing = null, onRequestEnded }: ServerOptions,
  context: PipelineContext,
  answers: ConnectionDraining,
): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    const started = performance.now();
    const answered = answers.begin(reply.raw);
    const note = newNote();
    request.note = note;
    const watched = watchRequest(request, note, tracing);
    request.watched = watched;
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    if (request.headers.origin !== undefined) reply.headers(corsHeaders(corsOrigins, request.headers.origin));
    // `close` comes after every response, and also when the client goes away before there is one.
    reply.raw.once('close', () => {
      answered();
      const ms = performance.now() - started;
      const { raw } = reply;
      const status = raw.writableEnded ? raw.statusCode : clientGone;
      const bytes = request.method === 'HEAD' ? 0 : Number(reply.getHeader('content-length') ?? 0);
      // A plugin's route has no note; its pattern comes from the framework.
      const route = request.note?.route ?? request.routeOptions.url ?? null;
      endSpan(watched, { method: request.method, route, status, note: request.note });
      logRequest(logger, request, route, status, ms, bytes);
      metrics.observe(route, request.method, status, ms / 1000, request.note?.problem ?? null);
      if (note.clientId !== null) onRequestEnded?.(endedRequest(request, note, { route, status, ms, bytes }));
      // A connection that was busy when the server began to stop would be kept alive after its response.
      if (context.stopping()) request.server.server.closeIdleConnections();
    });
  };
}

function endedRequest(
  request: FastifyRequest,
  note: RequestNote,
  { route, status, ms, bytes }: { route: string | null; status: number; ms: number; bytes: number },
): EndedRequest {
  return {
    requestId: request.id,
    clientId: note.clientId ?? '',
    subject: note.subject,
    method: request.method,
    target: request.raw.url ?? '/',
    route,
    status,
    problem: note.problem,
    detail: note.problemDetail,
    milliseconds: ms,
    bytes,
  };
}

/** Status in log and metrics, never sent: the client closed the connection before there was a response. */
export const clientGone = 499;
