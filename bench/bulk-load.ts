// A peer that loads rows as fast as the engine takes them: rows that are rendered already, into the same tables and indexes.
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import postgres from 'postgres';
import { nestedSelectors, type Resource } from '../src/model/resource.ts';
import { resources } from '../src/resources/index.ts';
import { quoted } from '../src/store/engine.ts';
import { databaseFile, type StorageSettings } from '../src/store/open.ts';
import { nestedTable, nestedTarget, recordTarget } from '../src/store/record-tables.ts';
import type { Measured } from './measure.ts';
import { answerTasks, cpuSoFar } from './peers.ts';

/** One loading of everything that `from` holds of a resource into the empty tables of `to`. */
export interface BulkLoad {
  readonly resource: string;
  readonly from: StorageSettings;
  readonly to: StorageSettings;
}

/** Records in one transaction: as many as an import writes in one. */
const batch = 1000;

answerTasks(async (task) => {
  if (!isBulkLoad(task)) throw new Error('not a load');
  const resource = resources.find(({ name }) => name === task.resource);
  if (resource === undefined) throw new Error(`there is no resource ${task.resource}`);
  const { from, to } = task;
  return from.databaseUrl === null || to.databaseUrl === null ? insertRows(resource, from, to) : copyRows(resource, from.databaseUrl, to.databaseUrl);
});

/** Prepared inserts, a transaction per batch. Reading the rows of a batch is not counted. */
function insertRows(resource: Resource, from: StorageSettings, to: StorageSettings): Measured {
  const source = new DatabaseSync(databaseFile(from), { readOnly: true });
  const target = new DatabaseSync(databaseFile(to));
  // As src/store/sqlite.ts sets its writer.
  target.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -32768; pragma mmap_size = 268435456;');
  const tables = tablesOf(resource).map(({ table, columns, where }) => {
    const names = columns.map(quoted).join(', ');
    const select = source.prepare(`select ${names} from ${quoted(table)} where ${where}`);
    select.setReturnArrays(true);
    return { select, insert: target.prepare(`insert into ${quoted(table)} (${names}) values (${columns.map(() => '?').join(', ')})`) };
  });
  let [done, seconds, cpuSeconds] = [0, 0, 0];
  for (let first = 1; ; first += batch) {
    const rows = tables.map(({ select, insert }) => ({ insert, values: select.all(first, first + batch).map(valuesOf) }));
    const found = rows[0]?.values.length ?? 0;
    if (found === 0) break;
    const [started, cpu] = [performance.now(), cpuSoFar()];
    target.exec('begin immediate');
    for (const { insert, values } of rows) for (const row of values) insert.run(...row);
    target.exec('commit');
    seconds += (performance.now() - started) / 1000;
    cpuSeconds += cpuSoFar() - cpu;
    done += found;
  }
  source.close();
  target.close();
  return { done, seconds, cpuSeconds };
}

/** COPY, a statement per table, all in one transaction. */
async function copyRows(resource: Resource, from: string, to: string): Promise<Measured> {
  const [source, target] = [from, to].map((url) => postgres(url, { max: 1, onnotice: () => undefined }));
  if (source === undefined || target === undefined) throw new Error('no connection');
  const copies: { readonly into: string; readonly chunks: readonly Buffer[] }[] = [];
  for (const { table, columns } of tablesOf(resource)) {
    const into = `${quoted(table)} (${columns.map(quoted).join(', ')})`;
    const chunks: Buffer[] = [];
    for await (const chunk of await source.unsafe(`copy ${into} to stdout`).readable()) chunks.push(Buffer.from(chunk));
    copies.push({ into, chunks });
  }
  const [count] = await source.unsafe(`select count(*)::int as count from ${quoted(resource.table)}`);
  const started = performance.now();
  await target.begin(async (transaction) => {
    for (const { into, chunks } of copies) await pipeline(Readable.from(chunks), await transaction.unsafe(`copy ${into} from stdin`).writable());
  });
  const seconds = (performance.now() - started) / 1000;
  await Promise.all([source.end(), target.end()]);
  return { done: Number(count?.count), seconds, cpuSeconds: 0 };
}

/** The tables of a resource with the condition on the rows that one batch writes, by change numbers. */
function tablesOf(resource: Resource): readonly { readonly table: string; readonly columns: readonly string[]; readonly where: string }[] {
  const inBatch = 'change_number >= ? and change_number < ?';
  const main = { table: resource.table, columns: recordTarget(resource).columns.map(({ name }) => name), where: `${inBatch} order by change_number` };
  if (nestedSelectors(resource).length === 0) return [main];
  const keys = `select owner, natural_key from ${quoted(resource.table)} where ${inBatch}`;
  return [main, { table: nestedTable(resource), columns: nestedTarget(resource).columns.map(({ name }) => name), where: `(owner, natural_key) in (${keys}) order by rowid` }];
}

function valuesOf(row: unknown): readonly SQLInputValue[] {
  if (!Array.isArray(row)) throw new Error('a row is expected as an array');
  return row;
}

function isBulkLoad(task: unknown): task is BulkLoad {
  return typeof task === 'object' && task !== null && 'from' in task && 'to' in task;
}
