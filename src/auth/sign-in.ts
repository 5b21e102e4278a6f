// One attempt to sign in: counted, queued, compared; and answered alike whether the login exists or not.
import type { Store } from '../store/store.ts';
import { createAddressQueue, originOf } from './address-queue.ts';
import { type Attempt, createThrottle, type ThrottleOptions } from './throttle.ts';
import { authenticate, type User } from './users.ts';

type SignInOutcome =
  | { readonly user: User }
  | { readonly user: null; readonly fault: 'credentials' }
  /** Whole seconds to wait, at least 1. */
  | { readonly user: null; readonly fault: 'throttled'; readonly wait: number };

export type SignIn = (attempt: Attempt & { readonly password: string }) => Promise<SignInOutcome>;

/**
 * Each comparison takes 19 MiB and a thread of the pool, which has four by default: with two at a time, files, names
 * and compression always find a free one, and memory stays below 40 MiB. Thirty-two that wait are done in about a
 * second, the longest that a person should wait. An office behind one address has eight places of them, a network
 * sixteen.
 */
const comparisons = { maxRunning: 2, maxWaiting: 32, maxPerNetwork: 16, maxPerAddress: 8 } as const;

/** Makes the sign-in of one process. */
export function createSignIn(options: ThrottleOptions & { readonly store: Pick<Store, 'users'> }): SignIn {
  const { store } = options;
  const throttle = createThrottle(options);
  const queue = createAddressQueue(comparisons);
  return async ({ password, ...attempt }) => {
    const from =
      attempt.browser === null ? originOf(attempt.address) : { network: attempt.browser, address: attempt.browser };
    // Before the database is asked: a flood shall not cost more than what gets through of it.
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
    await throttle.succeeded(attempt);
    return { user };
  };
}

const tooMany: SignInOutcome = { user: null, fault: 'throttled', wait: 2 };
