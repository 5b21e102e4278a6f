// A process that queries the peers' tables for the pages of a work without anything around it: prepared statements of
// the driver, rows out, no HTTP and no JSON.
import { Pool } from 'pg';
import { isObject } from '../../src/model/check.ts';
import type { Measured } from '../measure.ts';
import { answerTasks } from '../peers.ts';
import type { PageQuery } from './work.ts';

/** One run. */
interface BareRun {
  readonly databaseUrl: string;
  /** Requested in turn, repeatedly. */
  readonly queries: readonly PageQuery[];
  readonly connections: number;
  readonly seconds: number;
}

interface NamedStatement {
  readonly name: string;
  readonly text: string;
}

const pools = new Map<string, Pool>();

answerTasks(async (task) => {
  if (!isBareRun(task)) throw new Error('not a run');
  const { databaseUrl, queries, connections, seconds } = task;
  const pool = pools.get(databaseUrl) ?? new Pool({ connectionString: databaseUrl, max: 10 });
  pools.set(databaseUrl, pool);
  const started = performance.now();
  const until = started + seconds * 1000;
  let asked = 0;
  let done = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        const query = queries[asked++ % queries.length];
        if (query === undefined) break;
        await read(pool, query);
        done += 1;
      }
    }),
  );
  return { done, seconds: (performance.now() - started) / 1000, cpuSeconds: 0 } satisfies Measured;
});

const statements = {
  after: (table: string) => ({
    name: `after ${table}`,
    text: `select * from ${table} where position > $1 order by position limit $2`,
  }),
  article: {
    name: 'article',
    text: `select * from movement where "articleReference" = $3 and position > $1 order by position limit $2`,
  },
  before: {
    name: 'before',
    text: `select * from movement where "movementTimestamp" < $1
      order by "movementTimestamp" desc, position desc limit $2`,
  },
  children: (table: string) => ({
    name: `children ${table}`,
    text: `select * from ${table} where "parentPosition" = any($1) order by "parentPosition", position`,
  }),
};

async function read(pool: Pool, { list, after, limit, articleReference, before }: PageQuery): Promise<void> {
  if (before !== null) await rows(pool, statements.before, [before, limit]);
  else if (articleReference !== null) await rows(pool, statements.article, [after, limit, articleReference]);
  else if (list === 'movements') await rows(pool, statements.after('movement'), [after, limit]);
  else if (list === 'stock') await rows(pool, statements.after('stock'), [after, limit]);
  else {
    const orders = await rows(pool, statements.after('customer_order'), [after, limit]);
    const [, subOrders = []] = await Promise.all(
      ['order_line', 'sub_order'].map((table) => rows(pool, statements.children(table), [orders])),
    );
    if (subOrders.length > 0) await rows(pool, statements.children('sub_order_line'), [subOrders]);
  }
}

/** Reads rows as arrays, and returns their positions. */
async function rows(
  pool: Pool,
  { name, text }: NamedStatement,
  values: readonly unknown[],
): Promise<readonly unknown[]> {
  const answer = await pool.query<unknown[]>({ name, text, values: [...values], rowMode: 'array' });
  return answer.rows.map(([position]) => position);
}

function isBareRun(task: unknown): task is BareRun {
  return isObject(task) && Array.isArray(task.queries) && typeof task.databaseUrl === 'string';
}
