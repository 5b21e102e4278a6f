// In charge of what form the stored bodies of a resource have: how far they have been rewritten, and that a process of
// an earlier version writes no more of them once a newer one has begun to.
import { Problem } from '../model/problem.ts';
import type { Resource } from '../model/resource.ts';
import { formOf } from '../model/body-form.ts';
import { textBlock } from '../model/text-block.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { selectRows, upsert } from './table-statements.ts';
import { bodyFormTable } from './tables/activities.ts';

/**
 * To be called while the transaction holds the counters of the activity that it writes for: who rewrites bodies holds
 * them too, so that nothing of an earlier form can come behind it.
 * @throws Problem 503 `unavailable` where the database has a later form of the resource than this program knows
 */
export async function requireForm(transaction: WriteTransaction, resource: Resource): Promise<void> {
  const [row] = await transaction.query(selectRows(bodyFormTable, { resource: resource.name }));
  if (row !== undefined && row.form > formOf(resource)) throw supersededVersion(resource);
}

function supersededVersion({ name }: Resource): Problem {
  return new Problem(
    'unavailable',
    textBlock`
      A newer version of the service has taken over the database, in which records of the kind '${name}' have fields
      that this one does not know. It writes none of them any more: send the request again to the newer version.
    `,
    {},
    { 'Retry-After': '30' },
  );
}

/** The activity and, in it, the natural key of the last record or the id of the last image that was written anew. */
export interface RewritingPlace {
  readonly activity: string;
  readonly key: string;
}

/**
 * Where to go on; null where all bodies have the form of the definition. A form that begins is noted before anything is
 * rewritten: from then on processes of an earlier version write no such records (`requireForm`).
 */
export async function reachedBefore(engine: Engine, resource: Resource): Promise<RewritingPlace | null> {
  const [row] = await engine.read(selectRows(bodyFormTable, { resource: resource.name }));
  if (row === undefined || row.form !== formOf(resource)) {
    const start = { activity: '', key: '' };
    await engine.write((transaction) => noteReached(transaction, resource, start));
    return start;
  }
  return row.done ? null : { activity: row.activity, key: row.key };
}

/** Notes how far the bodies of a resource have been rewritten; null: to the end. */
export async function noteReached(
  transaction: WriteTransaction,
  resource: Resource,
  reached: RewritingPlace | null,
): Promise<void> {
  const { activity, key } = reached ?? { activity: '', key: '' };
  const row = { resource: resource.name, form: formOf(resource), activity, key, done: reached === null };
  await transaction.query(upsert(bodyFormTable, row));
}
