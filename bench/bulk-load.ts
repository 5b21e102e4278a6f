// A peer that loads rows as fast as the engine accepts them: pre-rendered rows, into the same tables and indexes.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Readable, Writable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { nestedSelectors, type Resource } from '../src/model/resource.ts';
import { resources } from '../src/resources/index.ts';
import { quotedName } from '../src/store/engine.ts';
import { databaseFile, type StorageSettings } from '../src/store/open.ts';
import { nestedTable, nestedTarget, recordTarget } from '../src/store/record-tables.ts';
import type { Measured } from './measure.ts';
import { answerTasks, cpuSoFar } from './peers.ts';

/** Loads everything that `from` has of a resource into the empty tables of `to`. */
interface BulkLoad {
  readonly resource: string;
  readonly from: StorageSettings;
  readonly to: StorageSettings;
}

/** Records per transaction: as many as in an import. */
const batch = 1000;

answerTasks(async (task) => {
  if (!isBulkLoad(task)) throw new Error('not a load');
  const resource = resources.find(({ name }) => name === task.resource);
  if (resource === undefined) throw new Error(`there is no resource ${task.resource}`);
  const { from, to } = task;
  return from.databaseUrl === null || to.databaseUrl === null
    ? insertRows(resource, from, to)
    : copyRows(resource, from.databaseUrl, to.databaseUrl);
});

/** Prepared inserts, one transaction per batch. Reading the rows of a batch is not counted. */
function insertRows(resource: Resource, from: StorageSettings, to: StorageSettings): Measured {
  const source = new DatabaseSync(databaseFile(from), { readOnly: true });
  const target = new DatabaseSync(databaseFile(to));
  // Like the writer in src/store/sqlite.ts.
  target.exec(
    'pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on; pragma cache_size = -32768; ' +
      'pragma mmap_size = 268435456;',
  );
  const tables = tablesOf(resource).map(({ table, columns, where }) => {
    const names = columns.map(quotedName).join(', ');
    const select = source.prepare(`select ${names} from ${quotedName(table)} where ${where}`);
    select.setReturnArrays(true);
    return {
      select,
      insert: target.prepare(
        `insert into ${quotedName(table)} (${names}) values (${columns.map(() => '?').join(', ')})`,
      ),
    };
  });
  let [done, seconds, cpuSeconds] = [0, 0, 0];
  for (let first = 1; ; first += batch) {
    const rows = tables.map(({ select, insert }) => ({
      insert,
      values: select.all(first, first + batch).map(valuesOf),
    }));
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

/**
 * COPY, one statement per table, all in one transaction, by `psql`: the driver has no COPY. Its start-up is not
 * counted.
 */
async function copyRows(resource: Resource, from: string, to: string): Promise<Measured> {
  const copies: { readonly into: string; readonly rows: Buffer }[] = [];
  for (const { table, columns } of tablesOf(resource)) {
    const into = `${quotedName(table)} (${columns.map(quotedName).join(', ')})`;
    const source = startPsql(from, '-c', `copy ${into} to stdout`);
    copies.push({ into, rows: await buffer(source.stdout) });
    await source.ended;
  }
  const count = startPsql(from, '-At', '-c', `select count(*) from ${quotedName(resource.table)}`);
  const done = Number(await text(count.stdout));
  await count.ended;
  const target = startPsql(to, '-f', '-');
  target.stdin.write('\\echo ready\n');
  await once(target.stdout, 'data');
  const started = performance.now();
  target.stdin.write('begin;\n');
  for (const { into, rows } of copies) {
    target.stdin.write(`copy ${into} from stdin;\n`);
    target.stdin.write(rows);
    target.stdin.write('\\.\n');
  }
  target.stdin.end('commit;\n');
  await target.ended;
  return { done, seconds: (performance.now() - started) / 1000, cpuSeconds: 0 };
}

/** PostgreSQL's own client. */
function startPsql(
  url: string,
  ...options: readonly string[]
): { readonly stdin: Writable; readonly stdout: Readable; readonly ended: Promise<void> } {
  const child = spawn('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', '-d', url, ...options], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'close').then(([code]) => {
    if (code !== 0) throw new Error('psql failed');
  });
  return { stdin: child.stdin, stdout: child.stdout, ended };
}

/** The tables of a resource with the condition for the rows of one batch, by change numbers. */
function tablesOf(
  resource: Resource,
): readonly { readonly table: string; readonly columns: readonly string[]; readonly where: string }[] {
  const inBatch = 'change_number >= ? and change_number < ?';
  const main = {
    table: resource.table,
    columns: recordTarget(resource).columns.map(({ name }) => name),
    where: `${inBatch} order by change_number`,
  };
  if (nestedSelectors(resource).length === 0) return [main];
  const keys = `select owner, natural_key from ${quotedName(resource.table)} where ${inBatch}`;
  return [
    main,
    {
      table: nestedTable(resource),
      columns: nestedTarget(resource).columns.map(({ name }) => name),
      where: `(owner, natural_key) in (${keys}) order by rowid`,
    },
  ];
}

function valuesOf(row: unknown): readonly SQLInputValue[] {
  if (!Array.isArray(row)) throw new Error('a row is expected as an array');
  return row;
}

function isBulkLoad(task: unknown): task is BulkLoad {
  return typeof task === 'object' && task !== null && 'from' in task && 'to' in task;
}
