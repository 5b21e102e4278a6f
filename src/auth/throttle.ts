// Limits attempts at passwords and codes: per login and address, per address, and per known browser; counted in the
// database, for all processes together.
import { createHmac } from 'node:crypto';
import { addressKey, networkKey } from '../http/address-parts.ts';
import { createGrowingCache } from '../model/growing-cache.ts';
import type { AttemptKey, AttemptScope } from '../store/login-attempts.ts';
import type { Store } from '../store/store.ts';
import { canonicalLogin } from './users.ts';

/** An attempt at a password, or at the code of a second factor. */
export interface Attempt {
  readonly login: string;
  /** Address of the browser; behind trusted proxies, the one that they report. */
  readonly address: string;
  /** Id of the browser if this login has signed in there before; null: it is not known. */
  readonly browser: string | null;
  /** Id of the user whose code is tried after the right password; absent for a password. */
  readonly codeOf?: string;
}

/** Whether a password may be tried now. */
type Admission =
  | { readonly allowed: true }
  /** Whole seconds to wait, at least 1. */
  | { readonly allowed: false; readonly wait: number };

export interface Throttle {
  /**
   * Requests permission for one attempt, and counts it as failed at once: simultaneous attempts gain nothing over
   * successive ones.
   */
  check(attempt: Attempt): Promise<Admission>;
  /** Reports that an allowed attempt failed. It has already been counted; old counts are removed from time to time. */
  failed(attempt: Attempt): Promise<void>;
  /**
   * Reports that an allowed attempt succeeded: it does not count, and the login starts afresh at this address or in
   * this browser.
   */
  succeeded(attempt: Attempt): Promise<void>;
  /** Reports that an allowed attempt was not made: it does not count. */
  withdrawn(attempt: Attempt): Promise<void>;
}

/** One window of 15 minutes: as long as a locked-out person will wait before calling somebody. */
const windowMs = 15 * 60_000;
/** How long a process relies on a lock-out without querying the database again. */
const believedForMs = 15_000;
const maxBelieved = 10_000;

/**
 * Attempts in a window. `pair` (a login at an address): ten is more than a person who mistypes needs. It allows 960
 * guesses a day, against passwords of 15 characters that are not among the common ones. `address` (all logins at an
 * address; IPv6: its network of 64 bits): an office of some fifty people behind one address gets through its Monday
 * morning, one address that tries common passwords on many logins does not. `network` (IPv6: its network of 48 bits, in
 * which one site has 65,536 of those; none for IPv4, where neighbours are strangers). `code` (codes of a user, from
 * anywhere): whoever tries them has the password, so the owner needs a new one anyway. `browser`: a known browser of
 * the login has a count of its own and does not count for its address, so that nobody behind the same address can lock
 * its owner out. For codes, all known browsers of a user also count together, apart from unknown ones: somebody who had
 * the password before there was a second factor may have made any number of browsers known. There is no count per login
 * alone: it would let anybody who knows a login lock its owner out.
 */
const limits = { pair: 10, address: 50, network: 250, browser: 10, code: 10 } as const;
type Count = readonly [scope: AttemptScope, subject: string];

export interface ThrottleOptions {
  readonly store: Pick<Store, 'loginAttempts'>;
  /** The current secret, the same in all processes; a new one resets all counts. */
  readonly pepper: () => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Makes the throttle of one process. */
export function createThrottle({ store: { loginAttempts }, pepper, now }: ThrottleOptions): Throttle {
  let sweptAt = now();
  /** Who is locked out, by hash: an attempt that is known to be futile costs neither database nor hashing. */
  const shutOut = createGrowingCache<string, { readonly since: number; readonly until: number }>(maxBelieved);

  /** Hashed under a secret: a copy of the table alone reveals neither who signs in nor from where. */
  const keyOf = async ([scope, subject]: Count): Promise<AttemptKey> => ({
    scope,
    keyHash: createHmac('sha256', await pepper())
      .update(`${scope}\0${subject}`)
      .digest('base64url'),
  });

  const believed = ({ keyHash }: AttemptKey): Admission | null => {
    const known = shutOut.get(keyHash);
    const at = now();
    if (known !== undefined && at >= known.since && at < Math.min(known.until, known.since + believedForMs))
      return refusal(known.until - at);
    if (known !== undefined) shutOut.delete(keyHash);
    return null;
  };

  const count = async (key: AttemptKey): Promise<Admission> => {
    const at = now();
    const window = await loginAttempts.count(key, at, windowMs);
    if (window.count <= limits[key.scope]) return { allowed: true };
    const leftMs = Math.min(windowMs, Math.max(1, window.windowStart + windowMs - at));
    shutOut.set(key.keyHash, { since: at, until: at + leftMs });
    return refusal(leftMs);
  };

  const giveBack = async (counts: readonly Count[]): Promise<void> => {
    for (const one of counts) {
      const key = await keyOf(one);
      shutOut.delete(key.keyHash);
      await loginAttempts.giveBack(key);
    }
  };

  return {
    async check(attempt) {
      const counts = countsOf(attempt);
      for (const one of counts) {
        const known = believed(await keyOf(one));
        if (known !== null) return known;
      }
      for (const [index, one] of counts.entries()) {
        const admission = await count(await keyOf(one));
        if (admission.allowed) continue;
        // Only passwords that were really tried count: one stubborn program must not lock out its neighbours.
        await giveBack(counts.slice(0, index));
        return admission;
      }
      return { allowed: true };
    },
    async failed() {
      const at = now();
      if (at >= sweptAt && at - sweptAt < windowMs) return;
      sweptAt = at;
      await loginAttempts.removeUntil(at - windowMs);
    },
    async succeeded(attempt) {
      const counts = countsOf(attempt);
      // A known browser shares no counts with others.
      const shared = attempt.browser === null ? counts.slice(0, -1) : [];
      for (const own of counts.slice(shared.length)) {
        const key = await keyOf(own);
        shutOut.delete(key.keyHash);
        await loginAttempts.remove(key);
      }
      await giveBack(shared);
    },
    withdrawn: (attempt) => giveBack(countsOf(attempt)),
  };
}

/**
 * The widest first, so that an address that is locked out cannot fill the table with made-up logins; the attempt's own
 * last.
 */
function countsOf({ login, address, browser, codeOf }: Attempt): readonly Count[] {
  if (browser !== null)
    return codeOf === undefined
      ? [['browser', browser]]
      : [
          ['browser', browser],
          ['code', `${codeOf}\0known`],
        ];
  const network: readonly Count[] =
    address.includes(':') && !address.includes('.') ? [['network', networkKey(address)]] : [];
  const own: Count =
    codeOf === undefined ? ['pair', `${canonicalLogin(login)}\0${addressKey(address)}`] : ['code', codeOf];
  return [...network, ['address', addressKey(address)], own];
}

function refusal(milliseconds: number): Admission {
  return { allowed: false, wait: Math.ceil(milliseconds / 1000) };
}
