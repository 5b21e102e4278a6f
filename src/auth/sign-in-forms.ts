// Shared code of the authorization server's pages: reading forms, sending pages, and showing faults.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errors } from 'oidc-provider';
import type { Logger } from 'pino';
import { Problem, problems } from '../model/problem.ts';
import { languageOf, pageHeaders } from './pages/index.ts';
import { withoutMark } from './byte-order-mark.ts';
import { transientErrorOf } from './transient-errors.ts';
import { type SignInFault, faultPage } from './sign-in-faults.ts';

/** Bytes of a form; a password has at most 1024, which percent-encoding triples. */
const maxFormBytes = 8192;

/** A form sent by another site. */
class ForeignForm extends Error {}

interface PageOptions {
  /** Receives errors that are our own fault. */
  readonly logger: Logger;
  /** Counts one page view; throws Problem `quota-exceeded`. Forms are counted separately. */
  readonly countPage: (request: FastifyRequest) => Promise<unknown>;
}

/** Makes a scope of the server parse forms, count page views, and respond to errors with pages. */
export function preparePages(server: FastifyInstance, { logger, countPage }: PageOptions): void {
  server.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: maxFormBytes },
    (_request, body, done) => {
      done(null, new URLSearchParams(withoutMark(String(body))));
    },
  );
  server.addHook('preHandler', async (request) => {
    if (request.method === 'GET' || request.method === 'HEAD') await countPage(request);
  });
  server.setErrorHandler(async (error, request, reply) => {
    const { fault, status, headers } = classify(error);
    if (status < 500) await server.holdBack(request.ip, request.raw, reply.raw);
    if (request.note !== null && error instanceof Problem) request.note.problem = error.slug;
    if (fault === 'server')
      logger.error({ err: error, requestId: request.id }, 'a page of the authorization server failed');
    const page = faultPage(fault, { language: languageOf(request.headers['accept-language']), reference: request.id });
    await sendPage(
      reply
        .code(status)
        .headers(headers)
        .headers(pageHeaders({ formTargets: [] })),
      page,
    );
  });
}

/**
 * Refuses forms of other sites. The form's token would suffice; this check holds even if it leaked.
 * @throws Error that becomes a page
 */
export function requireSameOrigin(authUrl: string, { headers }: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = headers;
  if (origin !== undefined && origin !== new URL(authUrl).origin) throw new ForeignForm();
  if (site !== undefined && site !== 'same-origin') throw new ForeignForm();
}

/** A form field, '' when it is missing. */
export function fieldOf({ body }: FastifyRequest, name: string): string {
  return body instanceof URLSearchParams ? (body.get(name) ?? '') : '';
}

/** Sends HTML whose headers have already been set. */
export async function sendPage(reply: FastifyReply, html: string): Promise<void> {
  await reply.send(html);
}

function classify(error: unknown): {
  readonly fault: SignInFault;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
} {
  const transient = transientErrorOf(error);
  if (transient !== null) return transient;
  // Refusals before the page is known: another spelling of its path, a second Host, an unsupported method.
  if (error instanceof Problem)
    return {
      fault: problems[error.slug].status < 500 ? 'request' : 'server',
      status: problems[error.slug].status,
      headers: error.headers,
    };
  const headers = {};
  if (error instanceof ForeignForm) return { fault: 'foreign', status: 403, headers };
  if (error instanceof errors.SessionNotFound) return { fault: 'expired', status: 400, headers };
  if (error instanceof errors.InvalidClient) return { fault: 'client', status: 400, headers };
  const status =
    error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : 500;
  return status < 500 ? { fault: 'request', status, headers } : { fault: 'server', status: 500, headers };
}
