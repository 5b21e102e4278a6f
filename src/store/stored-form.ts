// The form of a resource's stored bodies: how far they have been rewritten, and a guard that stops processes of an
// earlier version from writing them once a newer one has begun.
import { Problem } from '../model/problem.ts';
import type { Resource } from '../model/resource.ts';
import { formOf } from '../model/body-form.ts';
import { textBlock } from '../model/text-block.ts';
import type { Engine, WriteTransaction } from './engine.ts';
import { selectRows, upsert } from './table-statements.ts';
import { bodyFormTable } from './tables/activities.ts';

/**
 * To be called while the transaction holds the counters of the activity that it writes to. Rewriting bodies holds them
 * too, so nothing of an earlier form can be written after it.
 * @throws Problem 503 `unavailable` if the database has a later form of the resource than this program knows
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

/** The activity and, in it, the natural key of the last record or the id of the last image that was rewritten. */
export interface RewritingPlace {
  readonly activity: string;
  readonly key: string;
}

/**
 * Where to continue; null if all bodies have the form of the definition. A new form is recorded before anything is
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

/** Records how far the bodies of a resource have been rewritten; null: completely. */
export async function noteReached(
  transaction: WriteTransaction,
  resource: Resource,
  reached: RewritingPlace | null,
): Promise<void> {
  const { activity, key } = reached ?? { activity: '', key: '' };
  const row = { resource: resource.name, form: formOf(resource), activity, key, done: reached === null };
  await transaction.query(upsert(bodyFormTable, row));
}
