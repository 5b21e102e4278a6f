// Identifies the sender of a request and decides whether it may come in: bearer check, room for one more, rate, and
// permissions of its principal.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { thenMaybe, type MaybePromise } from '../model/maybe-promise.ts';
import { Problem } from '../model/problem.ts';
import { textBlock } from '../model/text-block.ts';
import { addressKey } from './address-parts.ts';
import type { RequestCall } from './call.ts';
import { costKeyOf } from './cost-key.ts';
import { RefusedPrincipal } from './refused-principal.ts';
import type { PipelineContext, RequestFacts } from './request-pipeline.ts';
import type { RequestKind } from './request-turn.ts';
import type { Answer, Principal, Route } from './route.ts';

/**
 * Identifies the caller and counts the request for it, or for the address if the caller is anonymous. The request is
 * counted before anything else is refused to a known principal, so that refusals are bounded too. An unknown caller is
 * refused without being counted, and so is a request for which there is no room.
 * @throws Problem 401, 403, 429, 503
 */
export function checkCaller(
  context: PipelineContext,
  route: Route,
  call: RequestCall,
  request: FastifyRequest,
  reply: FastifyReply,
): MaybePromise<void> {
  const count = (costKey: string): MaybePromise<void> =>
    thenMaybe(context.rates.take(route.rate, costKey), (headers) => void reply.headers(headers));
  if (route.access === 'public') return count(addressKey(request.ip));
  const authorization = authorizationOf(request.raw.rawHeaders);
  const known = route.access === 'token' ? context.knownPrincipal(authorization) : null;
  return thenMaybe(known ?? principalOf(context, route, authorization, { call, request, count }), (principal) => {
    if (request.note !== null) {
      request.note.clientId = principal.clientId;
      request.note.subject = principal.subject;
      request.note.activityCodes = principal.activityCodes;
    }
    const costKey = costKeyOf(principal);
    return thenMaybe(roomFor(context, costKey, request), () => {
      const again = async (): Promise<Principal> => {
        const standing = await context.admitAgain(principal);
        refuseUnlessAllowed(route, standing);
        return standing;
      };
      call.admit(principal, costKey, context.admission.turnOf(requestKindOf(route), costKey, call), again);
      return thenMaybe(count(costKey), () => refuseUnlessAllowed(route, principal));
    });
  });
}

/** What took long to read is not given to somebody whose access ended meanwhile: to all of it, or to an activity. */
export async function confirmReader(call: RequestCall, { body }: Answer): Promise<void> {
  const { everything = false, activityCodes } = call.principal;
  try {
    await call.confirmAccess(...(everything ? [] : activityCodes));
  } catch (error) {
    if (body instanceof Readable) body.destroy();
    throw error;
  }
}

/**
 * Refuses a request before any work is done for it, when too many are open. A request that comes too early after the
 * last refusal on its connection is held until its time, and then served only if the overload is over: its client may
 * have given up after a second or more, and in an overload every free place has somebody else waiting for it.
 * @returns null: there is room
 */
function roomFor(
  { admission, refusalPace }: PipelineContext,
  costKey: string,
  { raw }: FastifyRequest,
): Promise<void> | null {
  const refusal = admission.refusalOf(costKey);
  if (refusal === null) return null;
  const held = refusalPace.hold(raw);
  if (held === null) throw refusal;
  return held.then(() => {
    if (raw.socket.destroyed || !admission.isCalm(costKey)) throw refusal;
    refusalPace.forget(raw);
  });
}

/** Refuses a known principal that is not allowed to do this. */
function refuseUnlessAllowed(route: Route, principal: Principal): void {
  if (route.access === 'token' && principal.readOnly && route.method === 'POST') {
    throw new Problem(
      'read-only-client',
      'This client may read only. Ask the operator of the service for a client that may write.',
    );
  }
  if (route.role !== undefined && principal.roles?.includes(route.role) !== true)
    throw new Problem('role-missing', roleMissing(route.role, principal), { role: route.role });
  if (principal.activityCodes.length === 0 && route.withoutActivity !== true)
    throw new Problem('activity-forbidden', 'No activity is opened: there is none yet. Ask an operator to add one.');
}

function roleMissing(role: string, { kind, roles = [] }: Principal): string {
  const has = roles.join(', ') || 'none';
  return kind === 'operator'
    ? textBlock`
        This needs an operator with the role ${role}; you have ${has}. Another operator gives it to you with
        \`user change LOGIN --add-role ${role}\`.
      `
    : textBlock`
        This needs a platform key with the role ${role}; this key has ${has}. The operator makes one with
        \`key add NAME --role ${role}\`.
      `;
}

/**
 * Writes are done entirely in the database. A label is made by its carrier, and an upload takes as long as its
 * connection needs.
 */
function requestKindOf({ method, rate, asksCarrier }: Route): RequestKind {
  if (rate === 'label' || asksCarrier === true) return 'outside';
  return method === 'POST' ? 'write' : 'read';
}

interface Asking {
  readonly call: RequestCall;
  readonly request: FastifyRequest;
  readonly count: (costKey: string) => MaybePromise<void>;
}

async function principalOf(
  { authenticate, authenticatePlatform }: PipelineContext,
  { access }: Route,
  authorization: string | undefined,
  { call, request, count }: Asking,
): Promise<Principal> {
  const facts: RequestFacts = {
    requestId: call.requestId,
    address: request.ip,
    path: call.path,
    queryText: call.queryText,
  };
  try {
    return await (access === 'token' ? authenticate : authenticatePlatform)(authorization, facts);
  } catch (error) {
    if (error instanceof RefusedPrincipal) {
      if (request.note !== null) request.note.clientId = error.principal.clientId;
      await count(costKeyOf(error.principal));
    }
    throw error;
  }
}

/** All `Authorization` lines of a request, joined: Node itself silently keeps only the first. */
export function authorizationOf(rawHeaders: readonly string[]): string | undefined {
  let found: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length !== nameLength || name.toLowerCase() !== 'authorization') continue;
    found = found === undefined ? rawHeaders[index + 1] : `${found}, ${rawHeaders[index + 1]}`;
  }
  return found;
}

const nameLength = 'authorization'.length;
