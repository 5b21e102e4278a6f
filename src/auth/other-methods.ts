// Responses for methods that a mounted path does not support.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { otherMethod } from '../http/no-route.ts';

/** Handles the methods that a path does not support: OPTIONS lists the supported ones, others get 405. */
export function refuseOtherMethods(server: FastifyInstance, url: string, methods: readonly HTTPMethods[]): void {
  const allow = allowOf(methods);
  // Methods for which the framework has no routes.
  server.pluginPaths.add(url, allow);
  server.route({
    method: everyMethod.filter((method) => !methods.includes(method)),
    url,
    // Before the framework looks at the Content-Type of what is not read.
    onRequest: async ({ method }) => {
      if (method !== 'OPTIONS') throw otherMethod(method, allow);
    },
    handler: async (_request, reply) => {
      await listMethods(reply, methods);
    },
  });
}

/**
 * Lets a handler have of OPTIONS only what browsers ask before a request of another origin: `oidc-provider` answers 404
 * to any other. That is answered with the methods of the path.
 */
export function listingMethods<Request extends FastifyRequest>(
  methods: readonly HTTPMethods[],
  handler: (request: Request, reply: FastifyReply) => Promise<void>,
): typeof handler {
  return async (request, reply) => {
    if (request.method === 'OPTIONS' && request.headers['access-control-request-method'] === undefined)
      await listMethods(reply, methods);
    else await handler(request, reply);
  };
}

async function listMethods(reply: FastifyReply, methods: readonly HTTPMethods[]): Promise<void> {
  await reply.code(204).header('allow', allowOf(methods)).send();
}

function allowOf(methods: readonly HTTPMethods[]): string {
  return [...new Set([...methods, 'OPTIONS'])].join(', ');
}

const everyMethod: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
