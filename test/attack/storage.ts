// What attacks put into the database of a target beforehand, as commands would, or more of it than these would make.
import { addPlatformKey } from '../../src/auth/platform-keys.ts';
import type { PlatformRole } from '../../src/auth/platform-roles.ts';
import { definitions } from '../../src/resources/index.ts';
import { openEngine, openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { plain } from '../contract/database.ts';
import type { Database } from './prepared.ts';

export async function withStore<T>({ variables }: Database, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(placeOf(variables), definitions);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Platform keys for every activity, or for those that are named. */
export function addKeys(
  database: Database,
  count: number,
  roles: readonly PlatformRole[],
  activityCodes: readonly string[] | null = null,
): Promise<readonly string[]> {
  return withStore(database, async (store) => {
    const texts: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const wanted = { name: `key ${index}`, activityCodes, roles };
      texts.push((await addPlatformKey(store, wanted, Date.now())).text);
    }
    return texts;
  });
}

interface Rows {
  readonly table: string;
  readonly count: number;
  /** By name, each as SQL of `k`, which counts from 1. */
  readonly columns: Readonly<Record<string, string>>;
  /** What stands beside the rows, such as a comma and another table. */
  readonly from?: string;
}

/** Adds as many rows as are wanted at once. */
export async function addRows({ variables }: Database, { table, count, columns, from = '' }: Rows): Promise<void> {
  const engine = await openEngine(placeOf(variables));
  const text = `with recursive n(k) as (select 1 union all select k + 1 from n where k < ${count})
    insert into ${table} (${Object.keys(columns).join(', ')})
    select ${Object.values(columns).join(', ')} from n ${from}`;
  try {
    await engine.write((transaction) => transaction.query(plain(text)));
  } finally {
    await engine.close();
  }
}

function placeOf({ DATA_DIR, DATABASE_URL }: Database['variables']) {
  return { dataDir: DATA_DIR ?? '', databaseUrl: DATABASE_URL ?? null };
}
