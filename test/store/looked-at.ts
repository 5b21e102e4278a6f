// In charge of counting the rows that an engine really looks at for a statement.
import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { Engine } from '../../src/store/engine.ts';
import { plannedForShortReads } from '../../src/store/postgres.ts';
import { settingStatement } from '../../src/store/postgres-pool.ts';
import { compile, type Statement } from '../../src/store/statement.ts';
import { plain } from '../contract/database.ts';

/** What a statement cost. */
export interface LookedAt {
  readonly rows: number;
  /** PostgreSQL: pages that were looked at, of tables and indexes; an index is searched without telling of rows. */
  readonly pages: number;
  /** How the engine went about it. */
  readonly plan: string;
  readonly text: string;
}

export interface Counter {
  /** Asking costs little beside the statement itself. */
  readonly isQuick: boolean;
  readonly count: (statement: Statement<unknown>) => Promise<LookedAt>;
  readonly close: () => Promise<void>;
}

/** @param url of the database, where it is one of a server */
export async function createCounter(engine: Engine, url: string | null): Promise<Counter> {
  if (engine.dialect === 'postgres') return createServerCounter(engine, url);
  const [, [, , path = ''] = []] = [null, ...(await engine.read(plain('pragma database_list')))];
  const database = new DatabaseSync(String(path), { readOnly: true });
  const plans = new Map<string, string>();
  let rows = 0;
  // Not the same each time: so it is asked of each row, before the other conditions.
  database.function('looked_at', () => {
    rows += 1;
    return 1;
  });
  return {
    isQuick: true,
    count: async (statement) => {
      const { text, values } = compile(statement, 'sqlite');
      // Each statement of lists names the activity first, in each place where it reads records.
      const counting = text.replaceAll(/\bwhere (?=(?:[trb]\.)?owner = )/g, 'where looked_at() and ');
      const places = text.match(/\bfrom "[a-z_]+"(?! i\b| n\b)/g)?.length ?? 0;
      assert.ok(counting.split('looked_at()').length > places, `not every place is counted: ${text}`);
      let explained = plans.get(text);
      if (explained === undefined) {
        explained = planOf(database, text, values);
        plans.set(text, explained);
        assert.equal(planOf(database, counting, values), explained, 'counting changes the plan');
      }
      rows = 0;
      database.prepare(counting).all(...values);
      return { rows, pages: 0, plan: explained, text };
    },
    close: async () => database.close(),
  };
}

function planOf(database: DatabaseSync, text: string, values: readonly (string | number | null)[]): string {
  return database
    .prepare(`explain query plan ${text}`)
    .all(...values)
    .map(({ detail }) => String(detail))
    .join('\n');
}

/**
 * Plans as the connections for short reads do: once for each text, for any values. On a server, in a session of its
 * own.
 */
async function createServerCounter(engine: Engine, url: string | null): Promise<Counter> {
  const client = url === null ? null : new Client(url);
  await client?.connect();
  await client?.query(settingStatement(plannedForShortReads));
  const run = async (text: string): Promise<readonly (readonly unknown[])[]> =>
    client === null ? engine.readShort(plain(text)) : (await client.query({ text, rowMode: 'array' })).rows;
  const names = new Map<string, string>();
  return {
    isQuick: false,
    count: async (statement) => {
      const { text, values } = compile(statement, 'postgres');
      let name = names.get(text);
      if (name === undefined) {
        name = `counted${names.size}`;
        names.set(text, name);
        await run(`prepare ${name} as ${text}`);
      }
      const given = values.map((value) =>
        typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value),
      );
      const call = given.length === 0 ? name : `${name} (${given.join(', ')})`;
      return readPlan(await run(`explain (analyze, buffers, timing off, summary off) execute ${call}`), text);
    },
    close: async () => {
      if (client !== null) await client.end();
      else for (const name of names.values()) await run(`deallocate ${name}`);
    },
  };
}

/** Reads the text form of a plan: rows that each scan gave and threw away, as often as it ran. */
function readPlan(found: readonly (readonly unknown[])[], text: string): LookedAt {
  const lines = found.map(([line]) => String(line));
  let rows = 0;
  let loops = 1;
  for (const line of lines) {
    const actual = / \(actual(?: time=\S+)? rows=([\d.]+) loops=(\d+)\)/.exec(line);
    if (actual !== null) {
      loops = Number(actual[2]);
      if (/(?:Seq|Index|Index Only|Bitmap Heap) Scan .*\bon \w+/.test(line)) rows += Number(actual[1]) * loops;
    }
    const removed = /Rows Removed by (?:Filter|Index Recheck): (\d+)/.exec(line);
    if (removed !== null) rows += Number(removed[1]) * loops;
  }
  const [hit] = lines.flatMap((line) => /Buffers: shared (.*)/.exec(line)?.[1] ?? []);
  const pages = [...(hit ?? '').matchAll(/(?:hit|read)=(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);
  return { rows: Math.ceil(rows), pages, plan: lines.join('\n'), text };
}
