// Bounds what refused requests of clients that nobody knows may cost: those beyond a rate are answered late, with the
// status that they would have anyway.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problems } from '../model/problem.ts';
import { addressKey, networkKey } from './address-parts.ts';
import { problemOfError } from './problem-answer.ts';
import { RefusedPrincipal } from './refused-principal.ts';
import { Shed } from './shed.ts';

/**
 * Counts a refusal and waits for as long as it is to be held back.
 * @returns null: it need not wait
 */
export type HoldBack = (address: string, request: IncomingMessage, response: ServerResponse) => Promise<void> | null;

/** Longest wait of a refusal. */
export const maxHeldMs = 5000;
/** Refusals that are held back at a time; further ones are answered at once, and their connection ends. */
export const maxHeld = 500;
/** What a network may have refused in relation to one address of it. */
const addressesOfNetwork = 10;
/** Seconds of the rate that may come at once. */
const burstSeconds = 10;
/** Addresses and networks that are remembered at a time; who has asked for nothing in longest is forgotten first. */
const maxRemembered = 20_000;

/**
 * Makes the count of one process: what it protects is the process itself. Without a token the answer is 401 however
 * often (clause 5.4), so it is the pace that is limited: a connection that waits for its answer asks for nothing else.
 * Whoever is known by a token never waits here, whatever others at the same address do.
 * @param perMinute refusals of one address (IPv6: network of 64 bits) in a minute before they wait, a network (IPv4: 24
 * bits, IPv6: 48) having ten times as many; 0: no limit
 */
export function createHoldBack(perMinute: number, now: () => number = () => performance.now()): HoldBack {
  if (perMinute === 0) return () => null;
  const addresses = createPace(perMinute, now);
  const networks = createPace(perMinute * addressesOfNetwork, now);
  const holding = new WeakSet<object>();
  let held = 0;
  return (address, { socket }, response) => {
    const waitMs = Math.min(maxHeldMs, Math.max(addresses(addressKey(address)), networks(networkKey(address))));
    if (waitMs <= 0) return null;
    // What is sent behind a refusal that waits has been worked on before it could be stopped: no more of that.
    if (holding.has(socket)) {
      socket.destroy();
      return null;
    }
    if (held >= maxHeld) {
      response.setHeader('connection', 'close');
      return null;
    }
    held += 1;
    holding.add(socket);
    return new Promise((resolve) => {
      const answer = (): void => {
        clearTimeout(timer);
        response.off('close', answer);
        held -= 1;
        holding.delete(socket);
        resolve();
      };
      const timer = setTimeout(answer, waitMs);
      response.once('close', answer);
    });
  };
}

/** Waits for as long as a refusal is held back: what is our own fault never is, nor what has a count of its own. */
export async function heldBack(
  { holdBack }: { readonly holdBack: HoldBack },
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const problem = problemOfError(error);
  const isPaced =
    problems[problem.slug].status < 500 && !(problem instanceof Shed || error instanceof RefusedPrincipal);
  if (isPaced) await holdBack(request.ip, request.raw, reply.raw);
}

/**
 * @returns what counts one more of somebody and gives the milliseconds until it would have been its turn, each having
 * its own some time after the last; none while it is within what may come at once
 */
function createPace(perMinute: number, now: () => number): (costKey: string) => number {
  const apartMs = 60_000 / perMinute;
  const burstMs = 1000 * burstSeconds;
  /** When it is the turn of the next one, by whoever asks; who asked last stands last. */
  const turns = new Map<string, number>();
  return (costKey) => {
    const at = now();
    // What nobody waits for is not counted: whoever stops is served at once after a while.
    const turn = Math.min(Math.max(turns.get(costKey) ?? 0, at), at + burstMs + maxHeldMs);
    turns.delete(costKey);
    turns.set(costKey, turn + apartMs);
    for (const other of turns.keys()) {
      if (turns.size <= maxRemembered) break;
      turns.delete(other);
    }
    return turn + apartMs - at - burstMs;
  };
}
