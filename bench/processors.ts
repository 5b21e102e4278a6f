// Assigns processors to processes.
import { execFileSync } from 'node:child_process';
import { cpus } from 'node:os';

/**
 * Pins processes to one processor, if the machine has `taskset` and more than one. Returns whether that was possible.
 */
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
