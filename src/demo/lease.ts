// The right to play the demonstration: one process at a time has it.
import { setTimeout as wait } from 'node:timers/promises';
import type { JobLeases } from '../store/job-leases.ts';

const leaseName = 'demonstration';
const renewEveryMs = 20_000;

/** Does something under the lease. @param waits for whoever holds it; else `busy` */
export async function underLease<T>(leases: JobLeases, waits: boolean, work: () => Promise<T>): Promise<T | 'busy'> {
  for (;;) {
    const held = await leases.take(leaseName, 0);
    if (typeof held === 'number') {
      if (!waits) return 'busy';
      await wait(Math.min(held, 1000));
      continue;
    }
    const renewing = setInterval(() => void held.renew().catch(() => undefined), renewEveryMs).unref();
    try {
      return await work();
    } finally {
      clearInterval(renewing);
      await held.giveUp().catch(() => undefined);
    }
  }
}
