// Ends a page before it has too many bytes.
import type { Resource } from '../model/resource.ts';
import { createMutex } from './mutex.ts';
import type { Engine, Row } from './engine.ts';
import { bodiesAt, type Scope } from './list-sql.ts';

/**
 * Bytes of the records of one page. A page that reaches this limit ends and the next one continues, but each page has
 * at least one record.
 */
export const maxPageBytes = 16 * 1_048_576;

/** A row of a page whose record has been read, or only measured if it is long. */
export interface SizedRow {
  readonly bytes: Buffer | null;
  readonly length: number;
  readonly scope: Scope;
  /** Order column. */
  readonly place: number;
}

type FullRow<T extends SizedRow> = T & { readonly bytes: Buffer };

/** The space left on a page. */
interface Room {
  readonly bytes: number;
  /** An empty page takes a record of any length. */
  readonly isEmpty: boolean;
}

/** The first three columns of `changeRows` and `valuePage`. */
export function sizedRow(scope: Scope, [bytes, length, place]: Row): SizedRow {
  const read = bytes instanceof Buffer ? bytes : null;
  return { bytes: read, length: read?.length ?? Number(length), scope, place: Number(place) };
}

/**
 * The first rows that fit, with their records. Ends before a row that no longer exists: a record written meanwhile
 * appears at another place.
 */
export async function fittingRows<T extends SizedRow>(
  engine: Engine,
  resource: Resource,
  rows: readonly T[],
  room: Room,
): Promise<readonly FullRow<T>[]> {
  const fitting = firstThatFit(rows, room);
  const bodies = await longBodies(engine, resource, fitting);
  const full: FullRow<T>[] = [];
  for (const row of fitting) {
    const bytes = row.bytes ?? bodies.get(row.scope)?.get(row.place);
    if (bytes === undefined) break;
    full.push({ ...row, bytes });
  }
  return full;
}

function firstThatFit<T extends SizedRow>(rows: readonly T[], { bytes, isEmpty }: Room): readonly T[] {
  let sum = 0;
  const beyond = rows.findIndex(({ length }, index) => {
    sum += length;
    return sum > bytes && !(isEmpty && index === 0);
  });
  return beyond < 0 ? rows : rows.slice(0, beyond);
}

/** While a record longer than a page is read, it is in memory several times, so only one is read at a time. */
const alone = createMutex();

function longBodies(engine: Engine, resource: Resource, rows: readonly SizedRow[]): Promise<LongBodies> {
  const read = (): Promise<LongBodies> => readLong(engine, resource, rows);
  return rows.some(({ length }) => length > maxPageBytes) ? alone(read) : read();
}

type LongBodies = ReadonlyMap<Scope, ReadonlyMap<number, Buffer>>;

async function readLong(engine: Engine, resource: Resource, rows: readonly SizedRow[]): Promise<LongBodies> {
  const long = Map.groupBy(
    rows.filter(({ bytes }) => bytes === null),
    ({ scope }) => scope,
  );
  const bodies = [...long].map(async ([scope, own]) => {
    const places = own.map(({ place }) => place);
    const found = new Map<number, Buffer>();
    for (const [bytes, place] of await engine.read(bodiesAt(resource, scope, places)))
      if (bytes instanceof Buffer) found.set(Number(place), bytes);
    return [scope, found] as const;
  });
  return new Map(await Promise.all(bodies));
}
