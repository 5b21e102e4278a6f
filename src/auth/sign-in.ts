// One attempt to sign in: counted, put in line, compared; and answered alike whether the login exists or not.
import { createThrottle, type ThrottleOptions } from './throttle.ts';
import { authenticate, type User } from './users.ts';

export type SignInOutcome =
  | { readonly user: User }
  | { readonly user: null; readonly fault: 'credentials' }
  /** Whole seconds to wait, at least 1. */
  | { readonly user: null; readonly fault: 'throttled'; readonly wait: number };

/** @param address address of the browser, behind trusted proxies the one that they report */
export type SignIn = (login: string, password: string, address: string) => Promise<SignInOutcome>;

/**
 * Each comparison takes 19 MiB and a thread of the pool, which has four by default: with two at a time, files, names and
 * compression always find a free one, and memory stays below 40 MiB. Thirty-two in line are done in about a second, the
 * longest that a person should wait; whoever comes after them is told to try again.
 */
const comparisons = { running: 2, waiting: 32 } as const;

/** Makes the sign-in of one process. */
export function createSignIn(options: ThrottleOptions): SignIn {
  const { db } = options;
  const throttle = createThrottle(options);
  const inLine = createLine(comparisons);
  const attempt = async (login: string, password: string, address: string): Promise<SignInOutcome> => {
    const admission = await throttle.check(login, address);
    if (!admission.allowed) return { user: null, fault: 'throttled', wait: admission.wait };
    const user = await authenticate(db, login, password);
    if (user === null) {
      await throttle.failed(login, address);
      return { user: null, fault: 'credentials' };
    }
    await throttle.succeeded(login, address);
    return { user };
  };
  return async (login, password, address) => {
    const outcome = await inLine(() => attempt(login, password, address));
    return outcome === 'full' ? { user: null, fault: 'throttled', wait: 2 } : outcome;
  };
}

/**
 * Runs a bounded number of works at a time and lets a bounded number wait, first come first served.
 * @returns what the work gives, or `full` without starting it
 */
export function createLine(bounds: { readonly running: number; readonly waiting: number }): <T>(work: () => Promise<T>) => Promise<T | 'full'> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= bounds.running) {
      if (waiting.length >= bounds.waiting) return 'full';
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else running += 1;
    try {
      return await work();
    } finally {
      // The place goes straight to the next in line, so that nobody slips in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
