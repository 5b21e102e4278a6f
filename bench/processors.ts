// Gives processes a processor of their own.
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

/** Puts processes on one processor, where the machine has `taskset` and more than one. Says whether it could. */
export function onProcessor(processor: number, pids: readonly number[]): boolean {
  if (cpus().length < 2) return false;
  try {
    for (const pid of pids)
      execFileSync('taskset', ['-a', '-c', '-p', String(processor), String(pid)], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
