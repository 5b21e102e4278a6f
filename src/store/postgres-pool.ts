// The connections to a PostgreSQL server, and for how long its answers are waited for: a server that vanished closes none of them.
import type { Pool, Sql } from './postgres-transactions.ts';

export interface ClosablePool extends Pool {
  /** Closes all connections, and waits for what runs on them for so many seconds. */
  readonly end: (seconds: number) => Promise<void>;
}

/**
 * Opens connections as they are needed. Whoever gets no answer within `silence` fails with the code `CONNECTION_SILENT`; where
 * nobody has got one for as long, all connections are given up, and others are opened.
 * @param connect opens the connections, each time anew
 * @param silence milliseconds, the wait for a free connection included
 */
export function createPool(connect: () => Sql, silence: number): ClosablePool {
  let current = connect();
  let heard = performance.now();
  const giveUp = (silent: Sql): void => {
    if (current !== silent || performance.now() - heard < silence) return;
    current = connect();
    heard = performance.now();
    void silent.end({ timeout: 0 });
  };
  return {
    unsafe: (...statement) => current.unsafe(...statement),
    begin: async (work) => void await current.begin(work),
    within: async (answer) => {
      const asked = current;
      const late = Promise.withResolvers<never>();
      let silent = false;
      const timer = setTimeout(() => {
        silent = true;
        late.reject(Object.assign(new Error('the database server has not answered'), { code: 'CONNECTION_SILENT' }));
        giveUp(asked);
      }, silence);
      try {
        return await Promise.race([answer, late.promise]);
      } finally {
        clearTimeout(timer);
        // An error is an answer too.
        if (!silent) heard = performance.now();
      }
    },
    end: (seconds) => current.end({ timeout: seconds }),
  };
}
