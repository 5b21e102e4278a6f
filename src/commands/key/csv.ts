// Reads and writes platform keys as lines of CSV, without what opens.
import type { ListedKey } from '../../auth/platform-key-import.ts';
import type { PlatformKey } from '../../auth/platform-keys.ts';
import { refuseFaults } from '../../auth/user-import.ts';
import { csvLines, csvText, wordsIn, yesOrNo } from '../csv-file.ts';
import { instantText } from '../environment.ts';

const columns = ['id', 'name', 'activities', 'roles', 'created', 'last_used', 'revoked'] as const;

/** In the column of activities: every one. */
const everyActivity = '*';

export function keyCsvOf(keys: readonly PlatformKey[]): string {
  const lines = keys.map(({ id, name, activityCodes, roles, createdAt, lastUsedAt, revokedAt }) => [
    ...[id, name, activityCodes?.join(' ') ?? everyActivity, roles.join(' ')],
    ...[createdAt, lastUsedAt, revokedAt].map(instantText),
  ]);
  return csvText([columns, ...lines]);
}

/** @throws OperatorError that reports the faults by line */
export function keysIn(bytes: Uint8Array): readonly ListedKey[] {
  const faults: string[] = [];
  const keys = csvLines(bytes, columns, 'name', { key: keyAdvice }).map((each): ListedKey => {
    const { line, at } = each;
    const found = [...each.faults];
    const [activities, roles] = [at('activities') || null, at('roles') || null];
    const revoked = at('revoked') || null;
    const listed = {
      ...{ line, id: at('id') || null, name: at('name') ?? '', roles: wordsIn(roles) },
      activityCodes: activities === everyActivity ? ('every' as const) : wordsIn(activities),
      // The instant that is exported, or yes or no.
      revoked: revoked !== null && /^\d{4}-\d\d-\d\dT/.test(revoked) ? true : yesOrNo('revoked', revoked, found),
    };
    if (found.length > 0) faults.push(`Line ${line}: ${found.join(' ')}`);
    return listed;
  });
  refuseFaults(faults);
  return keys;
}

const keyAdvice =
  'Line 1: there is no column "key": new keys are made for you, and written into the file of --secrets.';
