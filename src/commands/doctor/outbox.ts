// Checks whether the warehouse side collects what clients write.
import { heldUpEntries } from '../../jobs/held-up-entries.ts';
import { createActivities } from '../../store/activities.ts';
import type { Engine } from '../../store/engine.ts';
import { createOutbox } from '../../store/outbox.ts';
import { heldUpAdvice } from '../outbox/held-up.ts';
import type { Finding } from './finding.ts';

/** @param now milliseconds since 1970 */
export async function checkOutbox(engine: Engine, now: number): Promise<readonly Finding[]> {
  const codes = (await createActivities(engine).list()).map(({ code }) => code);
  const found = await heldUpEntries(createOutbox(engine), codes, now);
  if (found.length === 0)
    return [
      {
        subject: 'outbox',
        verdict: 'ok',
        message: 'Nothing has waited for the warehouse side for more than a week.',
        remedy: '',
      },
    ];
  return found.map((entries) => ({ subject: 'outbox', verdict: 'warning', ...heldUpAdvice(entries) }));
}
