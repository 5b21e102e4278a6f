// Refuses requests before their content is examined: more requests than a connection may pipeline, a server that is
// stopping, an invalid URL or Host.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../model/problem.ts';
import { inWork } from '../model/work.ts';
import { pipelineLimit } from './connections.ts';
import type { PipelineContext } from './request-pipeline.ts';
import type { ServerOptions } from './server.ts';
import { spellingProblem } from './path-spelling.ts';
import { expectsContinue } from './unread-body.ts';

/** Opens every request of a server, and refuses it for one of these reasons. @param open is called first for each */
export function refuseEarly(
  server: FastifyInstance,
  { limits, metrics }: ServerOptions,
  context: PipelineContext,
  open: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const isBeyondPipeline = pipelineLimit(() => metrics.shed('pipelined'));
  server.addHook('onRequest', (request, reply, done) => {
    if (isBeyondPipeline(request.raw.socket, reply.raw)) return;
    open(request, reply);
    // Made anew each time that it is read.
    const { url: pattern, config } = request.routeOptions;
    const problem = context.stopping()
      ? stoppingProblem()
      : (requestProblem(request.raw, limits.maxUrlBytes) ??
        spellingProblem(request.raw.url ?? '/', pattern, context.notFound));
    // Other readers of a body do not know that the client may wait for a `100 Continue`.
    if (problem === undefined && pattern !== undefined && config.ownBody !== true && expectsContinue(request.raw))
      reply.raw.writeContinue();
    // Everything after it belongs to this request, however it is called.
    if (request.watched === null) done(problem);
    else inWork(request.watched.work, () => done(problem));
  });
}

function stoppingProblem(): Problem {
  return new Problem(
    'unavailable',
    'The service is stopping. Try again in a moment.',
    {},
    { 'retry-after': '5', connection: 'close' },
  );
}

/** The fault of a request before its target is known (RFC 9112: section 3.2 for Host, 6.1 for Transfer-Encoding). */
export function requestProblem(
  { url = '', headers, rawHeaders, httpVersion }: IncomingMessage,
  maxLength: number,
): Problem | undefined {
  if (url.length > maxLength) return new Problem('uri-too-long', `The URL may have ${maxLength} characters.`);
  const coding = headers['transfer-encoding'];
  // A proxy that undoes what is ignored here would read another body.
  if (coding !== undefined && (httpVersion !== '1.1' || coding.trim().toLowerCase() !== 'chunked'))
    return invalid('The Transfer-Encoding is not one of HTTP/1.1 that is understood here: send a length, or chunks.');
  if (headers.host === undefined) return httpVersion === '1.1' ? invalid('The request has no Host header.') : undefined;
  if (!/^[\w.~%!$&'()*+,;=:[\]-]*$/.test(headers.host)) return invalid('The Host header is not the name of a host.');
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') hosts += 1;
  return hosts > 1 ? invalid('The request has more than one Host header.') : undefined;
}

function invalid(detail: string): Problem {
  return new Problem('invalid-request', detail, {}, { connection: 'close' });
}
