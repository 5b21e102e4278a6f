// A folder in memory for the files of tests: a disk takes milliseconds for each commit that has to survive a power cut,
// and no test cuts the power.
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** A file system in memory on Linux. */
const inMemory = '/dev/shm';
const gibibyte = 2 ** 30;
/** Some ten times the peak usage of the tests. */
const leastFree = 4 * gibibyte;
const leastAvailable = 8 * gibibyte;

/** A new folder that is removed with this process; null when there is no such place, or too little memory for it. */
export function memoryFolder(place: string = inMemory): string | null {
  if (freeBytes(place) < leastFree || process.availableMemory() < leastAvailable) return null;
  const folder = mkdtempSync(join(place, 'logistics-connect-tests-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  // A signal would otherwise end the process without removing it.
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)
    process.once(signal, () => process.exit(code));
  return folder;
}

/** 0 when there is no such folder. */
function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
