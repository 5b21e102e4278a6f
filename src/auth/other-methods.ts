// What a path answers by method, and the responses for methods that it does not support.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { otherMethod } from '../http/no-route.ts';

/** What a path of pages does, by method. HEAD is answered as GET is. */
export type PageHandlers<Params = unknown> = Readonly<
  Partial<
    Record<
      'GET' | 'POST' | 'DELETE',
      (request: FastifyRequest<{ Params: Params }>, reply: FastifyReply) => Promise<void>
    >
  >
>;

/** Mounts a path of pages, with HEAD wherever there is GET (RFC 9110, 9.1), and refuses the other methods. */
export function mountPage<Params = unknown>(
  server: FastifyInstance,
  url: string,
  { GET, POST, DELETE }: PageHandlers<Params>,
): void {
  const mounted = [
    { method: ['GET', 'HEAD'], handler: GET },
    { method: ['POST'], handler: POST },
    { method: ['DELETE'], handler: DELETE },
  ].flatMap(({ method, handler }) => (handler === undefined ? [] : [{ method, handler }]));
  for (const { method, handler } of mounted) server.route<{ Params: Params }>({ method, url, handler });
  refuseOtherMethods(
    server,
    url,
    mounted.flatMap(({ method }) => method),
  );
}

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
