// Carries one request through bearer check, rate limit and negotiation to its handler, and its answer to the socket.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { requestUnderWay } from '../model/cooperative-yield.ts';
import { Problem } from '../model/problem.ts';
import { addressKey } from './address-parts.ts';
import type { Admission } from './admission.ts';
import { heldBack, type HoldBack } from './anonymous-refusals.ts';
import { admit } from './admit.ts';
import { type Pace, requestBody } from './body.ts';
import { checkAnnouncedBody } from './body-rules.ts';
import { RequestCall, splitTarget } from './call.ts';
import { type CodingChoice, codingChoice, type Compression, fairCompression } from './compress.ts';
import type { InFlight } from './in-flight.ts';
import type { Note } from './log.ts';
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
import { tellTimes } from './server-timing.ts';
import { Shed } from './shed.ts';
import { dropUnread } from './unread.ts';
import { type AnswerWatch, watchAnswer } from './unread-answers.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null where the request could not be routed at all. */
    note: Note | null;
    /** Null as the note is. */
    watched: RequestWork | null;
  }
}

/** What the bearer check may want to know of a request beyond its `Authorization` header. */
export interface RequestFacts {
  readonly requestId: string;
  /** Address of the client, behind trusted proxies the one that they report. */
  readonly address: string;
  readonly path: string;
  readonly queryText: string;
}

/**
 * Verifies an `Authorization` header. Throws Problem 401 for a token that will not do, RefusedCaller (403) for a
 * genuine one that may not come in, 503 where that cannot be known now.
 */
export type Authenticate = (authorization: string | undefined, facts: RequestFacts) => Principal | Promise<Principal>;

/** Detail of a 404 for a path of the sign-in pages. */
export const notFound = 'There is nothing at this path. Paths are case-sensitive and have no slash at the end.';

/** What all requests share on their way. */
export interface PipelineContext {
  readonly authenticate: Authenticate;
  /** The principal of a token that was checked a moment ago, and of which nobody has to be asked; null: of others. */
  readonly knownPrincipal: (authorization: string | undefined) => Principal | null;
  /** For routes that want a platform key. */
  readonly authenticatePlatform: Authenticate;
  readonly rates: Rates;
  readonly logger: Logger;
  readonly baseUrl: string;
  /** The 404 of a target (`not-found.ts`). */
  readonly notFound: (target: string | undefined) => Problem;
  readonly chooseProblemType: TypeChoice;
  readonly chooseCoding: CodingChoice;
  readonly compress: Compression;
  /** How long bodies and answers may take. */
  readonly pace: Pace;
  /** Memory that bodies and answers on their way may hold. */
  readonly inFlight: InFlight;
  /** Who may have work done, and when. */
  readonly admission: Admission;
  /** Keeps refusals of clients that nobody knows to a pace. */
  readonly holdBack: HoldBack;
  /** Keeps refusals of those whom there is no room for to a pace. */
  readonly refusalPace: RefusalPace;
  readonly metrics: Metrics;
  /** Headers of every answer of ours: `Vary` and what browsers must not do with it. */
  readonly headers: Readonly<Record<string, string>>;
  /** Is told of writes that known principals asked for in vain, before they hear of it; null: nobody is. */
  readonly onRefusedWrite: ((refused: RefusedWrite) => Promise<void>) | null;
  /** The server is being closed: connections end with their answer. */
  readonly stopping: () => boolean;
}

type RoutedRequest = FastifyRequest<{ Params: Record<string, string> }>;

/** The choices that are the same for every request, and what they lead to. */
export function pipelineChoices(): Pick<PipelineContext, 'chooseProblemType' | 'chooseCoding' | 'compress'> {
  return { chooseProblemType: typeChoice(problemTypes), chooseCoding: codingChoice(), compress: fairCompression() };
}

/**
 * The handler of a route. Its steps and the statuses that each can answer: bearer check (401, 503), rate limit (429),
 * what the principal may do at all (403), negotiation (406), what the request says of its body (415, 413), room and a
 * turn for its work (429, 503), then the route's own handler.
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
    const call = new RequestCall(request, body);
    const end = underWay(route);
    let audited = false;
    try {
      // The router lets `//` through as a parameter without a value; no record has an empty name.
      if (named && Object.values(request.params).includes('')) throw context.notFound(request.raw.url);
      await admit(context, route, call, request, reply);
      const type = chooseType(request.headers.accept);
      if (type === null) throw notAcceptable(route);
      if (route.method === 'POST') checkAnnouncedBody(route.body, request.headers);
      // What public routes answer is small, or kept for all.
      if (route.access !== 'public') context.inFlight.check(call.costKey);
      if (route.body === undefined && route.turn !== 'own') await call.turn();
      const answer = await route.handle(call);
      if ('error' in answer) {
        audited = true;
        throw answer.error;
      }
      if (answer.body instanceof Readable) watch(context, answer.body, request, reply);
      reply.headers(context.headers);
      if (body?.leave() === false) reply.header('connection', 'close');
      endConnection(context, request, reply);
      tellTimes(call, request, reply);
      await send(reply, answer, type, compressedFor(context, call, request, reply), watchOver(context, call.costKey));
    } catch (error) {
      if (body?.leave() === false) reply.header('connection', 'close');
      if (route.action !== undefined && call.hasPrincipal && !audited && !(error instanceof Shed))
        await recordRefusal(context, { action: route.action, call, problem: problemOfError(error) }, request);
      // A refusal that waits for its time is no work, and must not keep others away.
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

/** Feeds give way to it. A body that is taken in as it arrives may be that of a feed, or as slow as its line. */
function underWay({ method, turn }: Route): () => void {
  return method === 'POST' && turn === 'own' ? () => undefined : requestUnderWay(method === 'GET' ? 'read' : 'write');
}

/** Waits until it is the turn of a refusal for asking too much, and says when the next one is. */
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

/** An answer that breaks off can be told to nobody but the operator. */
function watch(context: PipelineContext, body: Readable, request: FastifyRequest, reply: FastifyReply): void {
  body.once('error', (err) => {
    if (reply.raw.headersSent)
      context.logger.error({ err, requestId: request.id, route: request.note?.route }, 'an answer broke off');
  });
}

/** Says so where the connection ends with the answer: because it is to, or because of what was not read of the body. */
function endConnection(context: PipelineContext, request: FastifyRequest, reply: FastifyReply): void {
  // A server that drains has said so already, by what the answer is going to say.
  const ends = context.stopping() || !reply.raw.shouldKeepAlive || reply.getHeader('connection') === 'close';
  if (dropUnread(request.raw, ends)) reply.header('connection', 'close');
}

/** Refuses somebody of whom nobody knows who it is, at the pace that there is for them. */
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
 * Answers with the problem that an error stands for; a bug is logged with its stack.
 * @param route null where none fits the request
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
    // What wants a token is for programs, and its errors are JSON for whoever asks (clause 7.1).
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
 * Takes back the headers of an answer that could not be sent: they may be the reason, and they are untrue of the
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
