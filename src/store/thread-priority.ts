// Thread priorities: a background thread of this process gets the processor after the others.
import { readlinkSync } from 'node:fs';
import { constants, getPriority, platform, setPriority } from 'node:os';

/** A fifth of the share of a usual thread when both want the same processor; all of it when no other thread does. */
const addedNiceness = 7;

/**
 * Lowers the priority of the calling thread. Only on Linux, where each thread has its own priority; elsewhere, and if
 * the system does not allow it, nothing happens.
 */
export function lowerThreadPriority(): void {
  if (platform() !== 'linux') return;
  try {
    // `1234/task/1240` (proc(5)): the system's id of this thread.
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (Number.isSafeInteger(thread) && thread > 0)
      setPriority(thread, Math.min(getPriority(thread) + addedNiceness, constants.priority.PRIORITY_LOW));
  } catch {
    // It runs with its current priority.
  }
}
