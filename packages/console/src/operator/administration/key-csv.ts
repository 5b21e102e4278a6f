// Platform keys as a CSV file, in the format of the command `key export`; never the keys themselves.
import type { AdministeredKey } from '../../../../client/src/index.ts';
import { csvLine } from '../../list/export.ts';
import { csvFile } from './csv-table.ts';

const keyColumns = ['id', 'name', 'activities', 'roles', 'created', 'last_used', 'revoked'] as const;

/** A key for every activity has `*` instead of codes. */
export function keysText(keys: readonly AdministeredKey[]): string {
  const lines = keys.map(({ id, name, activityCodes, roles, createdAt, lastUsedAt, revokedAt }) =>
    csvLine([...[id, name, activityCodes?.join(' ') ?? '*', roles.join(' ')], ...[createdAt, lastUsedAt, revokedAt]]),
  );
  return csvFile([csvLine(keyColumns), ...lines]);
}
