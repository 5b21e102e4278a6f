// The right to play the demonstration: one process has it at a time.
import { setTimeout as wait } from 'node:timers/promises';
import type { JobLeases } from '../store/job-leases.ts';

const leaseName = 'demonstration';
const renewEveryMs = 20_000;

/** Runs work under the lease; waits for the present holder. */
export async function underLease<T>(leases: JobLeases, work: () => Promise<T>): Promise<T> {
  for (;;) {
    const held = await leases.take(leaseName, 0);
    if (typeof held !== 'number') return holding(held, work);
    await wait(Math.min(held, 1000));
  }
}

/** Runs work under the lease; `busy`: another process holds it. */
export async function ifFree<T>(leases: JobLeases, work: () => Promise<T>): Promise<T | 'busy'> {
  const held = await leases.take(leaseName, 0);
  return typeof held === 'number' ? 'busy' : holding(held, work);
}

type Held = Exclude<Awaited<ReturnType<JobLeases['take']>>, number>;

async function holding<T>(held: Held, work: () => Promise<T>): Promise<T> {
  const renewing = setInterval(() => void held.renew().catch(() => undefined), renewEveryMs).unref();
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    await held.release().catch(() => undefined);
  }
}
