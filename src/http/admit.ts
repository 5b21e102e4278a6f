// Finds out who sends a request, and whether it may come in: bearer check, room for one more, rate, and what
// its principal may do at all.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../model/problem.ts';
import { textBlock } from '../model/text-block.ts';
import { addressKey } from './address-parts.ts';
import type { RequestCall } from './call.ts';
import { RefusedPrincipal } from './refused-principal.ts';
import type { Authenticate, PipelineContext, RequestFacts } from './request-pipeline.ts';
import type { Principal, Route } from './route.ts';
import { Shed } from './shed.ts';

/**
 * Finds out who calls and counts the request for them, or for the address where nobody says who they are. It counts
 * before anything else is refused to a known principal, so that refusals have a bound too; who is not known is refused
 * without being counted, and so is what there is no room for.
 * @throws Problem 401, 403, 429, 503
 */
export async function admit(
  context: PipelineContext,
  route: Route,
  call: RequestCall,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const count = async (costKey: string): Promise<void> => {
    reply.headers(await context.rates.take(route.rate, costKey));
  };
  if (route.access === 'public') return count(addressKey(request.ip));
  const principal = await principalOf(
    route.access === 'token' ? context.authenticate : context.authenticatePlatform,
    call,
    request,
    count,
  );
  if (request.note !== null) {
    request.note.clientId = principal.clientId;
    request.note.activityCodes = principal.activityCodes;
  }
  await checkRoom(context, principal.clientId, request);
  call.admit(principal, context.admission.turnOf(isLasting(route) ? 'write' : 'read', principal.clientId, call));
  await count(principal.clientId);
  refuseUnlessAllowed(route, principal);
}

/**
 * Refuses a request before anything is done for it, where too many are open. One that comes too early after the last
 * refusal on its connection is held until it is time, and then served only where the crowd is over: whoever sent it a
 * second ago or more may not wait for it any more, and somebody else waits for every place that is free in a crowd.
 */
async function checkRoom(
  { admission, refusalPace }: PipelineContext,
  costKey: string,
  { raw }: FastifyRequest,
): Promise<void> {
  try {
    admission.check(costKey);
  } catch (error) {
    if (!(error instanceof Shed)) throw error;
    const held = refusalPace.hold(raw);
    if (held === null) throw error;
    await held;
    if (raw.socket.destroyed || !admission.isCalm(costKey)) throw error;
    refusalPace.forget(raw);
  }
}

/** Refuses a principal who is known, but may not do this. */
function refuseUnlessAllowed(route: Route, principal: Principal): void {
  if (route.access === 'token' && principal.readOnly && route.method === 'POST') {
    throw new Problem(
      'read-only-client',
      'This client may read only. Ask the operator of the service for a client that may write.',
    );
  }
  if (route.role !== undefined && principal.roles?.includes(route.role) !== true) {
    throw new Problem(
      'role-missing',
      textBlock`
        This needs a platform key with the role ${route.role}; this key has
        ${principal.roles?.join(', ') ?? 'none'}. The operator makes one with \`key add NAME --role ${route.role}\`.
      `,
      { role: route.role },
    );
  }
}

/**
 * Writes that are done in the database alone; a label is made by its carrier, and an upload takes the time of its line.
 */
function isLasting({ method, rate }: Route): boolean {
  return method === 'POST' && rate !== 'label';
}

async function principalOf(
  authenticate: Authenticate,
  call: RequestCall,
  request: FastifyRequest,
  count: (costKey: string) => Promise<void>,
): Promise<Principal> {
  const facts: RequestFacts = {
    requestId: call.requestId,
    address: request.ip,
    path: call.path,
    queryText: call.queryText,
  };
  try {
    return await authenticate(authorizationOf(request.raw.rawHeaders), facts);
  } catch (error) {
    if (error instanceof RefusedPrincipal) {
      if (request.note !== null) request.note.clientId = error.clientId;
      await count(error.clientId);
    }
    throw error;
  }
}

/** All `Authorization` lines of a request, joined: Node itself keeps the first and drops the others without a word. */
function authorizationOf(rawHeaders: readonly string[]): string | undefined {
  const lines = rawHeaders.filter(
    (_text, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  );
  return lines.length === 0 ? undefined : lines.join(', ');
}
