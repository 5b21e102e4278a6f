// Responses for methods that a mounted path does not support.
import type { FastifyInstance, HTTPMethods } from 'fastify';
import { otherMethod } from '../http/no-route.ts';

/** Handles the methods that a path does not support: OPTIONS lists the supported ones, others get 405. */
export function refuseOtherMethods(server: FastifyInstance, url: string, methods: readonly HTTPMethods[]): void {
  const allow = [...new Set([...methods, 'OPTIONS'])].join(', ');
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
      await reply.code(204).header('allow', allow).send();
    },
  });
}

const everyMethod: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
