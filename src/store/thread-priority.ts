// In charge of who gets the processor: a thread of this process that works in the background comes after the others.
import { readlinkSync } from 'node:fs';
import { constants, getPriority, platform, setPriority } from 'node:os';

/** A fifth of what a usual thread gets where both want the same processor; all of it where nobody else does. */
const addedNiceness = 7;

/**
 * Lowers the priority of the thread that calls this. Only on Linux, where threads have their own; elsewhere, and where
 * the system does not allow it, nothing happens.
 */
export function lowerThreadPriority(): void {
  if (platform() !== 'linux') return;
  try {
    // `1234/task/1240` (proc(5)): what the system calls this thread.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (Number.isSafeInteger(thread) && thread > 0)
      setPriority(thread, Math.min(getPriority(thread) + addedNiceness, constants.priority.PRIORITY_LOW));
  } catch {
    // It works with the priority that it has.
  }
}
