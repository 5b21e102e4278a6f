// Bounds the cost of refused requests from unknown clients: those beyond a rate are answered late, with the status that
// they would get anyway.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { problems } from '../model/problem.ts';
import type { Quotas } from '../model/quota.ts';
import { addressKey, networkKey } from './address-parts.ts';
import { problemOfError } from './problem-answer.ts';
import { createBucket } from './rate-bucket.ts';
import { unsharedQuotas } from './rates.ts';
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

/** Which processes share the allowance, and a monotonic clock in milliseconds. */
interface HoldBackOptions {
  /** Shared with the other processes of a database; absent: this one counts for itself. */
  readonly quotas?: Quotas;
  /** Processes of this server, which divide its pace; default: 1. */
  readonly workers?: number | undefined;
  readonly now?: () => number;
}

/**
 * Makes the pace of one process. Without a token the answer is always 401 (clause 5.4), so the pace is limited instead:
 * a connection that waits for its answer sends no further request. A caller with a valid token never waits here,
 * whatever others at the same address do. What is held counts for all processes of the database; refusals within the
 * burst do not, so that a flood from many addresses writes nothing.
 * @param perMinute refusals for one address (IPv6: network of 64 bits) per minute before they wait; a network (IPv4: 24
 *   bits, IPv6: 48) may have ten times as many; 0: no limit
 */
export function createHoldBack(perMinute: number, options: HoldBackOptions = {}): HoldBack {
  if (perMinute === 0) return () => null;
  const paces = [
    { keyOf: addressKey, ...createPace('anonymous', perMinute, options) },
    { keyOf: networkKey, ...createPace('anonymous-network', perMinute * addressesOfNetwork, options) },
  ];
  const holding = new WeakSet<object>();
  let held = 0;
  return (address, { socket }, response) => {
    const turns = paces.map(({ keyOf, waitMs, isUsedUp }) => {
      const costKey = keyOf(address);
      return { ms: waitMs(costKey), isUsedUp: () => isUsedUp(costKey) };
    });
    const late = turns.filter(({ ms }) => ms > 0);
    if (late.length === 0) return null;
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
      let isOver = false;
      const answer = (): void => {
        isOver = true;
        clearTimeout(timer);
        response.off('close', answer);
        held -= 1;
        holding.delete(socket);
        resolve();
      };
      let timer = setTimeout(answer, Math.min(maxHeldMs, Math.max(...late.map(({ ms }) => ms))));
      response.once('close', answer);
      for (const { isUsedUp } of late)
        void isUsedUp().then((usedUp) => {
          if (!usedUp || isOver) return;
          clearTimeout(timer);
          timer = setTimeout(answer, maxHeldMs);
        });
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

interface Pace {
  /**
   * Counts one more refusal for a key and returns the milliseconds until its turn, each turn following the previous one
   * by a fixed interval; 0 or less within the burst allowance.
   */
  readonly waitMs: (costKey: string) => number;
  /** Counts one that waits. True when all processes together have answered as many in this minute as they may. */
  readonly isUsedUp: (costKey: string) => Promise<boolean>;
}

function createPace(
  kind: string,
  perMinute: number,
  { quotas = unsharedQuotas(), workers = 1, now = () => performance.now() }: HoldBackOptions,
): Pace {
  const bucket = createBucket({ kind, quota: perMinute, quotas, now });
  const apartMs = (60_000 * workers) / perMinute;
  const burstMs = 1000 * burstSeconds;
  /** The next turn of each key; the most recently used key is last. */
  const turns = new Map<string, number>();
  return {
    isUsedUp: async (costKey) => !(await bucket.count(costKey)).allowed,
    waitMs: (costKey) => {
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
    },
  };
}
