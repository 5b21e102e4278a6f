// How PostGraphile is queried: its closest natural requests, by GET with the document and its variables, and the
// conversion of its responses to the records of the others.
import { isObject } from '../../src/model/check.ts';
import type { PageQuery } from './work.ts';
import { type PeerTable, peerTables } from './tables.ts';

/** How to query a peer that has to be inspected first. */
export interface Asking {
  readonly pathOf: (query: PageQuery) => string;
  readonly recordsOf: (answer: unknown) => readonly unknown[];
}

/** Determines the names of fields and the form of cursors from the server itself. */
export async function askGraphql(port: number, headers: Readonly<Record<string, string>>): Promise<Asking> {
  const ask = async (query: string): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${port}/graphql?query=${encodeURIComponent(query)}`, { headers });
    const text = await answer.text();
    const result: unknown = JSON.parse(text);
    if (!isObject(result) || result.errors !== undefined) throw new Error(`${query}: ${text.slice(0, 1000)}`);
    return result.data;
  };
  const fields = new Map<string, readonly string[]>();
  for (const { name } of peerTables) fields.set(name, await fieldsOf(ask, typeName(name)));
  const digests = new Map<string, unknown>();
  for (const [key, { list, order }] of Object.entries(lists))
    digests.set(key, await digestOf(ask, `{${list}(first:1${order}){pageInfo{endCursor}}}`, list));
  return {
    pathOf: (query) => {
      const key = keyOf(query);
      const found = lists[key];
      if (found === undefined) throw new Error(`there is no list ${key}`);
      const { list, order, table } = found;
      const selected = selection(tableNamed(table), fields);
      const condition = query.articleReference === null ? '' : ',condition:{articleReference:$article}';
      const article = query.articleReference === null ? '' : ',$article:String';
      const pages = `${list}(first:$first,after:$after${order}${condition}){nodes{${selected}}}`;
      const text = `query($first:Int,$after:Cursor${article}){${pages}}`;
      // Values of the list's sort fields: before an instant means after all records with that instant.
      const place = query.before === null ? [String(query.after)] : [query.before, '0'];
      const after = Buffer.from(JSON.stringify([digests.get(key), ...place])).toString('base64');
      const variables = { first: query.limit, after, article: query.articleReference ?? undefined };
      return `/graphql?query=${encodeURIComponent(text)}&variables=${encodeURIComponent(JSON.stringify(variables))}`;
    },
    recordsOf: (answer) => {
      const data = isObject(answer) && isObject(answer.data) ? answer.data : {};
      const [list = '', connection] = Object.entries(data)[0] ?? [];
      const table = Object.values(lists).find((each) => each.list === list)?.table;
      if (table === undefined) throw new Error(`not a list: ${JSON.stringify(answer).slice(0, 1000)}`);
      return recordsIn(tableNamed(table), connection);
    },
  };
}

const newestFirst = ',orderBy:[MOVEMENT_TIMESTAMP_DESC,PRIMARY_KEY_DESC]';
const lists: Readonly<Record<string, { readonly list: string; readonly order: string; readonly table: string }>> = {
  movements: { list: 'allMovements', order: '', table: 'movement' },
  newest: { list: 'allMovements', order: newestFirst, table: 'movement' },
  orders: { list: 'allCustomerOrders', order: '', table: 'customer_order' },
  stock: { list: 'allStocks', order: '', table: 'stock' },
};

function keyOf({ list, before }: PageQuery): string {
  return before === null ? list : 'newest';
}

/** The published fields of a table under their own names, including those of nested records. */
function selection(table: PeerTable, fields: ReadonlyMap<string, readonly string[]>): string {
  const there = new Map((fields.get(table.name) ?? []).map((name) => [name.toLowerCase(), name]));
  // PostGraphile uses `id` for its own row identifier.
  const own = table.columns.map(({ name }) => `${name}:${name === 'id' ? 'rowId' : there.get(name.toLowerCase())}`);
  const nested = childrenOf(table).map(
    (child) =>
      `${child.parent?.field}:${plural(child.name)}ByParentPosition(orderBy:PRIMARY_KEY_ASC)` +
      `{nodes{${selection(child, fields)}}}`,
  );
  return [...own, ...nested].join(' ');
}

/** Its responses contain 64-bit numbers as strings. */
function recordsIn(table: PeerTable, connection: unknown): readonly unknown[] {
  const nodes = isObject(connection) && Array.isArray(connection.nodes) ? connection.nodes : [];
  const integers = table.columns.filter(({ kind }) => kind === 'integer').map(({ name }) => name);
  const nested = childrenOf(table);
  return nodes.map((node: unknown) => {
    if (!isObject(node)) throw new Error('a record is no object');
    const record: Record<string, unknown> = { ...node };
    for (const name of integers) if (typeof record[name] === 'string') record[name] = Number(record[name]);
    for (const child of nested) {
      const field = child.parent?.field ?? '';
      record[field] = recordsIn(child, record[field]);
    }
    return record;
  });
}

async function fieldsOf(ask: (query: string) => Promise<unknown>, type: string): Promise<readonly string[]> {
  const data = await ask(`{__type(name:"${type}"){fields{name}}}`);
  const described = isObject(data) ? data.__type : null;
  const found: unknown = isObject(described) ? described.fields : null;
  if (!Array.isArray(found)) throw new Error(`there is no type ${type}`);
  return found.map((field: unknown) => (isObject(field) ? String(field.name) : ''));
}

/** The beginning of a cursor for an order. */
async function digestOf(ask: (query: string) => Promise<unknown>, query: string, list: string): Promise<unknown> {
  const data = await ask(query);
  const connection = isObject(data) ? data[list] : null;
  const info = isObject(connection) ? connection.pageInfo : null;
  const cursor = isObject(info) ? info.endCursor : null;
  const values: unknown = JSON.parse(Buffer.from(String(cursor), 'base64').toString('utf8'));
  if (!Array.isArray(values)) throw new Error(`${list} has no cursors`);
  return values[0];
}

function childrenOf({ name }: PeerTable): readonly PeerTable[] {
  return peerTables.filter(({ parent }) => parent?.table === name);
}

function tableNamed(name: string): PeerTable {
  const table = peerTables.find((each) => each.name === name);
  if (table === undefined) throw new Error(`there is no table ${name}`);
  return table;
}

/** `order_line` → `OrderLine` */
function typeName(table: string): string {
  return table.replaceAll(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** `order_line` → `orderLines` */
function plural(table: string): string {
  const name = typeName(table);
  return `${name.slice(0, 1).toLowerCase()}${name.slice(1)}s`;
}
