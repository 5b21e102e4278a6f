// Bounds the cost of refusals: a limited number per second for the process, with each connection told when its next one
// is due.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The pace of the refusals of one server. */
export interface RefusalPace {
  /**
   * Waits until a request for which there is no room may be refused. At once (null) on a connection that obeyed the
   * last refusal, and on one that was not refused before as long as there are few of those; otherwise at its scheduled
   * time.
   */
  readonly hold: (request: IncomingMessage) => Promise<void> | null;
  /**
   * The same for a request beyond a rate: at once as long as there are few of those, whether or not their connections
   * obey.
   */
  readonly holdBeyondRate: (request: IncomingMessage) => Promise<void> | null;
  /**
   * Must be called when a request is refused for lack of room: schedules the next refusal on its connection.
   * @returns whole seconds until then, for `Retry-After`
   */
  readonly tell: (request: IncomingMessage) => number;
  /** Must be called when a delayed request is served after all. */
  readonly forget: (request: IncomingMessage) => void;
  /** Releases all delayed requests, and delays nothing any more. */
  readonly close: () => void;
}

interface RefusalPaceLimits {
  /**
   * Refusals per second for connections that were refused before. The same number of new ones is refused at once;
   * beyond that, they wait for a second.
   */
  readonly perSecond: number;
  /** The same for requests beyond a rate, which cost more to refuse. */
  readonly beyondRatePerSecond: number;
  /** The longest time that clients are told to wait. */
  readonly maxSeconds: number;
}

/**
 * A fiftieth of a processor for those without room, which are refused before the framework sees them: 2,000 connections
 * that are all refused get an answer every 8 s.
 */
export const defaultRefusalPace: RefusalPaceLimits = { perSecond: 250, beyondRatePerSecond: 200, maxSeconds: 10 };

/**
 * Makes the pace of one server. A client that obeys `Retry-After` is never delayed: each time is assigned to one
 * connection only, so that not more of them come back than can be refused.
 * @param now milliseconds of a monotonic clock
 */
export function createRefusalPace(
  { perSecond, beyondRatePerSecond, maxSeconds }: RefusalPaceLimits,
  now: () => number = () => performance.now(),
): RefusalPace {
  const usualApartMs = 1000 / perSecond;
  const beyondRateApartMs = 1000 / beyondRatePerSecond;
  /** When the next request on a refused connection may be refused. */
  const nextOf = new WeakMap<Socket, number>();
  const seen = new WeakSet<IncomingMessage>();
  const held = createHeld(now);
  /** The last assigned time, and the last one assigned to a connection that was not refused before. */
  let lastTold = 0;
  let lastNew = 0;
  let isClosed = false;
  const nextTime = (at: number, apartMs: number): number =>
    Math.min(at + 1000 * maxSeconds, Math.max(lastTold + apartMs, at + leastMs));
  /**
   * When a connection that was not refused before may be. It is not delayed further, because others would only follow
   * it.
   */
  const newTime = (at: number, apartMs: number): number => {
    lastNew = Math.min(at + leastMs, Math.max(lastNew + apartMs, at - leastMs));
    return lastNew;
  };
  const hold = (request: IncomingMessage, apartMs = usualApartMs): Promise<void> | null => {
    const { socket } = request;
    if (isClosed || socket.destroyed || seen.has(request)) return null;
    seen.add(request);
    const at = now();
    const until = nextOf.get(socket) ?? newTime(at, apartMs);
    // Pipelined requests behind it are not refused together with it.
    nextOf.set(socket, Math.max(until, at) + nextTime(at, apartMs) - at);
    return until <= at ? null : held.wait(socket, until);
  };
  const tell = ({ socket }: IncomingMessage, apartMs = usualApartMs): number => {
    const at = now();
    lastTold = nextTime(at, apartMs);
    const next = Math.max(lastTold, nextOf.get(socket) ?? 0);
    nextOf.set(socket, next);
    return Math.min(maxSeconds, Math.ceil((next - at) / 1000));
  };
  return {
    hold: (request) => hold(request),
    holdBeyondRate: (request) => {
      const at = now();
      if (lastNew + beyondRateApartMs <= at) {
        newTime(at, beyondRateApartMs);
        return null;
      }
      const waits = hold(request, beyondRateApartMs);
      tell(request, beyondRateApartMs);
      return waits;
    },
    tell: (request) => tell(request),
    forget: ({ socket }) => nextOf.delete(socket),
    close: () => {
      isClosed = true;
      held.letGo();
    },
  };
}

/** The shortest time that is assigned, and the burst allowance: milliseconds. */
const leastMs = 1000;

interface Held {
  readonly wait: (socket: Socket, until: number) => Promise<void>;
  readonly letGo: () => void;
}

/**
 * Delayed requests, each until its own time or until its client has gone: one timer for all. They are grouped by their
 * time, so that checking those that are due costs nothing for the others.
 */
function createHeld(now: () => number): Held {
  const bySlot = new Map<number, Waiting[]>();
  let timer: NodeJS.Timeout | null = null;
  let [lookedAt, goneAt] = [0, 0];
  const letGo = (slot: number, isOver: (waiting: Waiting) => boolean): void => {
    const waiting = bySlot.get(slot) ?? [];
    const left = waiting.filter((one) => !isOver(one));
    if (left.length === 0) bySlot.delete(slot);
    else if (left.length < waiting.length) bySlot.set(slot, left);
    for (const one of waiting) if (isOver(one)) one.resume();
  };
  const look = (): void => {
    const at = now();
    for (let slot = lookedAt; slot <= slotOf(at); slot += 1) letGo(slot, ({ until }) => until <= at);
    lookedAt = slotOf(at);
    if (at - goneAt >= lookForGoneEveryMs) {
      goneAt = at;
      for (const slot of [...bySlot.keys()]) letGo(slot, ({ socket }) => socket.destroyed);
    }
    if (bySlot.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
  return {
    wait: (socket, until) => {
      if (timer === null) {
        [lookedAt, goneAt] = [slotOf(now()), now()];
        timer = setInterval(look, lookEveryMs);
      }
      return new Promise((resume) => {
        const slot = Math.max(slotOf(until), lookedAt);
        const waiting = bySlot.get(slot);
        if (waiting === undefined) bySlot.set(slot, [{ socket, until, resume }]);
        else waiting.push({ socket, until, resume });
      });
    },
    letGo: () => {
      for (const slot of [...bySlot.keys()]) letGo(slot, () => true);
    },
  };
}

/** A request that waits until an instant of the clock. */
interface Waiting {
  readonly socket: Socket;
  readonly until: number;
  readonly resume: () => void;
}

const lookEveryMs = 50;
const lookForGoneEveryMs = 250;

function slotOf(instant: number): number {
  return Math.floor(instant / lookEveryMs);
}
