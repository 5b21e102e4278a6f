// In charge of answering list plans: which of the three ways of reading a list a plan takes.
import type { ListPlan } from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import { type FieldValues, isServedByIndex, lookupOf, type ReadPlan } from './access-path.ts';
import { imageOrderPage, recordOrderPage } from './change-pages.ts';
import type { Engine, Reader } from './engine.ts';
import { indexAdvice } from './index-advice.ts';
import { newSpending } from './long-reads.ts';
import { lookedUpCount, maxLookedUp } from './lookups.ts';
import { sql } from './statement.ts';
import type { Page, Revision } from './store.ts';
import { valueOrderPage } from './value-pages.ts';

/** Last change number per activity of one resource; 0 where nothing was written. */
export async function readRevision(engine: Engine, resource: Resource, owners: readonly string[]): Promise<Revision> {
  const rows = await engine.read(
    sql`select owner, last_change from revision where resource = ${resource.name} and owner in (${sql.join(owners)})`,
  );
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
  const lookup = isServedByIndex(plan) ? null : await fewRows(engine, plan);
  const known: ReadPlan = lookup === null ? plan : { ...plan, lookup };
  const read = { engine, rows: rowReader(engine, known, reader) };
  if (plan.sort.length > 0) return valueOrderPage(read, known);
  return plan.resource.storage === 'images'
    ? imageOrderPage(read, known, revision)
    : recordOrderPage(read, known, revision);
}

/** What to look rows up by where an index finds few; counting them costs no more than reading a page. */
async function fewRows(engine: Engine, plan: ListPlan): Promise<FieldValues | null> {
  const lookup = lookupOf(plan);
  if (lookup === null) return null;
  let found = 0;
  for (const owner of plan.owners) {
    const [count = 0] = await engine.read(lookedUpCount(plan.resource, owner, lookup));
    found += count;
    if (found > maxLookedUp) return null;
  }
  return lookup;
}

/**
 * How the rows of a plan are read: at once when an index leads to them in order or finds few, beside other requests
 * when many may have to be looked at.
 */
function rowReader(engine: Engine, plan: ReadPlan, reader: Reader): Engine['read'] {
  if (plan.lookup !== undefined || isServedByIndex(plan)) return engine.read;
  const asked = { ...reader, spending: newSpending(), advice: indexAdvice(plan) };
  return (statement) => engine.readLong(statement, asked);
}
