// Rewrites stored bodies when a definition gains a field, in batches, so that others can read and write in between.
import { formatInstant, parseInstant } from '../model/instant.ts';
import type { Assignment } from '../model/record.ts';
import type { Renderer } from '../model/render.ts';
import { type Resource, columnFields, nestedSelectors } from '../model/resource.ts';
import { isObject } from '../model/scalar.ts';
import { compactOf, contentHash, formOf } from '../model/body-form.ts';
import { newUuid } from '../model/uuid.ts';
import { emptiedBody } from '../model/withdrawal.ts';
import { updatedField } from './access-path.ts';
import { lockCounters } from './counters.ts';
import type { Cell, Engine, Row, SqlValue, WriteTransaction } from './engine.ts';
import { limitTo } from './sql-dialects.ts';
import { type ImageHash, addImageHash, newImageHash, imageHashText } from './image-hash.ts';
import { keepBodies } from './outbox.ts';
import { bodyTarget, nestedRows, nestedTarget } from './record-tables.ts';
import { sql } from './statement.ts';
import type { Tell } from './shape-preparation.ts';
import { noteReached, type RewritingPlace, reachedBefore } from './stored-form.ts';
import { update } from './table-statements.ts';
import { stockImageTable } from './tables/activities.ts';
import { removeNested } from './put-rendered.ts';

/** The resources of the program, and how their bodies are rendered. */
export interface Definitions {
  readonly resources: readonly Resource[];
  readonly rendererOf: (resource: Resource) => Renderer;
  /** Called after each batch with the number of bodies of a resource rewritten so far. */
  readonly onRewrite?: (resource: string, count: number) => void;
  /** Called with a sentence before a part of a migration that takes time. */
  readonly onMigration?: Tell;
}

/** Records rewritten in one transaction, during which other writers wait. */
const rewrittenAtOnce = 200;

/**
 * Brings the stored bodies of every resource to the current form of its definition. An interrupted run continues where
 * it stopped. Records keep their change numbers, dates and ids: an added field is null in them, which is no change that
 * a client has to learn of.
 * @returns the number of bodies rewritten, by resource; resources without any are left out
 */
export async function rewriteBodies(
  engine: Engine,
  { resources, rendererOf, onRewrite }: Definitions,
): Promise<Readonly<Record<string, number>>> {
  const counts: Record<string, number> = {};
  for (const resource of resources) {
    if (formOf(resource) === 0) continue;
    const task: Rewriting = { engine, resource, render: rendererOf(resource) };
    const step = resource.storage === 'images' ? rewriteImage : rewriteBatch;
    let count = 0;
    for (let reached = await reachedBefore(engine, resource); reached !== null; ) {
      const done = await step(task, reached);
      count += done.count;
      if (done.count > 0) onRewrite?.(resource.name, count);
      reached = done.reached;
    }
    if (count > 0) counts[resource.name] = count;
  }
  return counts;
}

interface Rewriting {
  readonly engine: Engine;
  readonly resource: Resource;
  readonly render: Renderer;
}

/** `reached` null: nothing is left. */
interface Done {
  readonly count: number;
  readonly reached: RewritingPlace | null;
}

/** The activity of the next row; null if there is none. */
async function nextActivity(
  { engine }: Rewriting,
  table: string,
  keyColumn: string,
  { activity, key }: RewritingPlace,
): Promise<string | null> {
  const column = sql.quoted(keyColumn);
  const [row] = await engine.read(
    sql`
      select owner from ${sql.quoted(table)} where (owner, ${column}) > (${activity}, ${key}) order by owner, ${column}
      limit 1
    `,
  );
  return row === undefined ? null : String(row[0]);
}

/** One batch of records of one activity, in the order of their keys. */
async function rewriteBatch(task: Rewriting, reached: RewritingPlace): Promise<Done> {
  const { engine, resource } = task;
  const activity = await nextActivity(task, resource.table, 'natural_key', reached);
  if (activity === null) return finish(task);
  return engine.write(async (transaction) => {
    const assign = await assigning(transaction, activity);
    const columns = ['natural_key', 'change_number', 'withdrawn_at', 'body', ...unpublishedOf(resource)].map(
      sql.quoted,
    );
    const after = activity === reached.activity ? reached.key : '';
    const rows = await transaction.query(
      sql`
        select ${sql.join(columns)} from ${sql.quoted(resource.table)} where owner = ${activity} and natural_key >
        ${after} order by natural_key ${limitTo(rewrittenAtOnce)}
      `,
    );
    await keepBodies(
      transaction,
      resource,
      activity,
      rows.map(([, changeNumber]) => Number(changeNumber)),
    );
    const rewritten = rows
      .filter(([, , withdrawnAt]) => withdrawnAt === null)
      .map(([key, changeNumber, , body, ...unpublished]) => ({
        key: String(key),
        changeNumber: Number(changeNumber),
        ...renderAnew(task, assign, body ?? null, unpublished),
      }));
    for (const [key, , withdrawnAt, body] of rows)
      if (withdrawnAt !== null) await rewriteWithdrawn(transaction, resource, activity, [String(key), String(body)]);
    await transaction.putRows(
      bodyTarget(resource),
      rewritten.map(({ key, changeNumber, hash, rendered }) => [
        activity,
        key,
        changeNumber,
        hash,
        rendered.body,
        ...rendered.columns,
      ]),
    );
    if (nestedSelectors(resource).length > 0) {
      const keys = rewritten.map(({ key }) => key);
      await transaction.query(removeNested(resource, activity, keys));
      await transaction.putRows(
        nestedTarget(resource),
        rewritten.flatMap(({ key, rendered }) => nestedRows(activity, key, rendered.nested)),
      );
    }
    await assign.save();
    const last = { activity, key: String(rows.at(-1)?.[0] ?? after) };
    await noteReached(transaction, resource, last);
    return { count: rows.length, reached: last };
  });
}

/** A withdrawn record gets the field too. Its columns stay, because its emptied body lacks their values. */
async function rewriteWithdrawn(
  { query }: WriteTransaction,
  resource: Resource,
  activity: string,
  [key, body]: readonly [key: string, body: string],
): Promise<void> {
  const anew = emptiedBody(resource, body, null);
  await query(
    sql`update ${sql.quoted(resource.table)} set body = ${anew} where owner = ${activity} and natural_key = ${key}`,
  );
}

/** One image: its rows, batch by batch, and then the hash by which it is recognized when it is sent again. */
async function rewriteImage(task: Rewriting, reached: RewritingPlace): Promise<Done> {
  const { engine, resource } = task;
  const activity = await nextActivity(task, 'stock_image', 'image_id', reached);
  if (activity === null) return finish(task);
  const after = activity === reached.activity ? reached.key : '';
  const [next] = await engine.read(
    sql`select image_id from stock_image where owner = ${activity} and image_id > ${after} order by image_id limit 1`,
  );
  const imageId = String(next?.[0]);
  const sum = newImageHash();
  let count = 0;
  for (let position = 0; position !== -1; ) {
    const rows = await rewriteImageRows(task, { activity, imageId, position, sum });
    count += rows.count;
    position = rows.last;
  }
  await engine.write(async (transaction) => {
    const changes = { contentHash: imageHashText(sum) };
    await transaction.query(update(stockImageTable, changes, { activity, imageId, state: 'published' }));
    await noteReached(transaction, resource, { activity, key: imageId });
  });
  return { count, reached: { activity, key: imageId } };
}

interface ImagePlace {
  readonly activity: string;
  readonly imageId: string;
  readonly position: number;
  readonly sum: ImageHash;
}

/** `last` -1: there are no more rows. */
function rewriteImageRows(
  task: Rewriting,
  { activity, imageId, position, sum }: ImagePlace,
): Promise<{ readonly count: number; readonly last: number }> {
  const { engine, resource } = task;
  return engine.write(async (transaction) => {
    const assign = await assigning(transaction, activity);
    const columns = ['position', 'body', ...unpublishedOf(resource)].map(sql.quoted);
    const rows = await transaction.query(
      sql`
        select ${sql.join(columns)} from ${sql.quoted(resource.table)} where owner = ${activity} and image_id =
        ${imageId} and position > ${position} order by position ${limitTo(rewrittenAtOnce)}
      `,
    );
    const put: SqlValue[][] = [];
    for (const [at, body, ...unpublished] of rows) {
      const { hash, value, rendered } = renderAnew(task, assign, body ?? null, unpublished);
      addImageHash(sum, JSON.stringify(resource.key.map((name) => value[name])), hash);
      put.push([activity, imageId, Number(at), rendered.body, ...rendered.columns]);
    }
    await transaction.putRows(bodyTarget(resource), put);
    await assign.save();
    return { count: rows.length, last: rows.length < rewrittenAtOnce ? -1 : Number(rows.at(-1)?.[0]) };
  });
}

async function finish({ engine, resource }: Rewriting): Promise<Done> {
  await engine.write((transaction) => noteReached(transaction, resource, null));
  return { count: 0, reached: null };
}

/** Numbers for new parts of old records; the counters are written back only if any were taken. */
interface Assigning {
  readonly number: () => number;
  readonly save: () => Promise<void>;
}

async function assigning(transaction: WriteTransaction, activity: string): Promise<Assigning> {
  const counters = await lockCounters(transaction, activity);
  let taken = 0;
  return {
    number: () => {
      taken += 1;
      return counters.takeId();
    },
    save: async () => {
      if (taken > 0) await counters.save();
    },
  };
}

/** A stored body in the form of the definition, with its hash and canonical value. */
function renderAnew({ resource, render }: Rewriting, { number }: Assigning, body: Cell, unpublished: Row) {
  const text = String(body);
  const published: unknown = JSON.parse(text);
  if (!isObject(published)) throw new Error('a stored body is no record');
  const value = {
    ...published,
    ...Object.fromEntries(
      unpublishedOf(resource).map((name, index) => [name, readColumn(resource, name, unpublished[index] ?? null)]),
    ),
  };
  const hash = contentHash(resource, compactOf({ ...resource.fields, ...resource.unpublished }, value));
  // The time of the last write, which the body already contains, is kept.
  const now = parseInstant(String(published[updatedField(resource)])) ?? 0;
  const assign: Assignment = { number, uuid: newUuid, now };
  return { hash, value, rendered: render({ value, naturalKey: '', contentHash: hash }, assign, text) };
}

function unpublishedOf(resource: Resource): readonly string[] {
  return Object.keys(resource.unpublished);
}

/** The value of a column as a feed would send it. */
function readColumn(resource: Resource, name: string, cell: Cell): unknown {
  const kind = columnFields(resource).get(name)?.kind;
  if (cell === null) return null;
  if (kind === 'date-time') return formatInstant(Number(cell));
  return kind === 'boolean' ? Number(cell) === 1 : cell;
}
