// Counts attempts at passwords and codes, in windows that all processes of a database share.
import type { Engine } from './engine.ts';
import { writeOnce } from './single-statements.ts';
import { rowsAs, sql } from './statement.ts';
import type { RowOf } from './table.ts';
import { insert, remove, update } from './table-statements.ts';
import { loginAttemptTable } from './tables/access.ts';

type StoredAttempts = RowOf<typeof loginAttemptTable>;
export type AttemptScope = StoredAttempts['scope'];

/** Identifies whose attempts are counted. */
export type AttemptKey = Pick<StoredAttempts, 'scope' | 'keyHash'>;

/** All instants in milliseconds since 1970. */
export interface LoginAttempts {
  /**
   * Counts one attempt, in the current window or else in a new one that starts now. A single statement, so that no
   * attempt of another process falls between reading and writing.
   * @returns the number of attempts in the window, including this one, and when it began
   */
  count(key: AttemptKey, now: number, windowMs: number): Promise<Pick<StoredAttempts, 'count' | 'windowStart'>>;
  /** Takes one attempt back; the count never falls below zero. */
  giveBack(key: AttemptKey): Promise<void>;
  /** Resets the count. */
  remove(key: AttemptKey): Promise<void>;
  /** Removes windows that began at this instant or before. */
  removeUntil(instant: number): Promise<void>;
}

export function createLoginAttempts(engine: Engine): LoginAttempts {
  const { quoted, column } = loginAttemptTable;
  const [count, windowStart] = [sql`${quoted}.${column.count}`, sql`${quoted}.${column.windowStart}`];
  return {
    count: async (key, now, windowMs) => {
      // A start less than a window ahead comes from another machine's clock; further ahead, this clock was set back.
      const isRunning = sql`${windowStart} > ${now - windowMs} and ${windowStart} < ${now + windowMs}`;
      const counted = sql`
        ${insert(loginAttemptTable, { ...key, count: 1, windowStart: now })}
        on conflict (${column.scope}, ${column.keyHash}) do update set
        ${column.count} = case when ${isRunning} then ${count} + 1 else 1 end,
        ${column.windowStart} = case when ${isRunning} then ${windowStart} else excluded.${column.windowStart} end
        returning ${column.count}, ${column.windowStart}
      `;
      const toCount = rowsAs(counted, (row) => ({ count: Number(row[0]), windowStart: Number(row[1]) }));
      const [window] = await engine.writeOnce(toCount);
      if (window === undefined) throw new Error('an attempt was counted, and there is no count');
      return window;
    },
    giveBack: async ({ scope, keyHash }) => {
      const counted = sql`${column.scope} = ${scope} and ${column.keyHash} = ${keyHash} and ${column.count} > 0`;
      await writeOnce(engine, update(loginAttemptTable, { count: sql`${column.count} - 1` }, counted));
    },
    remove: async ({ scope, keyHash }) => void (await writeOnce(engine, remove(loginAttemptTable, { scope, keyHash }))),
    removeUntil: async (instant) =>
      void (await writeOnce(engine, remove(loginAttemptTable, sql`${column.windowStart} <= ${instant}`))),
  };
}
