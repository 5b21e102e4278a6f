// Bounds the cost of refused requests from unknown clients: those beyond a rate are answered late, with the status that
// they would get anyway.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problems } from '../model/problem.ts';
import { addressKey, networkKey } from './address-parts.ts';
import { problemOfError } from './problem-answer.ts';
import { RefusedPrincipal } from './refused-principal.ts';
import { Shed } from './load-shedding.ts';

/**
 * Counts a refusal and delays it for as long as necessary.
 * @returns null: it need not wait
 */
export type HoldBack = (address: string, request: IncomingMessage, response: ServerResponse) => Promise<void> | null;

/** The longest delay of a refusal. */
export const maxHeldMs = 5000;
/** The most refusals delayed at a time; further ones are sent at once, and their connection is closed. */
export const maxHeld = 500;
/** Allowance for a network, as a multiple of that for one of its addresses. */
const addressesOfNetwork = 10;
/** Seconds' worth of the rate that may come at once. */
const burstSeconds = 10;
/** The most addresses and networks that are remembered; the one idle for longest is forgotten first. */
const maxRemembered = 20_000;

/**
 * Makes the counter of one process, because it protects the process itself. Without a token the answer is always 401
 * (clause 5.4), so the pace is limited instead: a connection that waits for its answer sends no further request. A
 * caller with a valid token never waits here, whatever others at the same address do.
 * @param perMinute refusals for one address (IPv6: network of 64 bits) per minute before they wait; a network (IPv4: 24
 *   bits, IPv6: 48) may have ten times as many; 0: no limit
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
    // Requests sent behind a delayed refusal were processed before they could be stopped: no more of them.
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

/** Delays a refusal if necessary: but never for our own faults, or for refusals with a limit of their own. */
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
 * @returns a function that counts one more refusal for a key and returns the milliseconds until its turn, each turn
 *   following the previous one by a fixed interval; 0 within the burst allowance
 */
function createPace(perMinute: number, now: () => number): (costKey: string) => number {
  const apartMs = 60_000 / perMinute;
  const burstMs = 1000 * burstSeconds;
  /** The next turn of each key; the most recently used key is last. */
  const turns = new Map<string, number>();
  return (costKey) => {
    const at = now();
    // Delays that nobody would wait for are not accumulated: a client that stops is served at once after a while.
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
