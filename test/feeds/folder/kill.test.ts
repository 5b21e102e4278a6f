// Kill -9 at each step of taking a file: no line lost, none twice, and the file moved exactly once.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Resource } from '../../../src/model/resource.ts';
import {
  article,
  articleStock,
  articleStockMovement,
  definitions,
  order,
  procurement,
  procurementReport,
} from '../../../src/resources/index.ts';
import { openStore } from '../../../src/store/open.ts';
import { rounds, testSeed } from '../../contract/rounds.ts';
import { folderFor, readAll } from '../fixture.ts';
import { takeFiles } from './take-files.ts';

/** A file of a warehouse, its mapping, and what comes of it. */
interface Dropped {
  readonly file: string;
  readonly mapping: object;
  readonly content: string;
  /** Of each resource, in the order of messages. */
  readonly comes: readonly {
    readonly resource: Resource;
    /** Of the message: lines, read, new, unchanged, refused. */
    readonly counts: readonly [number, number, number, number, number];
    /** What tells its records, by one of their fields. */
    readonly field: string;
    readonly values: readonly string[];
  }[];
}

const count = 1200;
const rows = Array.from({ length: count }, (_, index) => index);
/** One line in a hundred is refused. */
const isBroken = (index: number): boolean => index % 100 === 99;
const whole = rows.filter((index) => !isBroken(index));

/** Every article twice, and lines that are the same: two movements all the same. */
function movementLines(): Dropped {
  const lines = rows.map((index) =>
    isBroken(index) ? `A${index};too long` : index % 100 === 98 ? 'POST;I' : `A${index >> 1};I`,
  );
  const goods = lines.filter((line) => !line.startsWith('POST')).map((line) => line.split(';'));
  const moved = goods.filter(([, way]) => way === 'I').map(([sku = '']) => sku);
  const distinct = [...new Set(goods.map(([sku = '']) => sku))];
  const name = { articleReference: 'sku', longArticleDescription: 'sku', shortArticleDescription: 'sku' };
  return {
    file: 'a.csv',
    mapping: {
      format: { kind: 'csv', delimiter: ';' },
      skip: [{ rule: 'charges', when: { column: 'sku', equals: 'POST' } }],
      resources: {
        articles: { fields: name, distinct: {} },
        movements: { fields: { articleReference: 'sku', movementDirection: 'way' } },
      },
    },
    content: `sku;way\n${lines.join('\n')}\n`,
    comes: [
      {
        ...{ resource: article, field: 'articleReference', values: distinct },
        counts: [count + 1, distinct.length, distinct.length, 0, 0],
      },
      {
        ...{ resource: articleStockMovement, field: 'articleReference', values: moved },
        counts: [count + 1, moved.length + 12, moved.length, 0, 12],
      },
    ],
  };
}

/** Two lines of columns of fixed width make an order. */
function orderLines(): Dropped {
  const lines = rows.flatMap((index) => {
    const no = `N${index}`.padEnd(8);
    return [`${no}A1  ${isBroken(index) ? '   x' : '   1'}`, `${no}B2     2`];
  });
  return {
    file: 'orders.txt',
    mapping: {
      format: {
        kind: 'fixed',
        columns: [
          { name: 'no', start: 1, length: 8 },
          { name: 'sku', start: 9, length: 4 },
          { name: 'qty', start: 13, length: 4 },
        ],
      },
      resources: {
        orders: {
          fields: { orderUniqueID: 'no' },
          lists: {
            orderEntries: {
              fields: { orderLineID: { position: true }, articleReference: 'sku', quantityToPrepare: 'qty' },
            },
          },
          group: { by: ['no'] },
        },
      },
    },
    content: `${lines.join('\n')}\n`,
    comes: [
      {
        ...{ resource: order, field: 'orderUniqueID', values: whole.map((index) => `N${index}`) },
        counts: [2 * count, count, whole.length, 0, count - whole.length],
      },
    ],
  };
}

/** A stock image in one array of JSON: all of it or none. */
function stockRows(): Dropped {
  return {
    file: 'stock.json',
    mapping: {
      format: { kind: 'json' },
      resources: {
        stock: {
          fields: {
            stockImageExtractionDate: { constant: '2026-03-02T04:00:00Z' },
            ...{ articleReference: 'sku', totalStockQuantity: 'qty' },
          },
        },
      },
    },
    content: JSON.stringify(rows.map((index) => ({ sku: `A${index}`, qty: isBroken(index) ? 'x' : index }))),
    comes: [
      {
        ...{ resource: articleStock, field: 'articleReference', values: whole.map((index) => `A${index}`) },
        counts: [count, count, whole.length, 0, count - whole.length],
      },
    ],
  };
}

/** A procurement and the report of its reception out of each line of JSON. */
function receptions(): Dropped {
  const lines = rows.map((index) =>
    JSON.stringify({ po: `P${index}`, step: isBroken(index) ? 'too long' : '001', sku: 'A1', qty: index }),
  );
  const fields = { uniqueProcurementID: 'po' };
  return {
    file: 'receptions.ndjson',
    mapping: {
      format: { kind: 'ndjson' },
      resources: {
        procurements: {
          fields,
          lists: {
            procurementEntries: {
              fields: { lineID: { position: true }, articleReference: 'sku', expectedQuantity: 'qty' },
            },
          },
        },
        'procurement-reports': {
          fields: { ...fields, receptionUniqueID: 'po', receptionProcessingNumber: 'step' },
          lists: { entries: { fields: { articleReference: 'sku', receivedQuantity: 'qty' } } },
        },
      },
    },
    content: `${lines.join('\n')}\n`,
    comes: [
      {
        ...{ resource: procurement, field: 'uniqueProcurementID', values: rows.map((index) => `P${index}`) },
        counts: [count, count, count, 0, 0],
      },
      {
        ...{ resource: procurementReport, field: 'receptionUniqueID', values: whole.map((index) => `P${index}`) },
        counts: [count, count, whole.length, 0, count - whole.length],
      },
    ],
  };
}

const children = fileURLToPath(new URL('killed.ts', import.meta.url));
const node = join(import.meta.dirname, '../../../tools/node');

describe('a process that takes a file', () => {
  for (const dropped of [movementLines(), orderLines(), stockRows(), receptions()])
    it(`${dropped.file}, and is killed at any of its steps, leaves what the next one completes`, async (t) => {
      const folder = await folderFor(t);
      await lay(join(folder, 'start'), dropped);
      const all = Number(/steps (\d+)/.exec(await fresh(folder, 'whole', 0))?.[1]);
      assert.ok(all >= 20, `${all} steps`);
      await check(join(folder, 'whole'), dropped, 'without a kill');
      const wanted = rounds(all);
      for (let round = 0; round < wanted; round += 1) {
        const step = 1 + ((Math.floor((round * all) / wanted) + testSeed) % all);
        const told = await fresh(folder, 'killed', step);
        assert.doesNotMatch(told, /steps/, `step ${step} was not reached`);
        // Whoever died counts as alive for some seconds; the test does not wait for them.
        await forgetHolder(join(folder, 'killed/data'));
        const again = await takeFiles(join(folder, 'killed/data'), join(folder, 'killed/feeds'));
        await check(join(folder, 'killed'), dropped, `killed at step ${step} of ${all}; then ${again}`);
      }
    });
});

/** A database with one activity, and a folder with one file in its inbox. */
async function lay(folder: string, { file, mapping, content }: Dropped): Promise<void> {
  const [data, root] = [join(folder, 'data'), join(folder, 'feeds')];
  const store = await openStore({ dataDir: data, databaseUrl: null }, definitions);
  await store.activities.add('ACM', 'Acme Home');
  await store.close();
  await mkdir(join(root, 'inbox/ACM/day'), { recursive: true });
  await mkdir(join(root, 'mappings'));
  await writeFile(join(root, 'mappings/day.json'), JSON.stringify(mapping));
  await writeFile(join(root, 'inbox/ACM/day', file), content);
  await writeFile(join(root, 'inbox/ACM/day', `${file}.ok`), '');
}

/** A copy of what there was at the start, and one run on it. */
async function fresh(folder: string, name: string, step: number): Promise<string> {
  await rm(join(folder, name), { recursive: true, force: true });
  await cp(join(folder, 'start'), join(folder, name), { recursive: true, preserveTimestamps: true });
  return run(join(folder, name), step);
}

function run(folder: string, step: number): string {
  const { stdout, stderr } = spawnSync(node, [children, join(folder, 'data'), join(folder, 'feeds'), String(step)], {
    encoding: 'utf8',
  });
  return stdout + stderr;
}

async function forgetHolder(data: string): Promise<void> {
  const name = (await readdir(data)).find((each) => each.endsWith('.db')) ?? '';
  const database = new DatabaseSync(join(data, name));
  database.exec('update feed_message set touched_at = 1');
  database.close();
}

async function check(folder: string, { file, comes }: Dropped, when: string): Promise<void> {
  const files = (await readdir(join(folder, 'feeds'), { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory() && !entry.name.endsWith('day.json'))
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder, 'feeds/').length))
    // Killed before its companion went with it: without a file it means nothing.
    .filter((path) => !path.endsWith('.ok'));
  const place = 'error/ACM/day';
  const last = comes.at(-1) ?? assert.fail();
  const rest = `${file}${comes.length === 1 ? '' : `.${last.resource.name}`}.refused.ndjson`;
  assert.deepEqual(
    files.toSorted(),
    [file, `${file}.ack.json`, rest].map((name) => `${place}/${name}`),
    when,
  );
  const ack = JSON.parse(await readFile(join(folder, 'feeds', place, `${file}.ack.json`), 'utf8'));
  assert.deepEqual(
    ack.messages.map(({ resource, state, lines, read, new: added, unchanged, refused }: Record<string, unknown>) =>
      [resource, state, lines, read, added, unchanged, refused].join(' '),
    ),
    comes.map(({ resource, counts }) => [resource.name, 'done', ...counts].join(' ')),
    when,
  );
  const refused = await readFile(join(folder, 'feeds', place, rest), 'utf8');
  assert.equal(refused.trim().split('\n').length, last.counts[4], when);
  const store = await openStore({ dataDir: join(folder, 'data'), databaseUrl: null }, definitions);
  try {
    for (const { resource, field, values } of comes) {
      const found = (await readAll(store, resource)).map((record) => String(record[field]));
      assert.deepEqual(found.toSorted(), values.toSorted(), when);
    }
    const messages = await store.feeds.messages({ activities: ['ACM'], limit: 10 });
    assert.deepEqual(
      messages.map(({ state }) => state),
      comes.map(() => 'done'),
      when,
    );
  } finally {
    await store.close();
  }
}
