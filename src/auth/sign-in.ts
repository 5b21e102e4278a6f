// One attempt at a password or a code: counted, queued, compared. The answer is the same whether or not the login
// exists.
import type { Store } from '../store/store.ts';
import { createAddressQueue, originOf } from './address-queue.ts';
import { type Attempt, createThrottle, type ThrottleOptions } from './throttle.ts';
import { authenticate, type User } from './users.ts';

type Throttled = {
  readonly fault: 'throttled';
  /** Whole seconds to wait, at least 1. */
  readonly wait: number;
};

type PasswordOutcome = { readonly user: User } | NotRight | Shut;
type NotRight = { readonly user: null; readonly fault: 'credentials' };
type Shut = Throttled & { readonly user: null };

/** Outcome of a code; `used`: it was accepted before. */
export type CodeOutcome = 'right' | 'used' | 'wrong';

export interface SignIn {
  /** Compares a password. */
  readonly password: (attempt: Attempt & { readonly password: string }) => Promise<PasswordOutcome>;
  /**
   * Tries one code.
   * @param attempt with `codeOf`
   * @param take anything but `right` counts as a failed attempt: somebody who saw a code being typed must not be able
   *   to reset the count with it
   */
  readonly code: (
    attempt: Attempt & { readonly codeOf: string },
    take: () => Promise<CodeOutcome>,
  ) => Promise<CodeOutcome | Throttled>;
}

/**
 * Each comparison takes 19 MiB and a pool thread, of which there are four by default. With two at a time, files, name
 * resolution and compression always find a free one, and memory stays below 40 MiB. A queue of thirty-two takes about a
 * second, the longest that a person should wait. An office behind one address has eight of these places, a network
 * sixteen.
 */
const comparisons = { maxRunning: 2, maxWaiting: 32, maxPerNetwork: 16, maxPerAddress: 8 } as const;

/**
 * Makes the sign-in of one process.
 * @param isPasswordEnough whether a right password resets the counts: if a code follows it, somebody who knows the
 *   password could otherwise try codes without end
 */
export function createSignIn(
  options: ThrottleOptions & {
    readonly store: Pick<Store, 'users'>;
    readonly isPasswordEnough: (user: User) => boolean;
  },
): SignIn {
  const { store, isPasswordEnough } = options;
  const throttle = createThrottle(options);
  const queue = createAddressQueue(comparisons);
  return {
    password: async ({ password, ...attempt }) => {
      const from =
        attempt.browser === null ? originOf(attempt.address) : { network: attempt.browser, address: attempt.browser };
      // Before the database is queried: a flood must not cost more than what gets through of it.
      if (!queue.hasPlace(from)) return tooMany;
      const admission = await throttle.check(attempt);
      if (!admission.allowed) return { user: null, fault: 'throttled', wait: admission.wait };
      const user = await queue.run(from, () => authenticate(store, attempt.login, password));
      if (user === 'full') {
        await throttle.withdrawn(attempt);
        return tooMany;
      }
      if (user === null) {
        await throttle.failed(attempt);
        return { user: null, fault: 'credentials' };
      }
      await (isPasswordEnough(user) ? throttle.succeeded(attempt) : throttle.withdrawn(attempt));
      return { user };
    },
    code: async (attempt, take) => {
      const admission = await throttle.check(attempt);
      if (!admission.allowed) return { fault: 'throttled', wait: admission.wait };
      const outcome = await take();
      await (outcome === 'right' ? throttle.succeeded(attempt) : throttle.failed(attempt));
      return outcome;
    },
  };
}

const tooMany: Shut = { user: null, fault: 'throttled', wait: 2 };
