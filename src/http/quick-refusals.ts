// Refuses requests in an overload before the framework has seen them: a refusal must not cost what it saves.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { problems } from '../model/problem.ts';
import { authorizationOf } from './caller-checks.ts';
import { announcesBody } from './body-rules.ts';
import { costKeyOf } from './cost-key.ts';
import { requestProblem } from './early-refusals.ts';
import type { ConnectionDraining } from './connection-draining.ts';
import { problemAnswer } from './problem-answer.ts';
import { requestIdOf } from './request-id.ts';
import type { PipelineContext } from './request-pipeline.ts';
import { clientGone } from './request-opening.ts';
import type { Mount } from './route.ts';
import type { ServerOptions } from './server.ts';
import type { Shed } from './load-shedding.ts';
import { createShedLog } from './load-shedding-log.ts';
import { watchAnswer } from './unread-answers.ts';

/**
 * Inspects requests before the framework does, while so many are open that some may be refused. It refuses only those
 * that would be refused for lack of room whatever else they contain: a GET of a known path, with a known token. The
 * preceding steps (`request-pipeline.ts`) are carried out as usual; anything unusual is left to the pipeline.
 * @returns a function that logs how many were refused, to be called when the server stops
 */
export function refuseQuickly(
  server: FastifyInstance,
  { mounts, limits }: Pick<ServerOptions, 'mounts' | 'limits'>,
  context: PipelineContext,
  answers: ConnectionDraining,
): () => void {
  const { admission, refusalPace, stopping, knownPrincipal } = context;
  const paths = plainPaths(mounts);
  const log = createShedLog(context.logger);
  const answer = answering(context, answers);
  /** @returns whether the request was handled */
  const refuse = (request: IncomingMessage, response: ServerResponse): boolean => {
    const path = pathOf(request);
    if (!paths.has(path) || !isUsual(request, limits.maxUrlBytes) || response.socket === null || stopping())
      return false;
    const principal = knownPrincipal(authorizationOf(request.rawHeaders));
    if (principal === null) return false;
    const costKey = costKeyOf(principal);
    const refusal = admission.refusalOf(costKey);
    if (refusal === null) return false;
    const since = performance.now();
    const end = (): void => {
      log.count(principal.clientId, refusal.reason);
      answer(request, response, { path, costKey, refusal, since });
    };
    const held = refusalPace.hold(request);
    if (held === null) end();
    else
      void held.then(() => {
        if (stopping() || (!request.socket.destroyed && admission.isCalm(costKey))) {
          refusalPace.forget(request);
          server.routing(request, response);
        } else end();
      });
    return true;
  };
  server.server.removeAllListeners('request');
  server.server.on('request', (request, response) => {
    if (!admission.mayRefuse() || !refuse(request, response)) server.routing(request, response);
  });
  return log.flush;
}

/** Paths without parameters that accept a GET with a token. */
function plainPaths(mounts: readonly Mount[]): ReadonlySet<string> {
  return new Set(
    mounts.flatMap(({ prefix, routes }) =>
      routes
        .filter(({ method, access, path }) => method === 'GET' && access === 'token' && !path.includes('{'))
        .map(({ path }) => prefix + path),
    ),
  );
}

function pathOf({ url = '' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark === -1 ? url : url.slice(0, mark);
}

/** Whether the response depends only on the token and the path, and no earlier step refuses the request. */
function isUsual(request: IncomingMessage, maxUrlBytes: number): boolean {
  const { method, url = '', headers } = request;
  return (
    method === 'GET' &&
    headers.origin === undefined &&
    headers.prefer === undefined &&
    headers.expect === undefined &&
    !announcesBody(headers) &&
    !url.includes('#') &&
    requestProblem(request, maxUrlBytes) === undefined
  );
}

/** A refused request. `since`: when it came, by `performance.now`. */
interface Refused {
  readonly path: string;
  readonly costKey: string;
  readonly refusal: Shed;
  readonly since: number;
}

/** Makes the function that responds to one, with what the framework would otherwise send. */
function answering(
  context: PipelineContext,
  answers: ConnectionDraining,
): (request: IncomingMessage, response: ServerResponse, refused: Refused) => void {
  const { baseUrl, chooseProblemType: chooseType, metrics, refusalPace } = context;
  const shared = ['x-content-type-options', 'nosniff', ...Object.entries(context.headers).flat()];
  return (request, response, { path, costKey, refusal, since }) => {
    const { headers, socket } = request;
    metrics.shed(refusal.reason);
    const observe = (status: number): void =>
      metrics.observe(path, 'GET', status, (performance.now() - since) / 1000, refusal.slug);
    if (socket.destroyed) return observe(clientGone);
    const requestId = requestIdOf(headers['x-request-id']);
    const { answer } = problemAnswer(refusal.in(refusalPace.tell(request)), {
      ...{ baseUrl, requestId, path, chooseType, silent500: false },
      traceparent: headers.traceparent,
      accept: headers.accept,
    });
    const body = typeof answer.body === 'string' ? answer.body : '';
    const length = Buffer.byteLength(body);
    const type = answer.type === null ? [] : ['content-type', answer.type];
    const answered = answers.begin(response);
    response.writeHead(problems[refusal.slug].status, [
      ...['x-request-id', requestId, ...shared, ...Object.entries(answer.headers).flat(), ...type],
      ...['content-length', String(length)],
    ]);
    response.end(body);
    answered();
    observe(response.statusCode);
    watchAnswer(
      context.pace,
      (bytes) => context.inFlight.add(costKey, bytes),
      () => metrics.shed('unread-answer'),
    )(response, length, false);
  };
}
