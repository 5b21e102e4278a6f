// Bounds what refusals cost: so many a second for the process, each connection being told when its next one comes.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The pace of the refusals of one server. */
export interface RefusalPace {
  /**
   * Waits until a request that there is no room for may be refused. At once (null) on a connection that minded the last
   * refusal, and on one that was not refused yet as long as few of those come; else until its time has come.
   */
  readonly hold: (request: IncomingMessage) => Promise<void> | null;
  /** The same for a request beyond a rate: at once as long as few of those come, minding or not. */
  readonly holdBeyondRate: (request: IncomingMessage) => Promise<void> | null;
  /**
   * To be called when a request is refused for want of room: plans the next refusal on its connection.
   * @returns whole seconds until then, for `Retry-After`
   */
  readonly tell: (request: IncomingMessage) => number;
  /** To be called when a request that was held is served after all. */
  readonly forget: (request: IncomingMessage) => void;
  /** Lets all go on, and holds nothing any more. */
  readonly close: () => void;
}

interface RefusalPaceLimits {
  /**
   * Refusals in a second of connections that were refused before. As many of others come at once; beyond, they wait for
   * a second.
   */
  readonly perSecond: number;
  /** The same of requests beyond a rate, which cost more to refuse. */
  readonly beyondRatePerSecond: number;
  /** Longest time that is told. */
  readonly maxSeconds: number;
}

/**
 * Some thirtieth of a processor each, since those for want of room are refused before the framework sees them: 2,000
 * connections that are all refused hear of it every 5 s.
 */
export const defaultRefusalPace: RefusalPaceLimits = { perSecond: 400, beyondRatePerSecond: 200, maxSeconds: 10 };

/**
 * Makes the pace of one server. Whoever minds `Retry-After` is never held up: each time is told to one connection
 * alone, so not more come back than can be refused.
 * @param now milliseconds of a clock that is never set
 */
export function createRefusalPace(
  { perSecond, beyondRatePerSecond, maxSeconds }: RefusalPaceLimits,
  now: () => number = () => performance.now(),
): RefusalPace {
  const usualApartMs = 1000 / perSecond;
  const beyondRateApartMs = 1000 / beyondRatePerSecond;
  /** When the next request on a connection that was refused may be refused. */
  const nextOf = new WeakMap<Socket, number>();
  const seen = new WeakSet<IncomingMessage>();
  const held = createHeld(now);
  /** The last time that was told, and the last one given to a connection that was not refused yet. */
  let lastTold = 0;
  let lastNew = 0;
  let isClosed = false;
  const nextTime = (at: number, apartMs: number): number =>
    Math.min(at + 1000 * maxSeconds, Math.max(lastTold + apartMs, at + leastMs));
  /** When a connection that was not refused yet may be. It is not put off for longer: others would only follow it. */
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
    // What was sent behind it without waiting for an answer is not refused together with it.
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

/** The least time that is told, and what may come at once: milliseconds. */
const leastMs = 1000;

interface Held {
  readonly wait: (socket: Socket, until: number) => Promise<void>;
  readonly letGo: () => void;
}

/**
 * Requests that wait, each until a time of its own or until its client has gone: one timer for all. They stand by when
 * their time comes, so that a look at those whose time has come costs nothing for the others.
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

/** One who waits until an instant of the clock. */
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
