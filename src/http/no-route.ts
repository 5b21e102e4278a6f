// Answers requests that no route takes: a path that does not exist, a method that a path does not have, what browsers
// ask before a request.
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../model/problem.ts';
import { addressKey } from './address-parts.ts';
import { preflightHeaders } from './cors.ts';
import { knownPaths } from './paths.ts';
import { type PipelineContext, refuseAnonymous } from './request-pipeline.ts';
import type { ServerOptions } from './server.ts';

/** Handles them, and errors for which a plugin has no handler of its own. */
export function refuseElsewhere(
  server: FastifyInstance,
  { mounts, corsOrigins }: Pick<ServerOptions, 'mounts' | 'corsOrigins'>,
  context: PipelineContext,
): void {
  const paths = knownPaths(mounts);
  const answerNothing = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const target = request.raw.url ?? '/';
    const known = paths(target);
    const isAsked = known !== null && request.method === 'OPTIONS';
    try {
      await context.rates.take(isAsked ? 'preflight' : 'public', addressKey(request.ip));
      const allow = known?.allow ?? server.pluginPaths.allowOf(target);
      if (!isAsked) throw allow === null ? context.notFound(request.raw.url) : otherMethod(request.method, allow);
    } catch (error) {
      return refuseAnonymous(context, error, request, reply);
    }
    await reply
      .code(204)
      .header('allow', known.allow)
      .headers(context.headers)
      .headers(preflightHeaders(corsOrigins, request.headers.origin, known))
      .send();
  };
  server.setNotFoundHandler(answerNothing);
  server.setErrorHandler<FastifyError>((error, request, reply) =>
    // The framework looks at the Content-Type even where there is nothing to send a body to.
    request.is404 && typeFaults.has(error.code)
      ? answerNothing(request, reply)
      : refuseAnonymous(context, error, request, reply),
  );
}

/** A malformed Content-Type, and none in a request with the method QUERY. */
const typeFaults: ReadonlySet<string> = new Set([
  'FST_ERR_CTP_INVALID_MEDIA_TYPE',
  'FST_ERR_ROUTE_MISSING_CONTENT_TYPE',
]);

/** The refusal of a method that a path does not have. */
export function otherMethod(method: string, allow: string): Problem {
  return new Problem('method-not-allowed', `${method} is not allowed here; allowed are ${allow}.`, {}, { allow });
}
