// In charge of what form the stored texts of a resource have: how far they have been rewritten, and that a process of an
// earlier version writes no more of them once a newer one has begun to.
import { Problem } from '../model/problem.ts';
import type { Resource } from '../model/resource.ts';
import { formOf } from '../model/text-form.ts';
import { textBlock } from '../model/text-block.ts';
import { type Engine, placeholders, type WriteTransaction } from './engine.ts';

/**
 * To be called while the transaction holds the counters of the activity that it writes for: who rewrites texts holds
 * them too, so that nothing of an earlier form can come behind it.
 * @throws Problem 503 `unavailable` where the database has a later form of the resource than this program knows
 */
export async function requireForm(engine: Engine, transaction: WriteTransaction, resource: Resource): Promise<void> {
  const { values, add } = placeholders(engine.dialect);
  const [row] = await transaction.query({
    text: `select form from text_form where resource = ${add(resource.name)}`,
    values,
  });
  if (row !== undefined && Number(row[0]) > formOf(resource)) throw supersededVersion(resource);
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
export interface Reached {
  readonly owner: string;
  readonly key: string;
}

/**
 * Where to go on; null where all texts have the form of the definition. A form that begins is noted before anything is
 * rewritten: from then on processes of an earlier version write no such records (`requireForm`).
 */
export async function reachedBefore(engine: Engine, resource: Resource): Promise<Reached | null> {
  const { values, add } = placeholders(engine.dialect);
  const [row] = await engine.read({
    text: `select form, owner, key, done from text_form where resource = ${add(resource.name)}`,
    values,
  });
  if (row === undefined || Number(row[0]) !== formOf(resource)) {
    const start = { owner: '', key: '' };
    await engine.write((transaction) => noteReached(transaction, resource, start));
    return start;
  }
  return Number(row[3]) === 1 ? null : { owner: String(row[1]), key: String(row[2]) };
}

/** Notes how far the texts of a resource have been rewritten; null: to the end. */
export async function noteReached(
  transaction: WriteTransaction,
  resource: Resource,
  reached: Reached | null,
): Promise<void> {
  const { owner, key } = reached ?? { owner: '', key: '' };
  await transaction.putRows(formTarget, [[resource.name, formOf(resource), owner, key, reached === null ? 1 : 0]]);
}

const formTarget = {
  table: 'text_form',
  columns: [
    { name: 'resource', type: 'text' },
    { name: 'form', type: 'integer' },
    { name: 'owner', type: 'text' },
    { name: 'key', type: 'text' },
    { name: 'done', type: 'integer' },
  ],
  conflict: ['resource'],
} as const;
