// Reads records: pages of lists, in the way that suits the plan, and single records by a value.
import type { MaybePromise } from '../model/maybe-promise.ts';
import type { Condition, ListPlan, StoredValue } from '../model/plan.ts';
import type { Resource } from '../model/resource.ts';
import { coveredUntil } from './activities.ts';
import type { Engine, Reader, SqlValue } from './engine.ts';
import { limitTo } from './sql-dialects.ts';
import { isLive } from './live-records.ts';
import { sql } from './statement.ts';
import type { Page, Revision } from './store.ts';
import { hasFewChangesLeft, isServedByIndex, type Lookup, lookupOf, type ReadPlan } from './access-path.ts';
import { imageOrderPage, recordOrderPage } from './change-pages.ts';
import { indexAdvice } from './index-advice.ts';
import { newSpending } from './long-reads.ts';
import { existsWith, lookedUpCount, maxLookedUp } from './lookups.ts';
import { type PageReading, together } from './page-bytes.ts';
import type { Replicas } from './replicas.ts';
import { createRevisions } from './revisions.ts';
import { maxPageBytes } from './page-size.ts';
import { storedBodies } from './stored-bodies.ts';
import { toValue } from './stored-records.ts';
import { valueOrderPage } from './value-pages.ts';

/** The requested columns of a record. */
interface FoundRecord {
  readonly activity: string;
  /** Values of the requested columns, in their order. */
  readonly values: readonly SqlValue[];
}

export interface Lists {
  /** Last change number per activity of one resource (0 where nothing was ever written); one tiny look-up. */
  revision(resource: Resource, activities: readonly string[]): MaybePromise<Revision>;
  /**
   * The revision that was read last; null if none is worth a guess. A page may be read with it before it is known to be
   * current: if it is, the page is as good as one read afterwards, because every write that a page shows changes the
   * revision for ever.
   */
  readonly expectedRevision: (resource: Resource, activities: readonly string[]) => Revision | null;
  /**
   * Per activity, an instant (milliseconds): everything written before it is visible now,
   * and nothing will ever be written with an earlier date.
   */
  coveredUntil(activities: readonly string[]): Promise<number>;
  /**
   * Answers a plan.
   * @param revision read before, by `revision()`: the page contains what was written before it, and may contain later
   *   writes
   * @param reader whose turn it takes if many rows have to be read
   */
  page(plan: ListPlan, revision: Revision, reader: Reader): Promise<Page>;
  /**
   * True when a record of one of the activities that is not withdrawn has this value in a column or nested selector.
   */
  exists(resource: Resource, activities: readonly string[], field: string, value: StoredValue): Promise<boolean>;
  /**
   * For each activity, the record with this value in a column field that is not withdrawn; if there are several, the
   * one written first. Only columns are read, because a body may have 16 MiB.
   * @param columns names of column fields
   * @param withdrawn whether to find withdrawn records too
   */
  find(
    resource: Resource,
    activities: readonly string[],
    field: string,
    value: StoredValue,
    columns: readonly string[],
    withdrawn?: boolean,
  ): Promise<readonly FoundRecord[]>;
  /**
   * The bodies of records that are not withdrawn, by natural key, a few megabytes at a time (`storedBodies`).
   * @param naturalKeys at most a thousand
   */
  bodies(
    resource: Resource,
    activity: string,
    naturalKeys: readonly string[],
  ): AsyncGenerator<ReadonlyMap<string, string>>;
}

/**
 * @param maxBytes of the records of one page
 * @param replicas servers from which pages are read if they have reached the revision of the list
 */
export function createLists(
  given: Engine,
  maxBytes: number = maxPageBytes,
  replicas: Pick<Replicas, 'read'> | null = null,
): Lists {
  // Everything that is not a long read is served by an index.
  const engine = shortReading(given);
  const liveChanges = new Map<string, number>();
  const revisions = createRevisions(engine);
  return {
    revision: revisions.read,
    expectedRevision: revisions.lastRead,
    coveredUntil: (activities) => coveredUntil(engine, activities),
    page: (plan, revision, reader) => {
      const pageOf = (from: Engine): Promise<Page> => readPage(from, plan, revision, { reader, maxBytes, liveChanges });
      // The instant that such a page covers was read from the primary after the revision: writes in between must be on
      // the page.
      if (replicas === null || plan.updatedSince !== null) return pageOf(engine);
      return replicas.read(plan.resource, revision, (replica) =>
        pageOf(replica === null ? engine : shortReading(replica)),
      );
    },
    exists: async (resource, activities, selector, value) => {
      const condition: Condition = { op: '==', selector, value };
      const found = activities.map((activity) => engine.read(existsWith(resource, activity, condition)));
      return (await Promise.all(found)).some((rows) => rows.length > 0);
    },
    find: async (resource, activities, field, value, columns, withdrawn = false) => {
      const live = withdrawn ? sql`` : sql`and ${isLive(sql`withdrawn_at`)}`;
      const found = activities.map(async (activity): Promise<readonly FoundRecord[]> => {
        const values = sql`
          select ${sql.join(columns.map(sql.quoted))} from ${sql.quoted(resource.table)} where owner = ${activity}
          and ${sql.quoted(field)} = ${value} ${live} order by change_number ${limitTo(1)}
        `;
        return (await engine.read(values)).map((row) => ({ activity, values: row.map(toValue) }));
      });
      return (await Promise.all(found)).flat();
    },
    bodies: (resource, activity, naturalKeys) => storedBodies({ query: engine.read }, resource, activity, naturalKeys),
  };
}

function shortReading(engine: Engine): Engine {
  return { ...engine, read: engine.readShort };
}

/**
 * Answers a plan.
 * @throws Problem `cursor-expired` when the position lies beyond what this database ever wrote, or the image of the
 *   walk is gone
 */
async function readPage(
  engine: Engine,
  plan: ListPlan,
  revision: Revision,
  { reader, maxBytes, liveChanges }: { readonly reader: Reader } & Pick<PageReading, 'maxBytes' | 'liveChanges'>,
): Promise<Page> {
  const readPlan = await waysFound(engine, plan, revision);
  const isShort = readPlan.lookup !== undefined || readPlan.nearlyRead === true || isServedByIndex(plan);
  const rows = isShort ? engine.read : longReader(engine, readPlan, reader);
  const read = { engine, rows, isShort, maxBytes, liveChanges };
  if (plan.sort.length > 0) return valueOrderPage(read, readPlan);
  return plan.resource.storage === 'images'
    ? imageOrderPage(read, readPlan, revision)
    : recordOrderPage(read, readPlan, revision);
}

/** Extends the plan with what is known of its rows, if no index has them in order. */
async function waysFound(engine: Engine, plan: ListPlan, revision: Revision): Promise<ReadPlan> {
  if (isServedByIndex(plan)) return plan;
  if (hasFewChangesLeft(plan, revision, maxLookedUp)) return { ...plan, nearlyRead: true };
  const lookup = await fewRows(engine, plan);
  return lookup === null ? plan : { ...plan, lookup };
}

/** What to look rows up by if an index finds few; counting them costs no more than reading a page. */
async function fewRows(engine: Engine, plan: ListPlan): Promise<Lookup | null> {
  const lookup = lookupOf(plan);
  if (lookup === null) return null;
  let found = 0;
  for (const activities of together(plan.activities)) {
    const counts = activities.map((activity) => engine.read(lookedUpCount(plan.resource, activity, lookup)));
    for (const [count = 0] of await Promise.all(counts)) found += count;
    if (found > maxLookedUp) return null;
  }
  return lookup;
}

/** Reads the rows of a plan that may have to scan many, in parallel with other requests. */
function longReader(engine: Engine, plan: ReadPlan, reader: Reader): Engine['read'] {
  const { client, gone } = reader;
  const asked = { client, ...(gone !== undefined && { gone }), spending: newSpending(), advice: indexAdvice(plan) };
  return (statement) => engine.readLong(statement, asked);
}
