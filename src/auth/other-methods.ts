// Responses for methods that a mounted path does not support.
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { Problem } from '../model/problem.ts';

/** Handles the methods that a path does not support: OPTIONS lists the supported ones, others get 405. */
export function refuseOtherMethods(server: FastifyInstance, url: string, methods: readonly HTTPMethods[]): void {
  const allow = [...new Set([...methods, 'OPTIONS'])].join(', ');
  server.route({
    method: everyMethod.filter((method) => !methods.includes(method)),
    url,
    handler: async (request, reply) => {
      if (request.method !== 'OPTIONS')
        throw new Problem(
          'method-not-allowed',
          `${request.method} is not allowed here; allowed are ${allow}.`,
          {},
          { allow },
        );
      await reply.code(204).header('allow', allow).send();
    },
  });
}

const everyMethod: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
