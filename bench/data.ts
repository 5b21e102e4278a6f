// The measured records: those of the demonstration warehouse, multiplied; as files to import, and as large tables.
import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { join } from 'node:path';
import { demoActivities, demoRecords } from '../src/demo/demo.ts';
import { importRecords } from '../src/feeds/import.ts';
import { refusedFile } from '../src/feeds/refused-file.ts';
import { articleStockMovement, definitions } from '../src/resources/index.ts';
import { type Engine, quotedName } from '../src/store/engine.ts';
import { openEngine, openStore } from '../src/store/open.ts';
import { recordTarget } from '../src/store/record-tables.ts';
import type { Place } from './databases.ts';
import { plain } from '../test/contract/database.ts';

/** The activity that all records belong to. */
export const activity = { code: 'ACM', name: 'Acme Home' } as const;

/** Kinds of records of the demonstration warehouse from which files are made. */
export type Multiplied =
  | 'movements'
  | 'orders'
  | 'order-reports'
  | 'procurements'
  | 'procurement-reports'
  | 'articles'
  | 'stock';

/**
 * Writes a file of `count` different records as newline-delimited JSON.
 * @param reduce reduces each record
 * @returns its name
 */
export async function writeRecordFile(
  folder: string,
  resource: Multiplied,
  count: number,
  reduce: (record: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> = (record) => record,
): Promise<string> {
  const warehouse = demoActivities.find(({ code }) => code === activity.code);
  const originals = warehouse === undefined ? [] : (demoRecords(warehouse, Date.UTC(2026, 5, 1)).get(resource) ?? []);
  if (originals.length === 0) throw new Error(`the demonstration warehouse has no ${resource}`);
  const file = join(folder, `${resource}.ndjson`);
  const output = createWriteStream(file, { highWaterMark: 1 << 20 });
  for (let index = 0; index < count; index += 1) {
    const original = originals[index % originals.length];
    const copy = Math.floor(index / originals.length);
    if (!output.write(`${JSON.stringify(reduce({ ...original, ...different[resource](copy, index) }))}\n`))
      await once(output, 'drain');
  }
  output.end();
  await finished(output);
  return file;
}

/** Creates the database and its activity, and imports `count` movements in the normal way. */
export async function importMovements(place: Place, count: number): Promise<void> {
  const path = await writeRecordFile(place.folder, 'movements', count);
  const store = await openStore(place.storage, definitions);
  try {
    await store.activities.add(activity.code, activity.name);
    const { new: added } = await importRecords({
      store,
      resource: articleStockMovement,
      activity: activity.code,
      activityName: activity.name,
      source: { kind: 'file', path },
      refusedLines: refusedFile(`${path}.refused.ndjson`),
    });
    if (added !== count) throw new Error(`${added} of ${count} movements were taken`);
  } finally {
    await store.close();
  }
}

/**
 * Creates a database of `count` movements, a multiple of 10,000: the first 10,000 are imported, the others are copied
 * from them inside the engine, each with its own id, key and change number, while the table has no indexes.
 */
export async function makeMovements(place: Place, count: number): Promise<void> {
  await importMovements(place, originalMovements);
  const engine = await openEngine(place.storage);
  try {
    if (count > originalMovements) await multiply(engine, count / originalMovements);
    await engine.optimize();
  } finally {
    await engine.close();
  }
}

/** Movements that are imported; the others are copies with the same instants. */
export const originalMovements = 10_000;
/** When the first movement was posted; each further one is a second later. */
export const firstCopyAt = Date.UTC(2026, 0, 1);
/** Rows of one stock image; the number of rows in a file determines its number of images. */
const imageRows = 50_000;
/** Copies of all originals per statement. */
const copiesAtOnce = 20;

/** What distinguishes one copy of a record from another. */
const different: Readonly<Record<Multiplied, (copy: number, index: number) => Readonly<Record<string, unknown>>>> = {
  movements: (copy, index) => {
    const at = firstCopyAt + index * 1000 + copy;
    return { movementTimestamp: new Date(at).toISOString(), dateProcessed: new Date(at + 20_000).toISOString() };
  },
  orders: (_copy, index) => ({ orderUniqueID: `ACM-${index}`, customerOrderID: String(index) }),
  'order-reports': (_copy, index) => ({ orderUniqueID: `ACM-${index}` }),
  procurements: (_copy, index) => ({ uniqueProcurementID: `PO-${index}` }),
  'procurement-reports': (_copy, index) => ({ uniqueProcurementID: `PO-${index}` }),
  articles: (_copy, index) => ({ articleReference: `A${index}` }),
  stock: (_copy, index) => ({
    stockImageExtractionDate: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / imageRows) * 3_600_000).toISOString(),
    articleReference: `A${index % imageRows}`,
  }),
};

async function multiply(engine: Engine, copies: number): Promise<void> {
  const { table, columns } = recordTarget(articleStockMovement);
  const indexes = await indexesOf(engine, table);
  await unhurried(
    engine,
    indexes.map(({ name }) => `drop index ${quotedName(name)}`),
  );
  const names = columns.map(({ name }) => quotedName(name));
  const cut = engine.dialect === 'sqlite' ? `instr(b.body, ',')` : `strpos(b.body, ',')`;
  const different: Readonly<Record<string, string>> = {
    natural_key: `b.natural_key || ':' || k`,
    change_number: `b.change_number + k * ${originalMovements}`,
    body: `'{"id":' || (b.id + k * ${originalMovements}) || substr(b.body, ${cut})`,
    id: `b.id + k * ${originalMovements}`,
  };
  const values = columns.map(({ name }) => different[name] ?? `b.${quotedName(name)}`);
  for (let copy = 1; copy < copies; copy += copiesAtOnce) {
    const last = Math.min(copy + copiesAtOnce, copies) - 1;
    await unhurried(engine, [
      `with recursive n (k) as (select ${copy} union all select k + 1 from n where k < ${last})
      insert into ${quotedName(table)} (${names.join(', ')}) select ${values.join(', ')} from n, ${quotedName(table)} b
      where b.change_number <= ${originalMovements} order by k, b.change_number`,
    ]);
  }
  for (const { text } of indexes) await unhurried(engine, [text]);
  const count = copies * originalMovements;
  await unhurried(engine, [
    `update activity set last_change = ${count}, last_id = ${count}`,
    `update revision set last_change = ${count}`,
  ]);
}

/** In one transaction, without the time limit for requests. */
async function unhurried(engine: Engine, texts: readonly string[]): Promise<void> {
  await engine.write(async (transaction) => {
    const limit = engine.dialect === 'postgres' ? ['set local statement_timeout = 0'] : [];
    for (const text of [...limit, ...texts]) await transaction.query(plain(text));
  });
}

async function indexesOf(
  engine: Engine,
  table: string,
): Promise<readonly { readonly name: string; readonly text: string }[]> {
  const text =
    engine.dialect === 'sqlite'
      ? `select name, sql from sqlite_master where type = 'index' and tbl_name = '${table}'`
      : `select indexname, indexdef from pg_indexes where tablename = '${table}'`;
  return (await engine.read(plain(text))).map(([name, definition]) => ({
    name: String(name),
    text: String(definition),
  }));
}
