// The data that all servers serve: created once in our own SQLite database, moved to our own PostgreSQL database by
// backup and restore, and given to the peers by `export`.
import { execFile } from 'node:child_process';
import { copyFileSync, createReadStream, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { isObject } from '../../src/model/check.ts';
import { importRecords } from '../../src/feeds/import.ts';
import { refusedFile } from '../../src/feeds/refused-file.ts';
import { articleStock, definitions, order } from '../../src/resources/index.ts';
import { openStore } from '../../src/store/open.ts';
import { activity, makeMovements, writeRecordFile } from '../data.ts';
import { articleSizes } from '../article-sizes.ts';
import type { Place } from '../databases.ts';
import { launcher, settingsOf } from '../program.ts';
import { peerIndexStatements, type PeerTable, peerTableStatements, peerTables } from './tables.ts';

/** The number of records of each kind. */
export interface Sizes {
  readonly movements: number;
  readonly orders: number;
  readonly stock: number;
}

/** The sizes of the other lists for this number of movements. */
export function sizesFor(movements: number): Sizes {
  return { movements, orders: Math.min(Math.ceil(movements / 20), 50_000), stock: 20_000 };
}

/**
 * Fills our own two databases, which are equal down to ids and dates, and that of the peers.
 * @returns the folder of the exported files
 */
export async function makeDataset(own: Place, moved: Place, peers: Place, sizes: Sizes): Promise<string> {
  await makeMovements(own, sizes.movements);
  const store = await openStore(own.storage, definitions);
  try {
    for (const [resource, count] of [[order, sizes.orders] as const, [articleStock, sizes.stock] as const]) {
      const path = await writeRecordFile(own.folder, resource.name === 'orders' ? 'orders' : 'stock', count);
      const { new: added } = await importRecords({
        store,
        resource,
        activity: activity.code,
        activityName: activity.name,
        source: { kind: 'file', path },
        refusedLines: refusedFile(`${path}.refused.ndjson`),
      });
      if (added !== count) throw new Error(`${added} of ${count} ${resource.name} were taken`);
    }
  } finally {
    await store.close();
  }
  await moveTo(own, moved);
  const exported = join(own.folder, 'exported');
  const resources = ['movements', 'orders', 'stock'];
  await run(own, [
    'export',
    '--activity',
    activity.code,
    '--to',
    exported,
    '--no-documents',
    '--resource',
    ...resources,
  ]);
  await fillPeers(peers, exported);
  return exported;
}

/** Articles per request. */
const batchArticles = 100;

/** A batch of articles as a shop would create them, without their variants. */
export async function articleBatch(folder: string): Promise<readonly object[]> {
  const shop = articleSizes[1];
  const path = await writeRecordFile(folder, 'articles', batchArticles, (record) => {
    const { logisticalVariants: _variants, ...fields } = shop?.reduce(record) ?? {};
    return fields;
  });
  return Array.fromAsync(recordsIn(path));
}

/** The records of an exported file, one per line. */
export async function* recordsIn(path: string): AsyncGenerator<Readonly<Record<string, unknown>>> {
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })) {
    const record: unknown = JSON.parse(line);
    if (!isObject(record)) throw new Error(`${path} holds something that is no record`);
    yield record;
  }
}

/** With its ids, dates and order of changes. */
async function moveTo(from: Place, to: Place): Promise<void> {
  const backup = join(from.folder, 'backup');
  await run(from, ['backup', '--to', backup, '--no-documents']);
  const secret = join(from.folder, 'secret.key');
  if (existsSync(secret)) copyFileSync(secret, join(to.folder, 'secret.key'));
  await run(to, ['restore', backup, '--keep-history']);
  rmSync(backup, { recursive: true });
}

async function run(place: Place, words: readonly string[]): Promise<void> {
  await promisify(execFile)(launcher, words, { env: settingsOf(place), maxBuffer: 1 << 26 });
}

const batchRows = 2000;

async function fillPeers(place: Place, exported: string): Promise<void> {
  const client = new Client(place.storage.databaseUrl ?? '');
  await client.connect();
  try {
    for (const text of peerTableStatements) await client.query(text);
    const fill = filling(client);
    for (const [table, file] of [
      ['movement', 'movements'],
      ['customer_order', 'orders'],
      ['stock', 'stock'],
    ] as const)
      for await (const record of recordsIn(join(exported, `${file}.ndjson`)))
        await fill.add(tableNamed(table), record, null);
    await fill.end();
    for (const text of peerIndexStatements) await client.query(text);
    await client.query('vacuum (analyze)');
    await client.query('checkpoint');
  } finally {
    await client.end();
  }
}

/** Collects rows for the tables in batches; nested records go into tables of their own. */
function filling(client: Client): {
  readonly add: (table: PeerTable, record: Readonly<Record<string, unknown>>, parent: number | null) => Promise<void>;
  readonly end: () => Promise<void>;
} {
  const waiting = new Map<string, object[]>();
  const positions = new Map<string, number>();
  const write = async (name: string): Promise<void> => {
    const rows = waiting.get(name) ?? [];
    waiting.set(name, []);
    if (rows.length === 0) return;
    await client.query(`insert into ${name} select * from json_populate_recordset(null::${name}, $1)`, [
      JSON.stringify(rows),
    ]);
  };
  const add = async (
    table: PeerTable,
    record: Readonly<Record<string, unknown>>,
    parentPosition: number | null,
  ): Promise<void> => {
    const position = (positions.get(table.name) ?? 0) + 1;
    positions.set(table.name, position);
    const rows = waiting.get(table.name) ?? [];
    waiting.set(table.name, rows);
    rows.push({ ...record, position, parentPosition });
    for (const child of peerTables.filter(({ parent }) => parent?.table === table.name)) {
      const elements = record[child.parent?.field ?? ''];
      for (const element of Array.isArray(elements) ? elements : [])
        if (isObject(element)) await add(child, element, position);
    }
    if (rows.length >= batchRows) await write(table.name);
  };
  return {
    add,
    end: async () => {
      for (const { name } of peerTables) await write(name);
    },
  };
}

function tableNamed(name: string): PeerTable {
  const table = peerTables.find((each) => each.name === name);
  if (table === undefined) throw new Error(`there is no table ${name}`);
  return table;
}
