// How Directus is queried: its item requests by GET, and the conversion of its responses to the records of the others.
import { isObject } from '../../src/model/check.ts';
import type { Asking } from './graphql.ts';
import { type PeerTable, peerTables } from './tables.ts';
import type { PageQuery } from './work.ts';

const tables: Readonly<Record<PageQuery['list'], string>> = {
  movements: 'movement',
  orders: 'customer_order',
  stock: 'stock',
};

/** Configures which rows are nested in which, as its settings pages would, and returns how to query it. */
export async function askDirectus(port: number, headers: Readonly<Record<string, string>>): Promise<Asking> {
  const send = async (method: string, path: string, body: object): Promise<void> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`Directus answers ${method} ${path} with ${answer.status}: ${text.slice(0, 1000)}`);
  };
  for (const { name } of peerTables) await send('PATCH', `/collections/${name}`, { meta: { hidden: false } });
  for (const { name, parent } of peerTables) {
    if (parent === null) continue;
    const alias = { field: parent.field, type: 'alias', meta: { special: ['o2m'] } };
    await send('PATCH', `/relations/${name}/parentPosition`, {
      collection: name,
      field: 'parentPosition',
      related_collection: parent.table,
      meta: { one_field: parent.field, sort_field: 'position' },
    });
    await send('POST', `/fields/${parent.table}`, alias);
  }
  const selected = new Map(peerTables.map((table) => [table.name, selection(table).join(',')]));
  return {
    pathOf: ({ list, after, limit, articleReference, before }) => {
      const query = new URLSearchParams({ fields: selected.get(tables[list]) ?? '', limit: String(limit) });
      query.set('sort', before === null ? 'position' : '-movementTimestamp,-position');
      if (before === null) query.set('filter[position][_gt]', String(after));
      else query.set('filter[movementTimestamp][_lt]', before);
      if (articleReference !== null) query.set('filter[articleReference][_eq]', articleReference);
      for (const path of nestedPaths(tables[list])) {
        query.set(`deep${path}[_sort]`, 'position');
        query.set(`deep${path}[_limit]`, '-1');
      }
      return `/items/${tables[list]}?${query}`;
    },
    recordsOf: (answer) => {
      const data = isObject(answer) ? answer.data : null;
      if (!Array.isArray(data)) throw new Error(`not a list: ${JSON.stringify(answer).slice(0, 1000)}`);
      return data.map(withNumbers);
    },
  };
}

/** Its fields, including those of nested rows. */
function selection(table: PeerTable): readonly string[] {
  const nested = peerTables.filter(({ parent }) => parent?.table === table.name);
  return [
    ...table.columns.map(({ name }) => name),
    ...nested.flatMap((child) => ['position', ...selection(child)].map((name) => `${child.parent?.field}.${name}`)),
  ];
}

/** `[orderSubOrders][orderEntries]`: what is nested in a table, recursively. */
function nestedPaths(table: string): readonly string[] {
  return peerTables.flatMap(({ name, parent }) =>
    parent?.table === table
      ? [`[${parent.field}]`, ...nestedPaths(name).map((path) => `[${parent.field}]${path}`)]
      : [],
  );
}

const integers: ReadonlySet<string> = new Set(
  peerTables.flatMap(({ columns }) => columns.filter(({ kind }) => kind === 'integer').map(({ name }) => name)),
);

/** An identifier is an integer in one table, and text in another. */
const digits = /^\d+$/;

/** Its responses contain 64-bit numbers as strings, and sort nested rows by these strings. */
function withNumbers(record: unknown): unknown {
  if (!isObject(record)) return record;
  const cells = Object.entries(record).map(([name, value]): [string, unknown] => {
    if (Array.isArray(value)) return [name, inOrder(value).map(withNumbers)];
    return [name, integers.has(name) && typeof value === 'string' && digits.test(value) ? Number(value) : value];
  });
  return Object.fromEntries(cells.filter(([name]) => name !== 'position'));
}

function inOrder(rows: readonly unknown[]): readonly unknown[] {
  const place = (row: unknown): number => (isObject(row) ? Number(row.position) : 0);
  return rows.toSorted((one, other) => place(one) - place(other));
}
