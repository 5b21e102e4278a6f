// Reads revisions: on PostgreSQL, callers that ask while a read is in progress share the next answer.
import { compositeKey } from '../model/composite-key.ts';
import { createGrowingCache } from '../model/growing-cache.ts';
import { thenMaybe, type MaybePromise } from '../model/maybe-promise.ts';
import type { Resource } from '../model/resource.ts';
import type { Engine, Row } from './engine.ts';
import { anyOf, keysOf } from './sql-dialects.ts';
import { perActivity } from './per-activity.ts';
import { perEngine, sql, type Statement } from './statement.ts';
import type { Revision } from './store.ts';

/** The records of a resource in an activity, whose last change number is asked for. */
interface RevisionRequest {
  readonly resource: string;
  readonly activity: string;
  /** Composite key of the two. */
  readonly key: string;
}
/** Last change numbers by key. */
type Found = ReadonlyMap<string, number>;
type Read = (wanted: readonly RevisionRequest[]) => Promise<Found>;

export interface Revisions {
  /** The last change number of one resource in each of some activities, 0 where nothing was written. */
  readonly read: ReadRevision;
  /**
   * The result of the last read, whoever asked: most likely still current. Null if it is unknown, and on SQLite, where
   * reading costs next to nothing.
   */
  readonly lastRead: (resource: Resource, activities: readonly string[]) => Revision | null;
}

type ReadRevision = (resource: Resource, activities: readonly string[]) => MaybePromise<Revision>;

/** Lists whose last revision is kept. */
const maxKnown = 20_000;

/** What somebody asks for again and again. */
interface AskedList {
  readonly wanted: readonly RevisionRequest[];
  /** As it was last: where it is still the same, so is the object, and nobody need compare what is in it. */
  last: Revision | null;
}

/**
 * Makes the reader of revisions. A result was read after the call, or nothing has been written since it was read. On
 * PostgreSQL, calls made while a read is in progress are answered by the next one, which combines them all. On SQLite,
 * whose file tells when it was last written, repeated calls with the same activities (the same array, not an equal one)
 * get the same object until anything is written.
 */
export function createRevisions(engine: Engine): Revisions {
  const known = createGrowingCache<string, number>(maxKnown);
  const direct: Read = async (wanted) => {
    const found = new Map(
      (await revisionRows(engine, wanted)).map(([resource, activity, lastChange]) => [
        compositeKey(String(resource), String(activity)),
        Number(lastChange),
      ]),
    );
    if (engine.dataVersion !== undefined) return found;
    for (const { key } of wanted) known.set(key, found.get(key) ?? 0);
    return found;
  };
  const read = engine.dialect === 'postgres' ? shared(direct) : direct;
  const listOf = askedLists();
  const readAnew = async ({ name }: Resource, activities: readonly string[]): Promise<Revision> => {
    const list = listOf(name, activities);
    const found = await read(list.wanted);
    return revisionOf(list, (key) => found.get(key) ?? 0);
  };
  return {
    read: engine.dataVersion === undefined ? readAnew : remembered(engine.dataVersion, readAnew),
    lastRead: ({ name }, activities) => {
      const list = listOf(name, activities);
      return list.wanted.every(({ key }) => known.has(key)) ? revisionOf(list, (key) => known.get(key) ?? 0) : null;
    },
  };
}

/** Makes what remembers who asks for what: by the activities of a principal, the list and not one that is equal. */
function askedLists(): (resource: string, activities: readonly string[]) => AskedList {
  const lists = new WeakMap<readonly string[], Map<string, AskedList>>();
  return (resource, activities) => {
    let own = lists.get(activities);
    if (own === undefined) {
      own = new Map();
      lists.set(activities, own);
    }
    let list = own.get(resource);
    if (list === undefined) {
      const wanted = activities.map((activity) => ({ resource, activity, key: compositeKey(resource, activity) }));
      list = { wanted, last: null };
      own.set(resource, list);
    }
    return list;
  };
}

function revisionOf(list: AskedList, lastChange: (key: string) => number): Revision {
  const { wanted, last } = list;
  if (last !== null && wanted.every(({ activity, key }) => last[activity] === lastChange(key))) return last;
  const revision = Object.fromEntries(wanted.map(({ activity, key }) => [activity, lastChange(key)]));
  list.last = revision;
  return revision;
}

/** @param dataVersion changes when anything was written since the last call */
function remembered(dataVersion: () => number, readAnew: ReadRevision): ReadRevision {
  let version = Number.NaN;
  let known = new WeakMap<readonly string[], Map<string, Revision>>();
  return (resource, activities) => {
    // Taken before reading: a write in between only makes the result newer than recorded.
    const now = dataVersion();
    if (now !== version) [version, known] = [now, new WeakMap()];
    const at = known;
    const before = at.get(activities)?.get(resource.name);
    if (before !== undefined) return before;
    return thenMaybe(readAnew(resource, activities), (revision) => {
      const own = at.get(activities) ?? new Map<string, Revision>();
      at.set(activities, own.set(resource.name, revision));
      return revision;
    });
  };
}

/** One read at a time; all calls made meanwhile go into the next one. */
function shared(read: Read): Read {
  let last: Promise<unknown> = Promise.resolve();
  let next: { readonly wanted: Map<string, RevisionRequest>; readonly found: Promise<Found> } | null = null;
  const begin = async (wanted: ReadonlyMap<string, RevisionRequest>): Promise<Found> => {
    // The callers of that read receive its failure.
    await last.catch(() => undefined);
    next = null;
    const found = read([...wanted.values()]);
    last = found;
    return found;
  };
  return (asked) => {
    if (next === null) {
      const wanted = new Map<string, RevisionRequest>();
      next = { wanted, found: begin(wanted) };
    }
    for (const wanted of asked) next.wanted.set(wanted.key, wanted);
    return next.found;
  };
}

/** On a distributed database, the revisions of one activity are read together, on its machine. */
function revisionRows(engine: Engine, wanted: readonly RevisionRequest[]): Promise<readonly Row[]> {
  const resourcesOf = Map.groupBy(wanted, ({ activity }) => activity);
  return perActivity(engine, engine.read, [...resourcesOf.keys()], (activities) =>
    revisionsOf(activities.flatMap((activity) => resourcesOf.get(activity) ?? [])),
  );
}

/** One index look-up for each, whatever the server's statistics say about the table. */
function revisionsOf(wanted: readonly RevisionRequest[]): Statement {
  const resources = wanted.map(({ resource }) => resource);
  const activities = wanted.map(({ activity }) => activity);
  return perEngine({
    sqlite: () => sql`
      select resource, owner, last_change from revision
      where resource = ${resources[0] ?? ''} and owner in (${sql.join(activities)})
    `,
    postgres: () => sql`
      select asked.resource, asked.owner, found.last_change
      from unnest(${keysOf(resources)}, ${keysOf(activities)}) asked (resource, owner),
      lateral (
        select last_change from revision r where r.owner = asked.owner and r.resource = asked.resource limit 1
      ) found
    `,
    citus: () => sql`
      select resource, owner, last_change from revision
      where owner = ${activities[0] ?? ''} and ${anyOf(sql`resource`, resources)}
    `,
  });
}
