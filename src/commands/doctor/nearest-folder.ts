// Finds the folder that decides whether another one can be made.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

/** The path itself where there is something, else the nearest one above it where there is. */
export function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}
