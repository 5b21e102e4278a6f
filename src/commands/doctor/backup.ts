// Checks the age of the last backup made by the command `backup`.
import { dayMs, formatInstant } from '../../model/instant.ts';
import { createAuditTrail } from '../../store/audit.ts';
import type { Engine } from '../../store/engine.ts';
import type { Finding } from './finding.ts';

/** With an older backup, more would be lost than most people can enter again by hand. */
const usualAgeMs = 7 * dayMs;

/** @param now milliseconds since 1970 */
export async function checkBackups(engine: Engine, now: number): Promise<readonly Finding[]> {
  const [last] = await createAuditTrail(engine).read({
    ...{ activityCodes: null, operationId: null, actor: null, since: null, until: null, after: null },
    ...{ action: 'backup', newestFirst: true, limit: 1 },
  });
  const subject = 'backup';
  const remedy = './logistics-connect backup --to FOLDER, every day; see docs/operation.md';
  if (last === undefined)
    return [{ subject, verdict: 'ok', message: 'No backup was made with the command backup yet.', remedy }];
  const message = `The last backup is of ${formatInstant(last.at)}.`;
  return last.at < now - usualAgeMs
    ? [{ subject, verdict: 'warning', message, remedy }]
    : [{ subject, verdict: 'ok', message, remedy: '' }];
}
