// Part (j): bytes on disk per movement and order, compared with the line of the file that it came from, and what they
// are used for.
import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { refusedFile } from '../src/feeds/refused-file.ts';
import { importRecords } from '../src/feeds/import.ts';
import type { Resource } from '../src/model/resource.ts';
import { articleStockMovement, definitions, order } from '../src/resources/index.ts';
import { databaseFile, openEngine, openStore } from '../src/store/open.ts';
import { nestedTable } from '../src/store/record-tables.ts';
import { activity, type Multiplied, writeRecordFile } from './data.ts';
import { type EngineName, type Place, withPlaces } from './databases.ts';
import type { Effort } from './measure.ts';
import type { Figure } from './report.ts';

const measured: readonly (readonly [Multiplied, Resource])[] = [
  ['movements', articleStockMovement],
  ['orders', order],
];

/** Bytes of one table or index, and of the long texts that a table stores separately. */
interface Part {
  readonly name: string;
  readonly bytes: number;
}

export async function measureDisk(engines: readonly EngineName[], effort: Effort): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const engine of engines)
    for (const [name, resource] of measured)
      figures.push(
        ...(await withPlaces([engine], async ([place]) =>
          place === undefined ? [] : [await diskOf(place, name, resource, effort.quick ? 5_000 : 50_000)],
        )),
      );
  return figures;
}

async function diskOf(place: Place, name: Multiplied, resource: Resource, count: number): Promise<Figure> {
  const path = await writeRecordFile(place.folder, name, count);
  const store = await openStore(place.storage, definitions);
  await store.activities.add(activity.code, activity.name);
  const refusedLines = refusedFile(`${path}.refused.ndjson`);
  const source = { kind: 'file', path } as const;
  await importRecords({ store, resource, activity: activity.code, activityName: activity.name, source, refusedLines });
  await store.close();
  const engine = await openEngine(place.storage);
  await engine.optimize();
  await engine.close();
  const parts = await partsOf(place, [resource.table, nestedTable(resource)]);
  const bytes = parts.reduce((sum, part) => sum + part.bytes, 0) / count;
  const raw = statSync(path).size / count;
  return {
    ...{ part: 'j', engine: place.engine, what: `disk, ${name}`, unit: 'bytes a record', reached: bytes },
    ...{ limit: { name: 'line of the file', value: raw }, ratio: raw / bytes, aim: '', met: null, cpuRatio: null },
    note: parts.map((part) => `${part.name} ${Math.round(part.bytes / count)}`).join(', '),
  };
}

async function partsOf({ storage }: Place, tables: readonly string[]): Promise<readonly Part[]> {
  const parts =
    storage.databaseUrl === null ? sqliteParts(databaseFile(storage)) : await serverParts(storage.databaseUrl);
  return parts
    .filter(({ name }) =>
      tables.some((table) => name === table || name.startsWith(`${table}_by_`) || name === `${table} long texts`),
    )
    .map(({ name, bytes }) => ({ name, bytes: Number(bytes) }))
    .filter(({ bytes }) => bytes > 0);
}

function sqliteParts(file: string): readonly Part[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database
      .prepare('select name, sum(pgsize) as bytes from dbstat group by name order by bytes desc')
      .all()
      .map(({ name, bytes }) => ({ name: String(name), bytes: Number(bytes) }));
  } finally {
    database.close();
  }
}

async function serverParts(url: string): Promise<readonly Part[]> {
  const client = new Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<Part>(`
      select name, bytes from (
        select c.relname::text as name, pg_relation_size(c.oid) as bytes from pg_class c
        where c.relnamespace = 'public'::regnamespace
        union all
        select c.relname || ' long texts', pg_total_relation_size(c.reltoastrelid) from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.reltoastrelid <> 0
      ) parts order by bytes desc`);
    return rows;
  } finally {
    await client.end();
  }
}
