// What one request costs a process: nanoseconds of processor time over all of its threads, and bytes that it grew by.
import { readdirSync, readFileSync } from 'node:fs';
import { processOf } from '../processes.ts';

interface Cost {
  /** Of processor time. */
  readonly microseconds: number;
  /** Bytes of memory that came on top while it ran; what was there before is used again, so often none. */
  readonly grown: number;
}

/** Measures what a process does while something is waited for. */
export async function costOf(pid: number, work: () => Promise<unknown>): Promise<Cost> {
  const before = nanoseconds(pid);
  const { memory } = processOf(pid);
  await work();
  return { microseconds: (nanoseconds(pid) - before) / 1000, grown: Math.max(0, processOf(pid).memory - memory) };
}

function nanoseconds(pid: number): number {
  return readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + spentBy(`/proc/${pid}/task/${thread}/schedstat`),
    0,
  );
}

function spentBy(path: string): number {
  try {
    return Number(readFileSync(path, 'utf8').split(' ')[0]);
  } catch {
    // A thread that has ended meanwhile.
    return 0;
  }
}
