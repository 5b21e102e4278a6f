// Finds the folder that determines whether another one can be created.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

/** The path itself if it exists, otherwise its nearest existing ancestor. */
export function nearestFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : nearestFolder(dirname(path));
}
