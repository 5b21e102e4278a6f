// Keeps connections that ask again too early from costing anything: the next refusal on such a one takes its time.
import type { Socket } from 'node:net';

/**
 * Waits before a request is refused that came sooner than the last refusal on its connection had asked for; at once
 * (undefined) where it did not.
 * @param seconds what the refusal says, counted from when it is given
 */
export type RefusalDelay = (socket: Socket, seconds: number) => Promise<void> | undefined;

/**
 * Makes the delay of one server. Whoever minds `Retry-After` is never held up. Of whoever does not, each connection
 * costs one refusal in that time, however fast it asks. The connections have a bound, so what is held has one too.
 */
export function createRefusalDelay(): RefusalDelay {
  const nextOf = new WeakMap<Socket, number>();
  let held: { readonly until: number; readonly resume: () => void }[] = [];
  let timer: NodeJS.Timeout | null = null;
  const look = (): void => {
    const now = performance.now();
    const over = held.filter(({ until }) => until <= now);
    held = held.filter(({ until }) => until > now);
    for (const { resume } of over) resume();
    if (held.length > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
  return (socket, seconds) => {
    const now = performance.now();
    const until = nextOf.get(socket) ?? 0;
    // One waits already: what was sent behind it is answered behind it anyway.
    if (until > now + 1000 * seconds) return undefined;
    nextOf.set(socket, Math.max(now, until) + 1000 * seconds);
    if (until <= now) return undefined;
    timer ??= setInterval(look, lookEveryMs);
    return new Promise((resume) => held.push({ until, resume }));
  };
}

const lookEveryMs = 50;
