// Takes one request through bearer check, rate limit and negotiation to its handler, and its response to the socket.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { Problem } from '../model/problem.ts';
import { addressKey } from './address-parts.ts';
import type { Admission } from './admission.ts';
import { heldBack, type HoldBack } from './anonymous-refusals.ts';
import { checkCaller, confirmReader } from './caller-checks.ts';
import type { Pace } from './body-pace.ts';
import { requestBody } from './body.ts';
import { checkAnnouncedBody } from './body-rules.ts';
import { RequestCall, splitTarget } from './call.ts';
import { type CodingChoice, codingChoice, type Compression, fairCompression } from './compress.ts';
import type { InFlight } from './in-flight.ts';
import type { RequestNote } from './log.ts';
import type { Metrics } from './metrics.ts';
import { problemTypes, type TypeChoice, typeChoice } from './negotiate.ts';
import { problemAnswer, problemOfError } from './problem-answer.ts';
import { isOpenedByPerson } from './problem-page.ts';
import type { Rates } from './rates.ts';
import type { RefusalPace } from './refusal-pace.ts';
import { recordRefusal } from './refusal-recording.ts';
import type { Principal, RefusedWrite, Route } from './route.ts';
import type { RequestWork } from './request-work.ts';
import { type Compressed, send } from './send.ts';
import { underWay } from './request-under-way.ts';
import { tellTimes } from './server-timing.ts';
import { Shed } from './load-shedding.ts';
import { dropUnread } from './unread-body.ts';
import { type AnswerWatch, watchAnswer } from './unread-answers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null when the request could not be routed at all. */
    note: RequestNote | null;
    /** Null when the note is. */
    watched: RequestWork | null;
  }
}

/** What the bearer check may need to know of a request besides its `Authorization` header. */
export interface RequestFacts {
  readonly requestId: string;
  /** Address of the client; behind trusted proxies, the one that they report. */
  readonly address: string;
  readonly path: string;
  readonly queryText: string;
}

/**
 * Verifies an `Authorization` header. Throws Problem 401 for an invalid token, RefusedCaller (403) for a genuine one
 * that may not come in, 503 when that cannot be determined now.
 */
export type Authenticate = (authorization: string | undefined, facts: RequestFacts) => Principal | Promise<Principal>;

/** What all requests share. */
export interface PipelineContext {
  readonly authenticate: Authenticate;
  /** The principal of a recently verified token for which nothing has to be read; null: otherwise. */
  readonly knownPrincipal: (authorization: string | undefined) => Principal | null;
  /** For routes that require a platform key. */
  readonly authenticatePlatform: Authenticate;
  /**
   * What an admitted caller opens by now, by its key or token. Throws the Problem that it would get at the beginning of
   * a request.
   */
  readonly admitAgain: (principal: Principal) => Promise<Principal>;
  readonly rates: Rates;
  readonly logger: Logger;
  readonly baseUrl: string;
  /** The 404 for a target (`not-found.ts`). */
  readonly notFound: (target: string | undefined) => Problem;
  readonly chooseProblemType: TypeChoice;
  readonly chooseCoding: CodingChoice;
  readonly compress: Compression;
  /** How long bodies and responses may take. */
  readonly pace: Pace;
  /** The memory that bodies and responses in transit may hold. */
  readonly inFlight: InFlight;
  /** Whose work is admitted, and when. */
  readonly admission: Admission;
  /** Limits the pace of refusals to unknown clients. */
  readonly holdBack: HoldBack;
  /** Limits the pace of refusals for lack of room. */
  readonly refusalPace: RefusalPace;
  readonly metrics: Metrics;
  /** Headers of every response of ours: `Vary` and restrictions for browsers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Called with refused writes of known principals, before these get the response; null: disabled. */
  readonly onRefusedWrite: ((refused: RefusedWrite) => Promise<void>) | null;
  /** The server is being closed: connections end with their response. */
  readonly stopping: () => boolean;
}

type RoutedRequest = FastifyRequest<{ Params: Record<string, string> }>;

/** The choices that are the same for every request, and their results. */
export function pipelineChoices(): Pick<PipelineContext, 'chooseProblemType' | 'chooseCoding' | 'compress'> {
  return { chooseProblemType: typeChoice(problemTypes), chooseCoding: codingChoice(), compress: fairCompression() };
}

/**
 * The handler of a route. Its steps and their possible statuses: bearer check (401, 503), rate limit (429), permissions
 * of the principal (403), negotiation (406), the announced body (415, 413), room and a turn for its work (429, 503),
 * then the route's own handler.
 * @param pattern the route's full path in braces
 */
export function requestPipeline(
  context: PipelineContext,
  route: Route,
  pattern: string,
): (request: RoutedRequest, reply: FastifyReply) => Promise<void> {
  const chooseType = typeChoice(route.produces);
  const named = pattern.includes('{');
  return async (request, reply) => {
    if (request.note !== null) request.note.route = pattern;
    const body =
      route.body === undefined
        ? null
        : requestBody(request.raw, reply.raw, route.body, context.pace, () => context.inFlight.holding(call.costKey));
    const { bodyArrived, end } = underWay(route, request.raw);
    const call = new RequestCall(request, body, bodyArrived);
    let audited = false;
    try {
      // The router accepts `//` as a parameter without a value; no record has an empty name.
      if (named && Object.values(request.params).includes('')) throw context.notFound(request.raw.url);
      const checked = checkCaller(context, route, call, request, reply);
      if (checked instanceof Promise) await checked;
      const type = chooseType(request.headers.accept);
      if (type === null) throw notAcceptable(route);
      if (route.method === 'POST') checkAnnouncedBody(route.body, request.headers);
      // Responses of public routes are small, or shared by all requests.
      if (route.access !== 'public') context.inFlight.check(call.costKey);
      if (route.body === undefined && route.turn !== 'own') await call.turn();
      const handled = route.handle(call);
      const answer = handled instanceof Promise ? await handled : handled;
      if ('error' in answer) {
        audited = true;
        throw answer.error;
      }
      if (route.method === 'GET' && call.isCheckedLongAgo) await confirmReader(call, answer);
      if (answer.body instanceof Readable) watch(context, answer.body, request, reply);
      reply.headers(context.headers);
      if (body?.leave() === false) reply.header('connection', 'close');
      endConnection(context, request, reply);
      tellTimes(call, request, reply);
      const compressed = compressedFor(context, call, request, reply);
      const sent = send(reply, answer, type, compressed, watchOver(context, call.costKey));
      if (answer.body instanceof Readable) call.standAside();
      if (sent instanceof Promise) await sent;
    } catch (error) {
      if (body?.leave() === false) reply.header('connection', 'close');
      if (route.action !== undefined && call.hasPrincipal && !audited && !(error instanceof Shed))
        await recordRefusal(context, { action: route.action, call, problem: problemOfError(error) }, request);
      // A delayed refusal is no work, and must not keep others waiting.
      call.endTurn();
      end();
      if (call.isAnonymous) await heldBack(context, error, request, reply);
      body?.release();
      refuse(context, await paced(context, error, call, request), request, reply, route, call);
    } finally {
      end();
      call.endTurn();
      body?.release();
    }
  };
}

/** Waits until a refusal for too many requests is due, and tells when the next one is. */
async function paced(
  { refusalPace }: PipelineContext,
  error: unknown,
  { hasPrincipal }: RequestCall,
  { raw }: FastifyRequest,
): Promise<unknown> {
  if (error instanceof Shed) {
    const held = refusalPace.hold(raw);
    if (held !== null) await held;
    return error.in(refusalPace.tell(raw));
  }
  if (hasPrincipal && error instanceof Problem && error.slug === 'quota-exceeded') {
    const held = refusalPace.holdBeyondRate(raw);
    if (held !== null) await held;
  }
  return error;
}

function compressedFor(
  context: PipelineContext,
  call: RequestCall,
  request: FastifyRequest,
  reply: FastifyReply,
): Compressed | null {
  const coding = context.chooseCoding(call.header('accept-encoding'));
  if (coding === null) return null;
  const make = (body: Buffer): Promise<Buffer | null> => context.compress(call.costKey, body, coding);
  if ((request.watched?.times ?? null) === null) return { coding, make };
  return { coding, make: (body) => make(body).finally(() => tellTimes(call, request, reply)) };
}

function watchOver({ pace, inFlight, metrics }: PipelineContext, costKey: string): AnswerWatch {
  return watchAnswer(
    pace,
    (bytes) => inFlight.add(costKey, bytes),
    () => metrics.shed('unread-answer'),
  );
}

/** A response that breaks off can be reported only to the operator. */
function watch(context: PipelineContext, body: Readable, request: FastifyRequest, reply: FastifyReply): void {
  body.once('error', (err) => {
    if (reply.raw.headersSent)
      context.logger.error({ err, requestId: request.id, route: request.note?.route }, 'an answer broke off');
  });
}

/**
 * Announces that the connection ends with the response: because it is supposed to, or because part of the body was not
 * read.
 */
function endConnection(context: PipelineContext, request: FastifyRequest, reply: FastifyReply): void {
  // A draining server has already announced it in the pending response.
  const ends = context.stopping() || !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close';
  if (dropUnread(request.raw, ends)) reply.header('connection', 'close');
}

/** Refuses an unknown caller, at the pace for such refusals. */
export async function refuseAnonymous(
  context: PipelineContext,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  await heldBack(context, error, request, reply);
  refuse(context, error, request, reply);
}

/**
 * Responds with the problem for an error; a bug is logged with its stack.
 * @param route null when none matches the request
 */
function refuse(
  context: PipelineContext,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  route: Pick<Route, 'access' | 'silent500'> | null = null,
  call: RequestCall | null = null,
): void {
  const problem = problemOfError(error);
  if (problem instanceof Shed) context.metrics.shed(problem.reason);
  const { answer, traceId } = problemAnswer(problem, {
    baseUrl: context.baseUrl,
    requestId: request.id,
    path: splitTarget(request.raw.url ?? '/').path,
    traceparent: request.headers.traceparent,
    span: request.watched?.span?.traceparent ?? null,
    accept: request.headers.accept,
    chooseType: context.chooseProblemType,
    silent500: route?.silent500 === true,
    // Routes that need a token are for programs, and their errors are JSON for everybody (clause 7.1).
    page: (route === null || route.access === 'public') && isOpenedByPerson(request.raw),
  });
  if (problem.slug === 'internal-error')
    context.logger.error({ err: error, requestId: request.id, route: request.note?.route, traceId }, 'internal error');
  else if (problem.cause !== undefined)
    context.logger.error(
      { err: problem.cause, requestId: request.id, route: request.note?.route, traceId },
      problem.detail,
    );
  if (request.note !== null) {
    request.note.problem = problem.slug;
    request.note.problemDetail = problem.detail;
    request.note.traceId = traceId;
  }
  withdraw(reply);
  reply.headers(context.headers);
  if (call !== null) tellTimes(call, request, reply);
  if (answer.headers.connection !== undefined) reply.header('connection', answer.headers.connection);
  endConnection(context, request, reply);
  send(reply, answer, null, null, watchOver(context, addressKey(request.ip)));
}

/**
 * Removes the headers of a response that could not be sent: they may be the cause, and they do not apply to the
 * refusal.
 */
function withdraw(reply: FastifyReply): void {
  for (const name of Object.keys(reply.getHeaders())) if (!envelope.test(name)) reply.removeHeader(name);
}

const envelope = /^(?:x-request-id|x-content-type-options|ratelimit|ratelimit-policy|connection|access-control-.*)$/;

function notAcceptable(route: Route): Problem {
  return new Problem(
    'not-acceptable',
    `This endpoint answers with ${route.produces.join(', ')}. Send one of them in Accept, or leave the header out.`,
  );
}
