// In charge of tables as planners get them wrong: values that many records share lie together at the end, so that an
// engine that takes them for spread evenly walks through all that comes before.
import { columnFields, type Resource, type ScalarField } from '../../src/model/resource.ts';
import { activityTable, revisionTable, stockImageTable } from '../../src/store/tables/activities.ts';
import type { Engine } from '../../src/store/engine.ts';
import { nestedTable, recordTables } from '../../src/store/record-tables.ts';
import { addRows, plain } from '../contract/database.ts';

/** Twenty activities; the first one has nearly all records. */
export const activityCodes: readonly string[] = Array.from({ length: 20 }, (_none, index) => `A${10 + index}`);
/** Records of each other one. */
export const fewRows = 30;

/** Records that were written in one go, and so share the time of their last write. */
const batch = 100;
/** Milliseconds between two records of the fields that hold instants, and the instant of the first. */
const step = 60_000;
const first = Date.UTC(2020, 0, 1);

/** What is known of the values of a field: by the number of the record, from 1 on in change order. */
interface Shape {
  /**
   * `skewed`: ascending with the number of the record over the first half, the same in most of the second, then none.
   * `grouped`: three records share a value, as the reports of an order do.
   */
  readonly kind: 'unique' | 'grouped' | 'skewed' | 'updated';
}

function shapeOf(resource: Resource, name: string, field: ScalarField): Shape['kind'] {
  if (field.assigned === 'updated' && resource.storage === 'records') return 'updated';
  const isName = field.assigned === 'number' || field.assigned === 'uuid';
  if (resource.storage === 'images') return isName ? 'unique' : 'skewed';
  if (isName) return 'unique';
  if (resource.key[0] !== name) return 'skewed';
  return resource.key.length === 1 ? 'unique' : 'grouped';
}

/** What the field of the nth of `rows` records has, as a filter writes it; null where it has none. */
export function valueAt(resource: Resource, name: string, field: ScalarField, n: number, rows: number): string | null {
  const shape = shapeOf(resource, name, field);
  if (name === resource.activityField) return activityCodes[0] ?? '';
  if (shape === 'updated') return new Date(first + Math.floor(n / batch) * step).toISOString();
  const named = shape === 'unique' ? n : shape === 'grouped' ? Math.floor(n / 3) : null;
  const place = named !== null ? named : n <= rows / 2 ? n : n <= rows * 0.9 ? Math.floor(rows / 2) + 1 : null;
  if (place === null) return null;
  switch (field.kind) {
    case 'text':
      return textAt(place);
    case 'date-time':
      return new Date(first + place * step).toISOString();
    case 'boolean':
      return place % 2 === 0 ? 'true' : 'false';
    default:
      return String(place);
  }
}

function textAt(place: number): string {
  return `V${String(place).padStart(9, '0')}`;
}

/** The same in SQL, of a table with the column `n`. */
function columnSql(resource: Resource, name: string, field: ScalarField, rows: number, activity: string): string {
  const shape = shapeOf(resource, name, field);
  if (name === resource.activityField) return `'${activity}'`;
  if (shape === 'updated') return `${first} + (n / ${batch}) * ${step}`;
  const half = Math.floor(rows / 2);
  const named = shape === 'unique' ? 'n' : shape === 'grouped' ? '(n / 3)' : null;
  const place = named ?? `(case when n <= ${half} then n when n <= ${rows * 0.9} then ${half + 1} end)`;
  switch (field.kind) {
    case 'text':
      return `'V' || substr('000000000', 1, 9 - length(cast(${place} as text))) || cast(${place} as text)`;
    case 'date-time':
      return `${first} + ${place} * ${step}`;
    case 'boolean':
      return `1 - ${place} % 2`;
    default:
      return place;
  }
}

/** Fills the table of a resource: `rows` records of the first activity, few of each other one. */
export async function plant(engine: Engine, resource: Resource, rows: number): Promise<void> {
  const code = columnFields(resource);
  for (const [index, activity] of activityCodes.entries()) {
    const own = index === 0 ? rows : fewRows;
    const fields = [...code].map(([name, field]) => [name, columnSql(resource, name, field, own, activity)] as const);
    const image = resource.storage === 'images';
    const columns: readonly (readonly [string, string])[] = [
      ['owner', `'${activity}'`],
      ...(image
        ? ([
            ['image_id', `'image-${activity}'`],
            ['position', 'n'],
          ] as const)
        : ([
            ['natural_key', `'K' || n`],
            ['change_number', 'n'],
            ['content_hash', `''`],
          ] as const)),
      ['body', `'{"n":' || n || ',"padding":"${'x'.repeat(200)}"}'`],
      ...fields,
    ];
    await write(
      engine,
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${own})
       insert into ${resource.table} (${columns.map(([name]) => `"${name}"`).join(', ')})
       select ${columns.map(([, value]) => value).join(', ')} from numbers`,
    );
    if (image) await addImage(engine, activity, own);
    await addRows(engine, revisionTable, [{ activity, resource: resource.name, lastChange: own }]);
  }
}

async function addImage(engine: Engine, activity: string, rowCount: number): Promise<void> {
  await addRows(engine, stockImageTable, [
    {
      ...{ activity, imageId: `image-${activity}`, extractedAt: first, state: 'published', base: 0, rowCount },
      ...{ contentHash: '', publishedAt: first, touchedAt: first, feedMessage: null },
    },
  ]);
}

export async function plantActivities(engine: Engine, rows: number): Promise<void> {
  const created = activityCodes.map((code, index) => ({
    ...{ code, name: code, number: index + 1, lastChange: rows, lastId: rows },
    ...{ lastWriteAt: Date.now(), createdAt: first },
  }));
  await addRows(engine, activityTable, created);
}

/**
 * Lets the engine gather its statistics of the tables, and then take them for a number of times as large: what it does
 * with ten million records is decided by what it believes.
 */
export async function claimLarge(engine: Engine, resources: readonly Resource[], factor: number): Promise<void> {
  const tables = resources.map(({ table }) => table);
  if (engine.dialect === 'sqlite') {
    await write(engine, 'analyze');
    const found = await engine.read(sqliteStatistics);
    for (const [table, index, text] of found) {
      if (typeof text !== 'string' || !tables.includes(String(table))) continue;
      const [all = 0, ...each] = text.split(' ').map(Number);
      // Few values become ever more frequent, what tells records apart does not.
      const scaled = [all * factor, ...each.map((rows) => (rows > 2 * batch ? rows * factor : rows))];
      await write(
        engine,
        `update sqlite_stat1 set stat = '${scaled.join(' ')}'
         where tbl = '${String(table)}' and idx = '${String(index)}'`,
      );
    }
    return;
  }
  await engine.optimize();
  const names = tables.map((table) => `'${table}'`).join();
  await write(engine, `update pg_class set reltuples = reltuples * ${factor} where relname in (${names})`);
  await write(
    engine,
    `update pg_class set reltuples = reltuples * ${factor} where oid in
     (select indexrelid from pg_index join pg_class t on t.oid = indrelid where t.relname in (${names}))`,
  );
}

const sqliteStatistics = plain('select tbl, idx, stat from sqlite_stat1');

/** Tables that a statement about a resource may look at. */
export function tablesOf(resource: Resource): readonly string[] {
  return recordTables(resource).length > 1 ? [resource.table, nestedTable(resource)] : [resource.table];
}

async function write(engine: Engine, text: string): Promise<void> {
  await engine.write((transaction) => transaction.query(plain(text)));
}
