// How the commands `key …` show a key, never with its text.
import type { PlatformKey } from '../../auth/platform-keys.ts';
import { instantText } from '../environment.ts';

/** A key in the JSON form of the command line; `activityCodes` null: all. */
export function describedKey(key: PlatformKey): Readonly<Record<string, unknown>> {
  return {
    ...key,
    createdAt: instantText(key.createdAt),
    lastUsedAt: instantText(key.lastUsedAt),
    revokedAt: instantText(key.revokedAt),
  };
}
