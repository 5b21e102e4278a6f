// In charge of answering list plans: which of the three ways of reading a list a plan takes.
import type { ListPlan } from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import { imageOrderPage, recordOrderPage } from './change-pages.ts';
import { type Engine, type Reader, placeholders } from './engine.ts';
import { indexAdvice } from './index-advice.ts';
import { isServedByIndex } from './list-sql.ts';
import type { Page, Revision } from './store.ts';
import { valueOrderPage } from './value-pages.ts';

/** Last change number per activity of one resource; 0 where nothing was written. */
export async function readRevision(engine: Engine, resource: Resource, owners: readonly string[]): Promise<Revision> {
  const { values, add } = placeholders(engine.dialect);
  const where = `where resource = ${add(resource.name)} and owner in (${owners.map(add).join(', ')})`;
  const rows = await engine.read({ text: `select owner, last_change from revision ${where}`, values });
  const revision: Record<string, number> = Object.fromEntries(owners.map((owner) => [owner, 0]));
  for (const [owner, lastChange] of rows) revision[String(owner)] = Number(lastChange);
  return revision;
}

/**
 * Answers a plan.
 * @throws Problem `cursor-expired` when the position lies beyond what this database ever wrote, or the image that the
 * walk
 *   shows is gone
 */
export async function readPage(engine: Engine, plan: ListPlan, revision: Revision, reader: Reader): Promise<Page> {
  const read = { engine, rows: rowReader(engine, plan, reader) };
  if (plan.sort.length > 0) return valueOrderPage(read, plan);
  return plan.resource.storage === 'images'
    ? imageOrderPage(read, plan, revision)
    : recordOrderPage(read, plan, revision);
}

/**
 * How the rows of a plan are read: at once when an index leads to them in order, beside other requests when many may
 * have to be looked at.
 */
function rowReader(engine: Engine, plan: ListPlan, reader: Reader): Engine['read'] {
  return isServedByIndex(plan)
    ? engine.read
    : (statement) => engine.readLong(statement, { ...reader, advice: indexAdvice(plan) });
}
