// How often passwords and codes may be tried: per login and address, per address, and per known browser; counted in the
// database, so by all processes together.
import { createHmac } from 'node:crypto';
import { addressKey, networkKey } from '../http/address-parts.ts';
import { createGrowingCache } from '../http/growing-cache.ts';
import type { AttemptKey, AttemptScope } from '../store/login-attempts.ts';
import type { Store } from '../store/store.ts';
import { canonicalLogin } from './users.ts';

/** Somebody who wants to try a password, or the code of a second factor. */
export interface Attempt {
  readonly login: string;
  /** Address of the browser, behind trusted proxies the one that they report. */
  readonly address: string;
  /** Id of the browser where this login has signed in there before; null: it is not known. */
  readonly browser: string | null;
  /** Id of the user whose code is tried, once the password was right; absent for a password. */
  readonly codeOf?: string;
}

/** Whether a password may be tried now. */
type Admission =
  | { readonly allowed: true }
  /** Whole seconds to wait, at least 1. */
  | { readonly allowed: false; readonly wait: number };

export interface Throttle {
  /**
   * Asks for one attempt, and counts it as failed at once: of many simultaneous ones no more get through than of many
   * in a row.
   */
  check(attempt: Attempt): Promise<Admission>;
  /** Tells that an allowed attempt failed. Its count stands already; old counts are swept now and then. */
  failed(attempt: Attempt): Promise<void>;
  /**
   * Tells that an allowed attempt succeeded: it does not count, and the login begins anew at this address or in this
   * browser.
   */
  succeeded(attempt: Attempt): Promise<void>;
  /** Tells that an allowed attempt was never made: it does not count. */
  withdrawn(attempt: Attempt): Promise<void>;
}

/**
 * One window of 15 minutes: as long as a person who got locked out will wait without calling somebody.
 */
const windowMs = 15 * 60_000;
/** How long a process believes that somebody is shut out without asking the database again. */
const believedForMs = 15_000;
const maxBelieved = 10_000;

/**
 * Attempts in a window.
 * `pair` (a login at an address): ten is more than a person who mistypes needs. It makes 960 guesses a day, against
 * passwords of 15 characters that are not among the common ones. `address` (all logins at an address; IPv6: its network
 * of 64 bits): an office of some fifty people behind one address gets through its Monday morning, one address that
 * tries common passwords on many logins does not. `network` (IPv6: its network of 48 bits, in which one site has 65,536
 * of those; none for IPv4, where neighbours are strangers). `code` (codes of a user, from wherever): whoever tries them
 * has the password, so the owner needs another one anyway. `browser`: a known browser of the login counts by itself
 * and not for its address, so that nobody behind the same address can shut its owner out. For codes all known browsers
 * of a user count together as well, apart from unknown ones: who had the password before there was a second factor may
 * have made any number of browsers known. There is no count per login
 * alone: whoever knows a login could lock its owner out with it.
 */
const limits = { pair: 10, address: 50, network: 250, browser: 10, code: 10 } as const;
type Count = readonly [scope: AttemptScope, subject: string];

export interface ThrottleOptions {
  readonly store: Pick<Store, 'loginAttempts'>;
  /** The secret of the moment, the same for all processes; with another one all counts begin anew. */
  readonly pepper: () => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Makes the throttle of one process. */
export function createThrottle({ store: { loginAttempts }, pepper, now }: ThrottleOptions): Throttle {
  let sweptAt = now();
  /** Who is shut out, by hash: an attempt that is known to be in vain costs neither database nor hashing. */
  const shutOut = createGrowingCache<string, { readonly since: number; readonly until: number }>(maxBelieved);

  /** Hashed under a secret: a copy of the table alone tells neither who signs in nor from where. */
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
        // Only passwords that were really tried count: one stubborn program must not shut out its neighbours.
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
      // A known browser has no counts that it shares with others.
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
 * The widest first, so that one that is shut out cannot fill the table with logins of its invention; the attempt's own
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
