// How often passwords may be tried: per login and address, and per address; counted in the database, so by all processes together.
import { createHmac } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { addressKey } from '../http/rates.ts';
import type { Tables } from '../store/tables.ts';

/** Whether a password may be tried now. */
export type Admission =
  | { readonly allowed: true }
  /** Whole seconds to wait, at least 1. */
  | { readonly allowed: false; readonly wait: number };

export interface Throttle {
  /** Asks for one attempt, and counts it as failed at once: of many simultaneous ones no more get through than of many in a row. */
  check(login: string, address: string): Promise<Admission>;
  /** Tells that an allowed attempt failed. Its count stands already; old counts are swept now and then. */
  failed(login: string, address: string): Promise<void>;
  /** Tells that an allowed attempt succeeded: it does not count, and the login begins anew at this address. */
  succeeded(login: string, address: string): Promise<void>;
}

/** One window of 15 minutes, milliseconds: as long as a person who got locked out will wait without calling somebody. */
const windowLength = 15 * 60_000;

/**
 * Attempts in a window.
 * `pair` (a login at an address): ten is more than a person who mistypes needs. It makes 960 guesses a day, against passwords
 * of 15 characters that are not among the common ones.
 * `address` (all logins at an address; IPv6: its network of 64 bits): an office of some fifty people behind one address
 * gets through its Monday morning, one address that tries common passwords on many logins does not.
 * There is no count per login alone: whoever knows a login could lock its owner out with it.
 */
const limits = { pair: 10, address: 50 } as const;
type Scope = keyof typeof limits;

export interface ThrottleOptions {
  readonly db: Kysely<Tables>;
  /** The secret of the moment, the same for all processes; with another one all counts begin anew. */
  readonly pepper: () => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Makes the throttle of one process. */
export function createThrottle({ db, pepper, now }: ThrottleOptions): Throttle {
  let sweptAt = now();

  /** Keys are hashed under a secret: a copy of the table alone tells neither who signs in nor from where. */
  const keyOf = async (scope: Scope, login: string, address: string): Promise<string> => {
    const subject = scope === 'pair' ? `${login.trim().toLowerCase()}\0${addressKey(address)}` : addressKey(address);
    return createHmac('sha256', await pepper()).update(`${scope}\0${subject}`).digest('base64url');
  };

  /** One statement, so that no attempt of another process falls between reading and writing. */
  const count = async (scope: Scope, keyHash: string): Promise<Admission> => {
    const at = now();
    // A start that lies ahead by less than a window is another machine's clock; further ahead, this clock was set back.
    const running = sql<boolean>`login_attempt.window_start > ${at - windowLength} and login_attempt.window_start < ${at + windowLength}`;
    const row = await db.insertInto('login_attempt')
      .values({ scope, key_hash: keyHash, count: 1, window_start: at })
      .onConflict((conflict) => conflict.columns(['scope', 'key_hash']).doUpdateSet({
        count: sql<number>`case when ${running} then login_attempt.count + 1 else 1 end`,
        window_start: sql<number>`case when ${running} then login_attempt.window_start else excluded.window_start end`,
      }))
      .returning(['count', 'window_start'])
      .executeTakeFirstOrThrow();
    if (row.count <= limits[scope]) return { allowed: true };
    return { allowed: false, wait: Math.ceil(Math.min(windowLength, Math.max(1, row.window_start + windowLength - at)) / 1000) };
  };

  const giveBack = async (login: string, address: string): Promise<void> => {
    await db.updateTable('login_attempt').set((row) => ({ count: row('count', '-', 1) }))
      .where('scope', '=', 'address').where('key_hash', '=', await keyOf('address', login, address)).where('count', '>', 0).execute();
  };

  return {
    async check(login, address) {
      // The address first: one that is shut out cannot fill the table with logins of its invention.
      const overall = await count('address', await keyOf('address', login, address));
      if (!overall.allowed) return overall;
      const pair = await count('pair', await keyOf('pair', login, address));
      // Only passwords that were really tried count for the address: one stubborn program must not shut out its neighbours.
      if (!pair.allowed) await giveBack(login, address);
      return pair;
    },
    async failed() {
      const at = now();
      if (at >= sweptAt && at - sweptAt < windowLength) return;
      sweptAt = at;
      await db.deleteFrom('login_attempt').where('window_start', '<=', at - windowLength).execute();
    },
    async succeeded(login, address) {
      await db.deleteFrom('login_attempt').where('scope', '=', 'pair').where('key_hash', '=', await keyOf('pair', login, address)).execute();
      await giveBack(login, address);
    },
  };
}
